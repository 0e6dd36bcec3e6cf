rule build:
    input:
        spec=f"{RESULTS}/shards/{{name}}.json",
    output:
        manifest=f"{RESULTS}/tables/{{name}}.done.json",
    log:
        f"{RUN}/log/build/{{name}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_of,
    shell:
        "python -m choco_pipeline build {input.spec} --out {output.manifest}"
        " --memory {resources.mem_mb} > {log} 2>&1"
