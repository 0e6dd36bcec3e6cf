rule prove:
    input:
        order=f"{RUN}/proofs/{{proof}}.json",
    output:
        proved=f"{RUN}/proved/{{proof}}.json",
    log:
        f"{RUN}/log/prove/{{proof}}.log",
    priority: -1  # tables and what is said about them come first
    conda:
        "../../environment.yml"
    threads: 2  # MONA runs two processes; and of `choco run`'s two jobs for each worker, this one takes both
    resources:
        mem_mb=memory_of_proofs,
    shell:
        "python -m choco_pipeline settle {input.order} --out {output.proved} > {log} 2>&1"


rule decide:
    input:
        order=f"{RUN}/statements/{{decided}}.json",
    output:
        verdicts=f"{RUN}/proved/{{decided}}.json",
    log:
        f"{RUN}/log/decide/{{decided}}.log",
    priority: -1
    conda:
        "../../environment.yml"
    threads: 2
    resources:
        mem_mb=memory_of_proofs,
    shell:
        "python -m choco_pipeline decide {input.order} --out {output.verdicts} > {log} 2>&1"
