rule mine:
    input:
        order=f"{RUN}/mines/{{shard}}.json",
        manifest=rules.build.output.manifest,
    output:
        findings=f"{RUN}/mining/{{shard}}.json",
    log:
        f"{RUN}/log/mine/{{shard}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_to_read_of,
    shell:
        "python -m choco_pipeline search {input.order} --out {output.findings} > {log} 2>&1"
