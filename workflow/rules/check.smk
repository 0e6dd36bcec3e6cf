rule check:
    input:
        plan=ancient(PATHS.plan.as_posix()),
        tables=tables_of(Stage.CHECK),
    output:
        f"{RUN}/check/{{sweep}}.json",
    log:
        f"{RUN}/log/check/{{sweep}}.log",
    priority: 1  # claims without tables are checked while kernels compile
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_of(Stage.CHECK),
    params:
        order=order_of(Stage.CHECK),
    shell:
        "python -m choco_pipeline job check {input.plan} {wildcards.sweep} > {log} 2>&1"
