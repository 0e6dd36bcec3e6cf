# The results on tables, before the end of searches and proofs. A run without proofs has no such report.
# The ledger and its report are one job: between two jobs, a worker would begin a longer search in tables.
rule first_report:
    input:
        plan=ancient(PATHS.plan.as_posix()),
        tables=results_of(Stage.BUILD),
        checks=results_of(Stage.CHECK),
    output:
        ledger=f"{RUN}/first-ledger.json",
        html=f"{RUN}/first-report/index.html",
        json=f"{RUN}/first-report/report.json",
        rows=f"{RUN}/first-report/ledger.csv",
        csv=f"{RUN}/first-report/verdicts.csv",
        files=PATHS.file_lists()[0].as_posix(),
    log:
        f"{RUN}/log/first-report.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
    params:
        code=code_digest(("claims", "mining", "sweep", "report")),
        plan=plan_digest,
    shell:
        "python -m choco_pipeline report {input.plan} --out {output.html} --first {output.ledger} > {log} 2>&1"


rule ledger:
    input:
        plan=ancient(PATHS.plan.as_posix()),
        tables=results_of(Stage.BUILD),
        checks=results_of(Stage.CHECK),
        findings=results_of(Stage.MINE),
        proofs=results_of(Stage.PROVE),
    output:
        ledger=f"{RUN}/ledger.json",
    log:
        f"{RUN}/log/ledger.log",
    priority: 1  # before the first report, if the proofs exist already
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
    params:
        code=code_digest(("claims", "mining", "sweep")),
        plan=plan_digest,
    shell:
        "python -m choco_pipeline ledger {input.plan} --out {output.ledger} > {log} 2>&1"


# All pages except found statements, while the search for these still runs.
rule pages:
    input:
        ledger=rules.ledger.output.ledger,
        tables=results_of(Stage.BUILD),
    output:
        json=f"{RUN}/report/report.json",
        rows=report(f"{RUN}/report/ledger.csv", category="Claims"),
        csv=report(f"{RUN}/report/verdicts.csv", category="Claims"),
    log:
        f"{RUN}/log/pages.log",
    priority: 1
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
    params:
        code=code_digest(("report",)),
        html=f"{RUN}/report/index.html",
    shell:
        "python -m choco_pipeline report {input.ledger} --out {params.html} > {log} 2>&1"


rule report:
    input:
        ledger=rules.ledger.output.ledger,
        found=rules.find.output.found,
        pages=rules.pages.output,
    output:
        html=report(f"{RUN}/report/index.html", category="Report"),
        found=report(f"{RUN}/report/found.html", category="Found statements"),
        tex=report(f"{RUN}/report/found/found.tex", category="Found statements"),
        md=f"{RUN}/report/found/found.md",
        statements=f"{RUN}/report/found/found.json",
        crate=f"{RUN}/ro-crate/ro-crate-metadata.json",
        files=PATHS.file_lists()[1].as_posix(),
    log:
        f"{RUN}/log/report.log",
    priority: 1  # before the first report, if the proofs exist already
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
    params:
        code=code_digest(("report",)),
    shell:
        "python -m choco_pipeline report {input.ledger} --found {input.found} --out {output.html} > {log} 2>&1"
