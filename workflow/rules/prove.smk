rule prove:
    input:
        plan=ancient(PATHS.plan.as_posix()),
    output:
        f"{RUN}/prove/{{sweep}}.json",
    log:
        f"{RUN}/log/prove/{{sweep}}.log",
    priority: -2  # after tables and their claims
    conda:
        "../../environment.yml"
    threads: 2  # for the searching process and the waiting process; `choco run` sets 1
    resources:
        mem_mb=memory_of(Stage.PROVE),
    params:
        order=order_of(Stage.PROVE),
    shell:
        "python -m choco_pipeline job prove {input.plan} {wildcards.sweep} > {log} 2>&1"
