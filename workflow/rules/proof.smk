rule prove:
    input:
        order=f"{RUN}/proofs/{{proof}}.json",
    output:
        proved=f"{RUN}/proved/{{proof}}.json",
    log:
        f"{RUN}/log/prove/{{proof}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=4000,  # the engines' limits on automata stay below it
    shell:
        "python -m choco_pipeline settle {input.order} --out {output.proved} > {log} 2>&1"
