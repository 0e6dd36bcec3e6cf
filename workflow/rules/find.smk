# What the machine proposes itself: statements over whole families, tried on what they were not found on.
rule find:
    input:
        plan=PATHS.plan.as_posix(),
        tables=expand(rules.build.output.manifest, name=PLAN["shards"]),
        # of large tables, on which what is found again needs no second check
        checks=expand(rules.check.output.verdicts, name=names(CHECK)),
        findings=expand(rules.mine.output.findings, name=names(MINE)),
        proofs=expand(rules.prove.output.proved, name=names(PROVE)),
        decided=expand(
            rules.prove_statements.output.verdicts, name=names(PROVE_STATEMENTS)
        ),
        # whose proofs need no second search
        heights=expand(rules.mine_heights.output.found, name=names(MINE_HEIGHTS)),
        background=[p.as_posix() for p in (project_file(BACKGROUND),) if p.is_file()],
    output:
        found=PATHS.found.as_posix(),
    log:
        f"{RUN}/log/find.log",
    conda:
        "../../environment.yml"
    params:
        code=code_digest(FINDING_CODE),
    shell:
        "python -m choco_pipeline find {input.plan} --out {output.found} > {log} 2>&1"
