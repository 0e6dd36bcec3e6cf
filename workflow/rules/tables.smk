rule build:
    input:
        spec=f"{RESULTS}/shards/{{shard}}.json",
    output:
        manifest=f"{RESULTS}/tables/{{shard}}.done.json",
    log:
        f"{RUN}/log/build/{{shard}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_of,
    shell:
        "python -m choco_pipeline build {input.spec} --out {output.manifest}"
        " --memory {resources.mem_mb} > {log} 2>&1"
