# Which height functions have a formula: all of a box, and the conditions that tell them from the others.
rule classify:
    input:
        order=f"{RUN}/heights/{{heights}}.json",
    output:
        found=f"{RUN}/classified/{{heights}}.json",
    log:
        f"{RUN}/log/classify/{{heights}}.log",
    conda:
        "../../environment.yml"
    shell:
        "python -m choco_pipeline classify {input.order} --out {output.found} > {log} 2>&1"


# What the machine proposes itself: statements over whole families, tried on what they were not found on.
rule find:
    input:
        plan=f"{RUN}/plan.json",
        tables=expand(rules.build.output.manifest, shard=PLAN["shards"]),
        findings=expand(rules.mine.output.findings, shard=shards_of("mines")),
        proofs=expand(rules.prove.output.proved, proof=PROOFS),
        decided=expand(rules.decide.output.verdicts, decided=STATEMENTS),  # whose proofs need no second search
        heights=expand(rules.classify.output.found, heights=HEIGHTS),
    output:
        found=f"{RUN}/found.json",
    log:
        f"{RUN}/log/find.log",
    conda:
        "../../environment.yml"
    params:
        code=code_digest(FINDING_CODE),
    shell:
        "python -m choco_pipeline find {input.plan} --out {output.found} > {log} 2>&1"
