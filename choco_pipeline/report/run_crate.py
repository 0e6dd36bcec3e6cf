"""A run as a Workflow Run RO-Crate, for archives of research data.

The folder ``ro-crate`` beside a run's documents can be deposited unchanged. It has copies of the configuration, the claims, the
games, the workflow, the plan, the ledger, the statements, the reports and the manifests. A manifest has the digest of every
chunk of its tables. ``sha256sums.txt`` has the digests of these files and of the metadata, in the format of
``sha256sum --check``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from rocrate.model import ContextEntity, File
from rocrate.rocrate import ROCrate

from choco_pipeline.documents.files import write_text
from choco_pipeline.provenance import file_digest
from choco_pipeline.shipped import SHIPPED
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.sweep.run_files import Paths, read_plan

FOLDER = "ro-crate"
SUMS = "sha256sums.txt"
#: The version of the RO-Crate specification that `PROFILES` build on.
VERSION = "1.1"
LICENSE = "https://spdx.org/licenses/BSD-3-Clause"
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
#: Media types of the files in a crate.
FORMATS = {
    ".json": "application/json",
    ".csv": "text/csv",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
    ".smk": "text/x-python",
    "": "text/x-python",  # Snakefile
}
PROFILES = (
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
)
#: Defines ``sha256``, which the vocabulary of RO-Crate 1.1 lacks.
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
REPORTS = ("report.json", "ledger.csv", "verdicts.csv", "found/found.json", "found/found.tex")


def write_crate(ledger: Ledger, results: Path) -> Path:
    """Write the crate of a run whose report is written; return its folder."""
    paths = Paths(results, ledger.run)
    plan = read_plan(paths.plan)
    folder = paths.plan.with_name(FOLDER)
    crate = ROCrate(gen_preview=False, version=VERSION)
    crate.metadata.extra_contexts.append(TERMS)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    crate.name = f"{ledger.title}: a run of choco_pipeline"
    crate.description = (
        f"Tables, claims and found statements of impartial chocolate-bar games, by {ledger.command}"
    )
    crate.datePublished = now

    def work(address: str, name: str, **more: str) -> ContextEntity:
        properties = {"@type": "CreativeWork", "name": name, **more}
        return crate.add(ContextEntity(crate, address, properties=properties))

    def file(path: Path, name: str) -> File:
        return crate.add_file(path, name, properties=_file_properties(path))

    def shipped(path: Path) -> File:
        """Add a file of the project, or of the wheel."""
        return file(path, (path.relative_to(SHIPPED) if path.is_absolute() else path).as_posix())

    about = "The licence of choco_pipeline, whose workflow, claims and games are in this crate."
    crate.license = work(LICENSE, "BSD 3-Clause License", description=about)
    crate.root_dataset["conformsTo"] = [work(url, url) for url in PROFILES]
    workflow = crate.add_workflow(
        SHIPPED / "Snakefile", "Snakefile", main=True, lang="snakemake",
        lang_version=ledger.versions["snakemake"], properties=_file_properties(SHIPPED / "Snakefile"),
    )  # fmt: skip
    workflow["version"] = ledger.versions["choco_pipeline"]
    workflow["conformsTo"] = work(BIOSCHEMAS, "Bioschemas profile of ComputationalWorkflow")
    workflow["softwareRequirements"] = [
        work(f"#{name}", name, softwareVersion=version, **{"@type": "SoftwareApplication"})
        for name, version in ledger.versions.items()
        if name not in ("commit", "tables built by")
    ]
    rules = sorted((SHIPPED / "workflow/rules").glob("*.smk"))
    workflow["hasPart"] = [*map(shipped, [SHIPPED / "workflow/Snakefile", *rules])]
    outcomes = [
        paths.plan,
        paths.plan.with_name("ledger.json"),
        paths.found,
        *(paths.plan.with_name("report") / name for name in REPORTS),
        *map(paths.manifest, plan["shards"]),
    ]
    run = crate.add_action(
        workflow,
        "#run",
        object=[shipped(Path(path)) for path in plan["inputs"]],
        result=[
            file(path, f"results/{path.relative_to(results).as_posix()}")
            for path in outcomes
            if path.is_file()
        ],
        properties={
            "name": ledger.command,
            "description": f"{ledger.command}, at commit {ledger.versions['commit']}",
            "actionStatus": "http://schema.org/CompletedActionStatus",
            "endTime": now,
        },
    )
    crate.root_dataset["mentions"] = run
    shutil.rmtree(folder, ignore_errors=True)
    crate.write(folder)
    sums = (f"{digest}  {name}\n" for name, digest in _digests(folder).items())
    write_text(folder / SUMS, "".join(sums))
    return folder


def faults_of_crate(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the changed, missing and added files of a crate, each with a message."""
    if not (folder / SUMS).is_file():
        yield folder / SUMS, "is missing"
        return
    listed = {}
    for line in (folder / SUMS).read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    digests = _digests(folder)
    for name in sorted(listed.keys() | digests.keys()):
        if name not in digests:
            yield folder / name, f"is missing, but {SUMS} lists it"
        elif name not in listed:
            yield folder / name, f"{SUMS} does not list it"
        elif listed[name] != digests[name]:
            yield folder / name, f"does not match its digest in {SUMS}"


def _digests(folder: Path) -> dict[str, str]:
    """Return the digests of a crate's files, by name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    return {path.relative_to(folder).as_posix(): file_digest(path) for path in files}


def _file_properties(path: Path) -> dict[str, str]:
    properties = {"sha256": file_digest(path), "contentSize": str(path.stat().st_size)}
    return properties | ({"encodingFormat": FORMATS[path.suffix]} if path.suffix in FORMATS else {})
