"""The command line: all commands, for people and for the workflow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from choco_pipeline.claims.conclusions.conclusion import Outcome
from choco_pipeline.claims.language.claims_file import Status
from choco_pipeline.cli import jobs
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
from choco_pipeline.commands import CHOCO, DEFAULT_CONFIG, command
from choco_pipeline.documents.files import write_text
from choco_pipeline.errors import ChocoError, ConfigError
from choco_pipeline.report import Format, What
from choco_pipeline.tables.spec import Quantity

app = typer.Typer(
    name="choco",
    cls=CommandSections,
    help="Conjecture search for impartial chocolate-bar games.",
    no_args_is_help=True,
    **SETTINGS,
)
claims_app = typer.Typer(
    name="claims",
    cls=CommandSections,
    help="Claims of the papers: list, show, check at once, or write claims of your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
#: Time limits in seconds of all trials of a claim, and of each proof.
CHECK_SECONDS, PROOF_SECONDS = 10, 60
TEMPLATE = Path(__file__).parent / "claims_template.yaml"

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
    from choco_pipeline.cli.run import run as run_config  # noqa: PLC0415 -- each command imports what it needs

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
    from choco_pipeline.cli.checking import check as check_statement  # noqa: PLC0415

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
        Literal["p", "grundy"] | None,
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
    from choco_pipeline.cli.prove import show_check, show_family, show_proof  # noqa: PLC0415

    if check is not None and ruleset is None and condition is None:
        raise typer.Exit(show_check(check, seconds, memory, json))
    if condition is not None and statement is None:
        raise ChocoError("prove: --for needs a ruleset and a statement, such as 'P <=> x == z'")
    if ruleset is None or check is not None:
        raise ChocoError("prove: give either a ruleset or --check with a certificate")
    if condition is not None and statement is not None:
        raise typer.Exit(show_family(ruleset, statement, condition, out, seconds, memory, json))
    raise typer.Exit(show_proof(ruleset, statement, relation, out, seconds, memory, json))


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
    from choco_pipeline.cli.stored import verify_published, verify_results  # noqa: PLC0415

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
    from choco_pipeline.cli.stored import export_run  # noqa: PLC0415

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
    from choco_pipeline.cli.stored import repair_tables  # noqa: PLC0415

    raise typer.Exit(repair_tables(manifests or [], json))


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
    from choco_pipeline.games import game_file as of_games  # noqa: PLC0415
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


@claims_app.command("list")
def list_claims(
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
    from choco_pipeline.cli import claim_pages  # noqa: PLC0415

    claim_pages.list_claims(
        claim_pages.open_source(file or [], config), paper, status, verdict, json
    )


@claims_app.command("show")
def show_claim(
    claim: Annotated[str, typer.Argument(help="The claim's id.", metavar="ID")],
    file: Files = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Show one claim: in words, as formulas, and with the last run's results."""
    from choco_pipeline.cli import claim_pages  # noqa: PLC0415

    claim_pages.show_claim(claim_pages.open_source(file or [], config), claim, json)


@claims_app.command("check")
def check_claims(
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
    from choco_pipeline.cli import checking  # noqa: PLC0415
    from choco_pipeline.cli.claim_pages import open_source  # noqa: PLC0415

    source = open_source(file or [], config)
    if (proofs or prove) and (everything or bound is not None or (proofs and prove)):
        raise ConfigError(
            "--proofs and --prove cannot be combined with --all, with a bound, or with each other"
        )
    by_default = PROOF_SECONDS if proofs or prove else CHECK_SECONDS
    asked = (source.catalogue, words or [], bound, seconds or by_default, json)
    by: checking.By = "certificates" if proofs else "proofs" if prove else "tables"
    code = checking.check_claims(*asked, by=by, everything=everything, verdicts=source.verdicts)
    raise typer.Exit(code)


@claims_app.command("new")
def new_claims(
    file: Annotated[
        Path | None,
        typer.Argument(help="Where to write it; printed by default.", metavar="[FILE]"),
    ] = None,
    json: Json = False,
) -> None:
    """Write a claims file to start from, with a comment on every part."""
    text = TEMPLATE.read_text(encoding="utf-8").replace("{choco}", CHOCO, 1)
    if file is not None:
        from choco_pipeline.games.description import inside  # noqa: PLC0415
        from choco_pipeline.sweep.run_files import PROJECT  # noqa: PLC0415

        inside(PROJECT, str(file))
        if file.suffix not in (".yaml", ".yml"):
            raise ConfigError(f"{file}: a claims file is a YAML file, its name ends with .yaml")
        if file.exists() or file.is_symlink():
            raise ConfigError(f"{file}: the file exists; name another one, nothing is overwritten")
        write_text(file, text)
    if json:
        emit({"file": None if file is None else file.as_posix(), "text": text})
    elif file is None:
        print(text, end="")
    else:
        again = command("claims", "check", "--all", "--file", file)
        print(f"{file}: written. Now: {again}")


app.add_typer(claims_app, rich_help_panel=CLAIMS)
app.add_typer(jobs.app)
