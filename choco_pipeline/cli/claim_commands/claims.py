"""``choco claims``: list, show, check and write claims."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from choco_pipeline.claims.conclusions.conclusion import Outcome
from choco_pipeline.claims.language.claims_file import Status
from choco_pipeline.cli.output import CommandSections, Json, emit
from choco_pipeline.commands import CHOCO, command
from choco_pipeline.documents.files import write_text
from choco_pipeline.errors import ConfigError

app = typer.Typer(
    name="claims",
    cls=CommandSections,
    help="Claims of the papers: list, show, check at once, or write claims of your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
#: Time limits in seconds of all trials of a claim, and of each proof.
CHECK_SECONDS, PROOF_SECONDS = 10, 60
TEMPLATE = Path(__file__).parent / "claims_template.yaml"

Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--file",
        help="A claims file (repeatable); all in config/claims/ by default.",
        metavar="FILE",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        help="Use the claims files of a configuration, and the results of its last run;"
        " config/config.yaml's last run by default.",
        metavar="CONFIG",
    ),
]


@app.command("list")
def list_(
    paper: Annotated[str | None, typer.Option(help="Only claims of this paper's key.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only claims with this status.")] = None,
    verdict: Annotated[
        Outcome | None, typer.Option(help="Only claims with this verdict in the last run.")
    ] = None,
    file: Files = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """List claims, paper by paper, with the verdict of the last run."""
    from choco_pipeline.cli.claim_commands.claim_pages import list_claims, open_source  # noqa: PLC0415

    list_claims(open_source(file or [], config), paper, status, verdict, json)


@app.command()
def show(
    claim: Annotated[str, typer.Argument(help="The claim's id.", metavar="ID")],
    file: Files = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Show one claim: in words, as formulas, and with the last run's results."""
    from choco_pipeline.cli.claim_commands.claim_pages import open_source, show_claim  # noqa: PLC0415

    show_claim(open_source(file or [], config), claim, json)


@app.command()
def check(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids of claims, and values for their parameters: k=3, or k=2..20 step 2.",
            metavar="ID… [NAME=VALUE…]",
        ),
    ] = None,
    bound: Annotated[
        int | None, typer.Option(min=0, help="Bound of the tables, instead of the sample's.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All claims.")] = False,
    proofs: Annotated[
        bool,
        typer.Option(
            "--proofs",
            help="Instead: check the certificates of the last run again; exit code 0 only if all of them prove their"
            " claims.",
        ),
    ] = False,
    prove: Annotated[
        bool,
        typer.Option(
            "--prove",
            help="Instead: prove them, for all parameters or integers at once if they have `for_all` or are about integers,"
            " else for each game of the sample or the given values; exit code 0 only if everything is proved.",
        ),
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="Seconds of computing, after which a claim's trials, or a proof, are ended and left undecided."
            f" {CHECK_SECONDS} by default, {PROOF_SECONDS} for a proof.",
        ),
    ] = None,
    file: Files = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Check claims at once on tables, or by proof; exit code 1 if any is refuted."""
    from choco_pipeline.cli.claim_commands.claim_pages import open_source  # noqa: PLC0415
    from choco_pipeline.cli.claim_commands.claim_trials import (  # noqa: PLC0415
        check_claims,
        prove_claims,
        repeat_proofs,
    )

    source = open_source(file or [], config)
    if proofs or prove:
        if everything or bound is not None or (proofs and prove):
            option = "--proofs" if proofs else "--prove"
            raise ConfigError(
                f"{option} cannot be combined with --all, with a bound, or with the other of these two"
            )
        again = repeat_proofs if proofs else prove_claims
        raise typer.Exit(again(source, words or [], seconds or PROOF_SECONDS, json))
    limit = seconds or CHECK_SECONDS
    code = check_claims(source.catalogue, words or [], bound, limit, json, everything=everything)
    raise typer.Exit(code)


@app.command()
def new(
    file: Annotated[
        Path | None,
        typer.Argument(help="Where to write it; printed by default.", metavar="[FILE]"),
    ] = None,
    json: Json = False,
) -> None:
    """Write a claims file to start from, with a comment on every part."""
    text = TEMPLATE.read_text(encoding="utf-8").replace("{choco}", CHOCO, 1)
    if file is not None:
        _write_new(file, text)
    if json:
        emit({"file": None if file is None else file.as_posix(), "text": text})
    elif file is None:
        print(text, end="")
    else:
        again = command("claims", "check", "--all", "--file", file)
        print(f"{file}: written. Now: {again}")


def _write_new(file: Path, text: str) -> None:
    from choco_pipeline.games.description import inside  # noqa: PLC0415
    from choco_pipeline.sweep.run_files import PROJECT  # noqa: PLC0415

    inside(PROJECT, str(file))
    if file.suffix not in (".yaml", ".yml"):
        raise ConfigError(f"{file}: a claims file is a YAML file, its name ends with .yaml")
    if file.exists() or file.is_symlink():
        raise ConfigError(f"{file}: the file exists; name another one, nothing is overwritten")
    write_text(file, text)
