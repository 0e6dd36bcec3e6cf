rule prove:
    input:
        plan=ancient(PATHS.plan.as_posix()),
    output:
        f"{RUN}/prove/{{sweep}}.json",
    log:
        f"{RUN}/log/prove/{{sweep}}.log",
    priority: -2  # tables and their claims come first
    conda:
        "../../environment.yml"
    threads: 2  # one for the process that searches, one for the process that waits; `choco run` sets 1
    resources:
        mem_mb=memory_of(Stage.PROVE),
    params:
        order=order_of(Stage.PROVE),
    shell:
        "python -m choco_pipeline job prove {input.plan} {wildcards.sweep} > {log} 2>&1"
