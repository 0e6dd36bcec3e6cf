# Entry point for `snakemake` in this folder. The workflow is in workflow/Snakefile, the standard place for catalogues of workflows.


include: "workflow/Snakefile"


rule default:  # because the default target of an included file does not apply here
    default_target: True
    input:
        rules.all.input,
