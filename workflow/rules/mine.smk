rule mine:
    input:
        order=order_of(MINE),
        manifest=rules.build.output.manifest,
    output:
        findings=outcome_of(MINE),
    log:
        log_of(MINE),
    priority: -1  # claims come first, and what they come to
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_to_read_of,
    shell:
        "python -m choco_pipeline work {input.order} --out {output.findings} > {log} 2>&1"


# Which height functions have a formula: all of a box, and the conditions that tell them from the others.
rule mine_heights:
    input:
        order=order_of(MINE_HEIGHTS),
    output:
        found=outcome_of(MINE_HEIGHTS),
    log:
        log_of(MINE_HEIGHTS),
    priority: -1
    conda:
        "../../environment.yml"
    shell:
        "python -m choco_pipeline work {input.order} --out {output.found} > {log} 2>&1"
