rule mine:
    input:
        plan=ancient(PATHS.plan.as_posix()),
        tables=tables_of(Stage.MINE),
    output:
        f"{RUN}/mine/{{sweep}}.json",
    log:
        f"{RUN}/log/mine/{{sweep}}.log",
    priority: -1  # after claims and the first report
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_of(Stage.MINE),
    params:
        order=order_of(Stage.MINE),
    shell:
        "python -m choco_pipeline job mine {input.plan} {wildcards.sweep} > {log} 2>&1"
