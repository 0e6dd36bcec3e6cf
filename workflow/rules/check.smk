rule check:
    input:
        order=order_of(CHECK),
        manifest=rules.build.output.manifest,
    output:
        verdicts=outcome_of(CHECK),
    log:
        log_of(CHECK),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_to_read_of,
    shell:
        "python -m choco_pipeline work {input.order} --out {output.verdicts} > {log} 2>&1"


rule check_statements:
    input:
        order=order_of(CHECK_STATEMENTS),
    output:
        verdicts=outcome_of(CHECK_STATEMENTS),
    log:
        log_of(CHECK_STATEMENTS),
    conda:
        "../../environment.yml"
    shell:
        "python -m choco_pipeline work {input.order} --out {output.verdicts} > {log} 2>&1"
