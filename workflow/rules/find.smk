# Statements on whole families, derived from findings and tested on new tables.
rule find:
    input:
        plan=ancient(PATHS.plan.as_posix()),
        tables=results_of(Stage.BUILD),
        # Claims that were checked on large tables need no second check.
        checks=results_of(Stage.CHECK),
        findings=results_of(Stage.MINE),
        proofs=results_of(Stage.PROVE),
        background=[p.as_posix() for p in (project_file(BACKGROUND),) if p.is_file()],
    output:
        found=PATHS.found.as_posix(),
    log:
        f"{RUN}/log/find.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,  # the default run took 990
    params:
        code=code_digest(FINDING_CODE),
        plan=plan_digest,
    shell:
        "python -m choco_pipeline find {input.plan} --out {output.found} > {log} 2>&1"
