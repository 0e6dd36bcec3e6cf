"""Commands on stored results: verify, export, repair."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from choco_pipeline.cli.output import RUNS, Json
from choco_pipeline.errors import ConfigError
from choco_pipeline.report import Format, What

app = typer.Typer()


@app.command(rich_help_panel=RUNS)
def verify(
    manifests: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Manifests (….done.json); by default all below results/, all certificates, and all other documents of runs."
        ),
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Instead: compare runs with the results in config/published, digest by digest.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Chooses the random positions.")] = 0,
    seconds: Annotated[
        float, typer.Option(help="Seconds of computing for each certificate, at most.", min=0.1)
    ] = 60.0,
    json: Json = False,
) -> None:
    """Verify stored tables, certificates and documents of runs.

    Checksums of tables are compared, and positions are computed again by definition. checker/check.py alone decides certificates
    of games and claims, the package those of families. The statement of each certificate is printed. The exit code is 1 if
    something is wrong or was not checked, or if a certificate differs from a claim or a game of its name in config.
    """
    from choco_pipeline.cli.kept.verify import verify_published, verify_results  # noqa: PLC0415

    if published:
        if manifests:
            raise ConfigError("verify: --published compares whole runs; no manifest is needed")
        raise typer.Exit(verify_published(json))
    raise typer.Exit(verify_results(manifests or [], seed, seconds, json))


@app.command(rich_help_panel=RUNS)
def export(
    run: Annotated[str, typer.Argument(help="The run's name.")],
    what: Annotated[
        What, typer.Option(help="The part to export; digests are those of config/published.")
    ],
    as_: Annotated[
        Format,
        typer.Option("--as", help="The format."),
    ] = "csv",
    game: Annotated[
        str | None,
        typer.Option(help="P-positions of this game only.", metavar="RULESET"),
    ] = None,
    bound: Annotated[
        int | None, typer.Option(min=0, help="P-positions with coordinates up to this only.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file; standard output by default.", metavar="FILE")
    ] = None,
    json: Json = False,
) -> None:
    """Export a run's P-positions, found statements or claims."""
    from choco_pipeline.cli.kept.export import export_run  # noqa: PLC0415

    export_run(run, what, as_, game, bound, out, json)


@app.command(rich_help_panel=RUNS)
def repair(
    manifests: Annotated[
        list[Path] | None,
        typer.Argument(help="Manifests (….done.json); all below results/ by default."),
    ] = None,
    json: Json = False,
) -> None:
    """Find damaged chunks in stored tables, and rebuild them.

    The exit code is 0 if nothing is damaged any more, and 1 if something could not be repaired.
    """
    from choco_pipeline.cli.kept.verify import repair_tables  # noqa: PLC0415

    raise typer.Exit(repair_tables(manifests or [], json))
