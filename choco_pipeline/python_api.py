"""Functions for programs and notebooks.

`choco_pipeline` exports them; they raise the errors of the commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, overload

import pandas as pd
import xarray as xr

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.quick_trial import Trial, trials
from choco_pipeline.cli.checking import (
    PROOF_SECONDS,
    claim_of,
    proof_trials,
    statement_trials,
    trials_for_all_parameters,
)
from choco_pipeline.cli.claim_pages import open_source
from choco_pipeline.cli.mine import mine_games
from choco_pipeline.cli.plan import plan_numbers
from choco_pipeline.cli.prove import claim_to_prove
from choco_pipeline.cli.run import run as run_pipeline
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError, ConfigError
from choco_pipeline.finding.statement import FoundDocument, FoundStatement
from choco_pipeline.formula import parse_range
from choco_pipeline.games import Ruleset, as_game
from choco_pipeline.proof.games.guess import Relation, SearchSize
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.games.prover import prove as prove_automata
from choco_pipeline.report.exports import row_frame, verdict_frame
from choco_pipeline.sweep.expand import load_config
from choco_pipeline.sweep.ledger import Ledger, ledger_of
from choco_pipeline.sweep.run_files import RESULTS, Paths
from choco_pipeline.tables.spec import Quantity
from choco_pipeline.tables.store import read_table, store_of


@dataclass(frozen=True)
class Run:
    """The results of a run in ``results/NAME``.

    Attributes
    ----------
    name
        Its name in the configuration.
    """

    name: str

    @property
    def ledger(self) -> Ledger:
        """All results on claims and tables.

        Raises `ConfigError` if there is no such run.
        """
        return ledger_of(self.name)

    @property
    def claims(self) -> pd.DataFrame:
        """A row for each claim, with its source and its outcome."""
        return row_frame(self.ledger)

    @property
    def verdicts(self) -> pd.DataFrame:
        """A row for each check of a claim."""
        return verdict_frame(self.ledger)

    @property
    def statements(self) -> list[FoundStatement]:
        """The found statements, the strongest first."""
        return list(FoundDocument.read(Paths(RESULTS, self.name).found).statements)

    @property
    def report(self) -> Path:
        """The first page of its report."""
        return RESULTS / self.name / "report" / "index.html"


def run(config: str | Path = DEFAULT_CONFIG, *, workers: int | None = None) -> Run:
    """Run a configuration as ``choco run`` does, and return its results.

    Parameters
    ----------
    config
        The file.
    workers
        Processes that compute; one for each core by default.

    Raises
    ------
    ChocoError
        If a job fails, or the configuration cannot be used.
    """
    name = load_config(Path(config))[0].run
    code = run_pipeline(Path(config), workers=workers)
    if code:
        raise ChocoError(f"the run {name!r} has ended with exit code {code}; see its log")
    return Run(name)


def plan(config: str | Path = DEFAULT_CONFIG, *, workers: int | None = None) -> dict[str, Any]:
    """Return the size and the cost of a run, as ``choco plan --json`` prints them.

    Parameters
    ----------
    config
        The file.
    workers
        As for `run`.

    Returns
    -------
    dict
        Numbers of tables, positions and claims, bytes and seconds: of each sweep, in ``total``, and ``expected`` of the run.

    Raises
    ------
    ChocoError
        If the configuration cannot be used.
    """
    return plan_numbers(Path(config), None, workers, None)[2]


def open_table(run: str, ruleset: str | Ruleset, quantity: Quantity | None = None) -> xr.Dataset:
    """Return the largest stored table of a game in a run, and verify it.

    Parameters
    ----------
    run
        The run's name.
    ruleset
        The game, or its notation.
    quantity
        ``grundy`` or ``p-positions``; by default any of them.

    Raises
    ------
    ConfigError
        If the run has no such table.
    StoreError
        If it is damaged.
    """
    game = as_game(ruleset)
    entries = [
        entry
        for entry in ledger_of(run).tables
        if entry["identity"] == game.identity and quantity in (None, entry["quantity"])
    ]
    if not entries:
        raise ConfigError(f"run {run!r} has no table of {game.notation}")
    entry = max(entries, key=lambda stored: int(stored["bound"]))
    path = Paths(RESULTS, run).manifest(entry["shard"])
    return read_table(store_of(path, read_record(path)), entry["id"], entry)


def load_claims(*files: str | Path) -> Catalogue:
    """Return the claims in files; by default those of all papers."""
    return open_source([*map(Path, files)]).catalogue


def check(
    claim: str | Claim | Ruleset | None,
    statement: str | None = None,
    *,
    bound: int | None = None,
    prove: bool = False,
    **given: int | str,
) -> list[Trial]:
    """Check a statement about a game, or a claim, at once.

    This is ``choco check`` and ``choco claims check``.

    Parameters
    ----------
    claim
        With a statement: the game, or its notation; None for a statement about integers. Alone: a claim's id in the
        papers' files, or one of `load_claims`.
    statement
        In the language of docs/statements.md.
    bound
        Of the tables, instead of the sample's; in a statement about integers, the value of N.
    prove
        Look for proofs instead.
    **given
        Values of parameters, or ranges such as ``"2..20 step 2"``.

    Returns
    -------
    list of Trial
        One for each game: ``parameters``, ``ruleset``, ``verdict``, ``text``, and the ``finding`` with its evidence.

    Raises
    ------
    ChocoError
        If the statement cannot be read, a value is missing, or a table would be too large.

    Examples
    --------
    >>> from choco_pipeline import check
    >>> [(one.parameters, one.verdict) for one in check("triangular-thm-7.3", k=3, bound=20)]
    [({'k': 3}, 'holds-to-bound')]
    >>> trials = check("solid-bar(f=(x+z)//k)", "P <=> x ^ y ^ z == 0", k="2..3", bound=20)
    >>> [(one.parameters, one.verdict) for one in trials]
    [({'k': 2}, 'refuted'), ({'k': 3}, 'holds-to-bound')]
    """
    values = {
        name: value if isinstance(value, int) else parse_range(value, names=())
        for name, value in given.items()
    }
    if statement is not None:
        if isinstance(claim, Claim):
            raise ConfigError("check: with a statement, a game is needed, not a claim")
        stated = claim_of(claim.notation if isinstance(claim, Ruleset) else claim, statement)
        return list(statement_trials(stated, values, bound, PROOF_SECONDS, prove=prove))
    catalogue = load_claims()
    if not isinstance(claim, str | Claim):
        raise ConfigError("check: a game needs a statement, such as 'P <=> x == z'")
    if isinstance(claim, str):
        if claim not in catalogue.claims:
            raise ConfigError(catalogue.unknown(claim))
        claim = catalogue.claims[claim]
    if prove:
        return list(proof_trials(claim, catalogue, values, PROOF_SECONDS))
    return list(trials(claim, values, bound))


@overload
def prove(
    ruleset: Ruleset | str,
    what: Relation = ...,
    seconds: float = ...,
    size: SearchSize | None = ...,
) -> Proof: ...
@overload
def prove(
    ruleset: Ruleset | str, what: str, seconds: float = ..., *, condition: str | None
) -> Trial: ...
def prove(
    ruleset: Ruleset | str,
    what: str = "p",
    seconds: float = PROOF_SECONDS,
    size: SearchSize | None = None,
    *,
    condition: str | None = None,
) -> Proof | Trial:
    """Prove automata of a game, or a statement about a game or a family.

    This is ``choco prove``.

    Parameters
    ----------
    ruleset
        The game, or the notation of a family, in which names stand for integers.
    what
        ``p`` or ``grundy``, for automata of the P-positions or the Grundy numbers; or a statement, ``P <=> …`` or ``G == …``.
    seconds
        Time limit.
    size
        Limits of the search for automata: tables to 15 binary digits by default.
    condition
        With a statement about a family: the parameters for which it is proved, such as ``k % 4 == 1``.

    Returns
    -------
    Proof
        For automata: ``proved`` or ``undecided``.
    Trial
        For a statement; its ``verdict`` is ``proved`` only if the checker has accepted a certificate.

    Raises
    ------
    ChocoError
        If the game, the statement or the condition cannot be read or is outside the method.
    DisagreementError
        If two engines, or an engine and the definition, contradict each other.

    Examples
    --------
    >>> from choco_pipeline import StripBar, prove
    >>> proof = prove(StripBar(k=4, s=2))
    >>> proof.status, proof.states
    ('proved', (17,))
    """
    for relation in get_args(Relation):
        if what == relation:
            return prove_automata(ruleset, relation, seconds, size)
    notation = ruleset.notation if isinstance(ruleset, Ruleset) else ruleset
    claim = claim_to_prove(notation, what, condition)
    if condition is None:
        (trial,) = statement_trials(claim, {}, None, seconds, prove=True)
    else:
        claim = Claim.from_json({**claim.as_json(), "for_all": condition})
        (trial,) = trials_for_all_parameters(claim, Catalogue({claim.id: claim}), seconds)
    return trial


def mine(
    ruleset: str | Ruleset,
    *,
    bound: int | None = None,
    quantity: Quantity | None = None,
    what: Sequence[str] = (),
    **ranges: int | str,
) -> list[FoundStatement]:
    """Search the tables of a game or a family, as ``choco mine`` does.

    Parameters
    ----------
    ruleset
        A game; or the notation of a family, in which names stand for integers.
    bound, quantity, what
        As the options of the command.
    **ranges
        Values of these names: an integer, or a range such as ``"2..8"``.

    Returns
    -------
    list of FoundStatement
        The strongest first.
    """
    notation = ruleset if isinstance(ruleset, str) else ruleset.notation
    words = [notation, *(f"{name}={value}" for name, value in ranges.items())]
    *_, document = mine_games(words, bound, quantity, what)
    return list(document.statements)
