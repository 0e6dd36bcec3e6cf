rule build:
    input:
        plan=ancient(PATHS.plan.as_posix()),
    output:
        f"{RUN}/build/{{sweep}}.json",
    log:
        f"{RUN}/log/build/{{sweep}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_of(Stage.BUILD),
    params:
        order=order_of(Stage.BUILD),
    shell:
        "python -m choco_pipeline job build {input.plan} {wildcards.sweep} --memory {resources.mem_mb} > {log} 2>&1"
