rule prove:
    input:
        order=order_of(PROVE),
    output:
        proved=outcome_of(PROVE),
    log:
        log_of(PROVE),
    priority: -3  # tables and what is said about them come first
    conda:
        "../../environment.yml"
    threads: 2  # of `choco run`'s two jobs for each worker, this one takes both
    resources:
        mem_mb=memory_of_proofs,
    shell:
        "python -m choco_pipeline work {input.order} --out {output.proved} > {log} 2>&1"


rule prove_statements:
    input:
        order=order_of(PROVE_STATEMENTS),
    output:
        verdicts=outcome_of(PROVE_STATEMENTS),
    log:
        log_of(PROVE_STATEMENTS),
    priority: -2  # before games: the longest of all decides claims for all parameters, and all else would wait for it
    conda:
        "../../environment.yml"
    threads: 2
    resources:
        mem_mb=memory_of_proofs,
    shell:
        "python -m choco_pipeline work {input.order} --out {output.verdicts} > {log} 2>&1"
