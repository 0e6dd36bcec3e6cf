# The workflow at a glance: which files a run makes, and from which. The rules are in workflow/rules/.
#
#   snakemake --cores 2                                  the default run; every job computes in its own process
#   snakemake --cores 2 --config choco=my/config.yaml    another configuration
#   choco run my/config.yaml                             the same on a Dask cluster, with progress
#
# Jobs run in the environment that Snakemake runs in; with `--software-deployment-method conda`, in environment.yml's.


include: "workflow/rules/common.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/mining.smk"
include: "workflow/rules/proof.smk"
include: "workflow/rules/find.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        html=rules.report.output.html,
        first=rules.first_report.output.html if names(PROVE) else [],
        # Named here, too, so that what somebody removes is made again.
        tables=rules.ledger.input.tables,
        verdicts=rules.ledger.input.verdicts,
        statements=rules.ledger.input.statements,
        findings=rules.ledger.input.findings,
        proofs=rules.ledger.input.proofs,
        decided=rules.ledger.input.decided,
        found=rules.find.output.found,
