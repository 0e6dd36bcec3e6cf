# What `snakemake` finds in this folder. The workflow itself is in workflow/Snakefile, where catalogues of workflows look for it.


include: "workflow/Snakefile"


rule default:  # since a default target of what is included is not one here
    default_target: True
    input:
        rules.all.input,
