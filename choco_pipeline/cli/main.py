"""The command line: all commands, for people and for the workflow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from choco_pipeline.cli import jobs
from choco_pipeline.cli.claim_commands import claims
from choco_pipeline.cli.kept import kept_commands
from choco_pipeline.cli.output import (
    CLAIMS,
    GAMES,
    RUNS,
    SETTINGS,
    THIS_PROGRAM,
    CommandSections,
    Json,
    emit,
)
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.errors import ChocoError
from choco_pipeline.tables.spec import Quantity

app = typer.Typer(
    name="choco",
    cls=CommandSections,
    help="Conjecture search for impartial chocolate-bar games.",
    no_args_is_help=True,
    **SETTINGS,
)


ConfigFile = Annotated[Path, typer.Argument(help="The configuration.", metavar="[CONFIG]")]
ClusterName = Annotated[
    str | None,
    typer.Option(help="Compute on the cluster of config/clusters/NAME.yaml.", metavar="NAME"),
]
NumberOfWorkers = Annotated[
    int | None,
    typer.Option(
        "--workers", help="Dask worker processes on this machine; one for each core by default."
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Use a running Dask cluster: its address, or its scheduler file."),
]


def _show_version(is_given: bool) -> None:
    if is_given:
        from choco_pipeline.provenance import package_version  # noqa: PLC0415

        print(f"choco {package_version()}")
        raise typer.Exit


@app.callback()
def every_command(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Define the options before a command."""


@app.command(rich_help_panel=RUNS)
def run(
    config: ConfigFile = Path(DEFAULT_CONFIG),
    cluster: ClusterName = None,
    workers: NumberOfWorkers = None,
    scheduler: Scheduler = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would run.")] = False,
    json: Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print a paragraph for each result.")
    ] = False,
) -> None:
    """Run the sweeps of a configuration, and print a summary."""
    from choco_pipeline.cli.running.run import run as run_config  # noqa: PLC0415 -- each command imports what it needs

    raise typer.Exit(
        run_config(
            config,
            cluster=cluster,
            workers=workers,
            scheduler=scheduler,
            dry_run=dry_run,
            json=json,
            verbose=verbose,
        )
    )


@app.command(rich_help_panel=RUNS)
def plan(
    config: ConfigFile = Path(DEFAULT_CONFIG),
    cluster: ClusterName = None,
    workers: NumberOfWorkers = None,
    scheduler: Scheduler = None,
    json: Json = False,
) -> None:
    """Show tables, positions, memory, disk and time before anything runs."""
    from choco_pipeline.cli.plan import show_plan  # noqa: PLC0415

    show_plan(config, cluster=cluster, workers=workers, scheduler=scheduler, json=json)


