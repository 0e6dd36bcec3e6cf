rule check:
    input:
        order=f"{RUN}/checks/{{shard}}.json",
        manifest=rules.build.output.manifest,
    output:
        verdicts=f"{RUN}/verdicts/{{shard}}.json",
    log:
        f"{RUN}/log/check/{{shard}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_to_read_of,
    shell:
        "python -m choco_pipeline check {input.order} --out {output.verdicts} > {log} 2>&1"


rule state:
    input:
        order=f"{RUN}/standing/{{part}}.json",
    output:
        verdicts=f"{RUN}/verdicts/{{part}}.json",
    log:
        f"{RUN}/log/state/{{part}}.log",
    conda:
        "../../environment.yml"
    shell:
        "python -m choco_pipeline state {input.order} --out {output.verdicts} > {log} 2>&1"