@app.command(rich_help_panel=GAMES)
def value(
    ruleset: Annotated[str, typer.Argument(help="For example 'solid-bar(f=(x+z)//3)'.")],
    position: Annotated[list[int], typer.Argument(help="Its coordinates; passes left come last.")],
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Answer by the automata in a certificate of `choco prove` or of a run: coordinates may have any size."
            " Certificates of a run are found without this option, if they are needed.",
            metavar="FILE",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Print a position's Grundy number, P or N, and every winning option, drawn."""
    from choco_pipeline.cli.value import show_value  # noqa: PLC0415

    show_value(ruleset, tuple(position), json, certificate)


@app.command(rich_help_panel=GAMES)
def mine(
    words: Annotated[
        list[str],
        typer.Argument(
            help="A ruleset, and values for the names in it: 'strip-bar(k=k, s=s)' k=2..8 s=0..k-1.",
            metavar="RULESET [NAME=VALUE…]",
        ),
    ],
    bound: Annotated[int | None, typer.Option(help="Bound of the tables.")] = None,
    quantity: Annotated[
        Quantity | None,
        typer.Option(
            help="P-positions by default; Grundy numbers for step bars, and both for one heap."
        ),
    ] = None,
    what: Annotated[
        list[str] | None,
        typer.Option(
            help="formulas, value-sets, symmetric, lines, counts, cellular or blocks; may be repeated. By default, all of them, and relations to other games."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Search a game's or a family's tables for regularities, and test them."""
    from choco_pipeline.cli.mine import mine as mine_games  # noqa: PLC0415

    raise typer.Exit(mine_games(words, bound, quantity, what or [], json))


@app.command(rich_help_panel=GAMES, context_settings={"ignore_unknown_options": True})
def check(
    words: Annotated[
        list[str],
        typer.Argument(
            help="A ruleset and a statement, 'solid-bar(f=(x+z)//k)' 'P <=> x ^ y ^ z == 0', and values for the names in"
            " the ruleset, k=1..9. A statement about integers has no ruleset.",
            metavar="[RULESET] STATEMENT [NAME=VALUE…]",
        ),
    ],
    bound: Annotated[
        int | None, typer.Option(help="Bound of the tables; of integers, the value of N.")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Look for proofs for all positions instead.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(help="With --prove: seconds of computing for each game.")
    ] = 60.0,
    json: Json = False,
) -> None:
    """Check a statement about a game, and show the least counterexample.

    The exit code is 0 if it holds up to the bound or is proved, 1 if it is refuted, undecided or vacuous, and 2 for a mistake
    in the input.
    """
    from choco_pipeline.cli.statement_check import check as check_statement  # noqa: PLC0415

    raise typer.Exit(check_statement(words, bound, seconds, json, prove=prove))


@app.command(rich_help_panel=GAMES)
def heights(
    side: Annotated[int, typer.Option(help="The largest x, and the largest z.")] = 3,
    height: Annotated[int, typer.Option(help="The largest height.")] = 2,
    json: Json = False,
) -> None:
    """Classify monotone height functions by G = x⊕y⊕z, or P iff x⊕y⊕z = 0."""
    from choco_pipeline.cli.mine import mine_heights  # noqa: PLC0415

    raise typer.Exit(mine_heights(side, height, json))


@app.command(rich_help_panel=GAMES)
def prove(
    ruleset: Annotated[
        str | None, typer.Argument(help="For example 'with-pass(strip-bar(k=4, s=2), passes=1)'.")
    ] = None,
    statement: Annotated[
        str | None,
        typer.Argument(
            help="The statement to prove, 'P <=> x ^ y ^ z == 0' or 'G == (y ^ (z+1)) - 1', also about some positions:"
            " 'size <= 20 => (P <=> x == z)'. Without a statement, automata are found and proved.",
        ),
    ] = None,
    relation: Annotated[
        str | None,
        typer.Option(
            help="Without a statement: p, the P-positions, or grundy, the Grundy numbers; p by default."
        ),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(help="Check a certificate again instead.", metavar="FILE")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the certificate.", metavar="DIR")] = Path(
        "results/proofs"
    ),
    seconds: Annotated[
        float,
        typer.Option(help="Seconds of computing, after which it is ended and left undecided."),
    ] = 60.0,
    memory: Annotated[
        float, typer.Option(help="GiB of memory, above which it is also ended.", metavar="GIB")
    ] = 4.0,
    condition: Annotated[
        str | None,
        typer.Option(
            "--for",
            help="Prove it for all natural parameters that satisfy a condition, such as 'k % 4 == 1'.",
            metavar="CONDITION",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Prove a game's P-positions or Grundy numbers, for all positions.

    With --for the statement is about a family of games, and is proved for all parameters at once.

    The exit code is 0 if it is proved, 1 if it is refuted or undecided, 2 for a mistake in the input, and 3 if two engines, or
    an engine and the definition, contradict each other.
    """
    from choco_pipeline.cli.prove import show_proof  # noqa: PLC0415
    from choco_pipeline.cli.prove_family import show_family  # noqa: PLC0415

    if condition is not None:
        raise typer.Exit(show_family(ruleset, statement, condition, out, seconds, memory, json))
    raise typer.Exit(show_proof(ruleset, relation, check, out, seconds, memory, json, statement))


@app.command(rich_help_panel=THIS_PROGRAM)
def doctor(cluster: ClusterName = None, json: Json = False) -> None:
    """Show the equipment of this machine, or of a cluster."""
    from choco_pipeline.cli.doctor import show_cluster, show_machine  # noqa: PLC0415

    if cluster is None:
        show_machine(json)
    else:
        show_cluster(cluster, json)


@app.command(rich_help_panel=THIS_PROGRAM)
def schema(
    reference: Annotated[
        bool,
        typer.Option(
            "--reference",
            help="The reference page of all keys instead, in Markdown; not with --claims.",
        ),
    ] = False,
    claims_files: Annotated[
        bool, typer.Option("--claims", help="The schema of claims files.")
    ] = False,
    games: Annotated[bool, typer.Option("--games", help="The schema of game files.")] = False,
    json: Json = False,
) -> None:
    """Print a JSON schema: of configurations, claims files or game files."""
    from choco_pipeline.claims.language import claims_file as of_claims  # noqa: PLC0415
    from choco_pipeline.games import games_reference as of_games  # noqa: PLC0415
    from choco_pipeline.sweep import config as of_configurations  # noqa: PLC0415

    pages = {
        (False, False): (of_configurations.json_schema, of_configurations.reference_page),
        (True, False): (of_claims.claims_schema, of_claims.claims_schema),
        (False, True): (of_games.games_schema, of_games.games_reference),
    }
    if claims_files and games:
        raise ChocoError("schema: either --claims or --games")
    if claims_files and reference:
        raise ChocoError("schema: the page on claims files is docs/statements.md")
    schema_of, page_of = pages[claims_files, games]
    if not reference:
        print(schema_of(), end="")
    elif json:
        emit({"reference": page_of()})
    else:
        print(page_of(), end="")


@app.command(rich_help_panel=THIS_PROGRAM)
def version(json: Json = False) -> None:
    """Print the versions that are stored with results."""
    from choco_pipeline.provenance import versions  # noqa: PLC0415

    known = versions()
    if json:
        emit(known)
    else:
        print("\n".join(f"{name} {number}" for name, number in known.items()))


app.add_typer(kept_commands.app)
app.add_typer(claims.app, rich_help_panel=CLAIMS)
app.add_typer(jobs.app)
