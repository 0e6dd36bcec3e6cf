"""Claims as pages show them: verdicts, evidence, counterexamples, pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from choco_pipeline.claims.conclusions.conclusion import (
    SIGNS,
    ClaimPair,
    ClaimRow,
    Decided,
    Outcome,
    PairKind,
    words_of,
)
from choco_pipeline.claims.conclusions.rows import (
    ENGINES,
    NOT_ASSERTED,
    engines_text,
    enumerated,
    few_words,
)
from choco_pipeline.claims.language.claims_file import LedgerClaim, Paper
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Counterexample,
    FalseEverywhere,
    VerdictKind,
    place_text,
    verdict_detail,
)
from choco_pipeline.commands import command
from choco_pipeline.errors import RulesetError
from choco_pipeline.formula.ranges import parse_range
from choco_pipeline.formula.written.math_text import math_text, range_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.pictures import draw_svg
from choco_pipeline.sweep.ledger import Ledger

Document = Mapping[str, Any]

#: Evidence that other parts of a page show.
SHOWN_ELSEWHERE = ("all_choices", "reach", "true_up_to", "best_possible", "false_at")

LABELS = {
    "abstract_states": "states of the control",
    "among": "positions in the statement",
    "bound": "checked up to bound",
    "cases": "cases of the family",
    "choices": "choices of integers",
    "conditions": "conditions written anew for the check",
    "count": "number of values",
    "counted": "number found",
    "engines": "engines that agree",
    "failures": "number of failures",
    "first_values": "first members of the set of values",
    "free": "coordinate without a bound",
    "functions": "height functions",
    "growth": "growth with the bound",
    "image": "set of values",
    "image_states": "states of the automaton of the values",
    "alone": "members proved by the checker alone",
    "members": "members of the family that agree with the definition",
    "missing": "members of the claimed set not found",
    "missing_count": "number of members not found",
    "negative_values": "negative values",
    "no_answer": "engines without an answer",
    "order": "order of the octahedron",
    "p_positions": "P-positions",
    "squares": "squares of the section",
    "states": "states of the automaton",
    "tables": "members compared with tables in the check",
    "values": "values found, smallest first",
    "vertices": "single points of the section",
    "with_formula": "functions with the formula",
    "with_property": "functions with the property",
    "without_reach": "without its bound",
}


@dataclass(frozen=True)
class EvidenceTable:
    """Evidence in a table."""

    head: Sequence[str]
    rows: Sequence[Sequence[object]]


EvidenceValue = str | int | Markup | Sequence[int | str | Markup] | EvidenceTable


def evidence_rows(evidence: Document) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield the label and the value of each part of the evidence.

    Examples
    --------
    >>> list(evidence_rows({"engines": ["own", "z3"], "no_answer": {"checker": "the time is over"}, "missing": []}))
    [('engines that agree', 'ours and z3'), ('engines without an answer', ['the checker: the time is over'])]
    >>> list(evidence_rows({"negative_values": False, "failures": 7}))
    [('negative values', 'no'), ('number of failures', 7)]
    """
    for key, value in evidence.items():
        if key in SHOWN_ELSEWHERE or value in ([], {}):
            continue
        match key:
            case "follows_from":
                yield from _derivation(value)
            case "every_member":
                yield from _every_member(value)
            case "growth":
                head = ("bound", "values", "largest", "all members found up to")
                steps = [
                    [step[of] for of in ("bound", "count", "largest", "frontier")] for step in value
                ]
                yield LABELS[key], EvidenceTable(head, steps)
            case "engines":
                yield LABELS[key], enumerated([ENGINES.get(name, name) for name in value])
            case _:
                yield LABELS.get(key, key.replace("_", " ")), _plain(value)


def _plain(value: Any) -> EvidenceValue:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int() | str():
            return value
        case {}:
            return [f"{ENGINES.get(name, name)}: {text}" for name, text in value.items()]
        case _:
            return list(value)


def _every_member(named: Document) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield the domain of a refutation, its positions and engines."""
    every = FalseEverywhere.model_validate(named)
    yield "false for", every.text
    yield "it contradicts itself at", list(every.positions)
    yield "engines that agree on that", enumerated([ENGINES.get(n, n) for n in every.engines])


def _derivation(derivation: Document) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield the premises, lemmas, hypotheses and steps of a derivation."""
    link = Markup('<a href="{0}.html">{0}</a>')
    yield (
        "follows from",
        [
            link.format(premise["claim"]) + f", proved for {premise['for_all']}"
            for premise in _premises(derivation)
        ],
    )
    if derivation["lemmas"]:
        yield "by", enumerated(derivation["lemmas"])
    if derivation["hypotheses"]:
        yield "where", list(derivation["hypotheses"])
    yield "so that it is known", derivation["known"]
    rows = [
        [
            f"{step['says']} ({step['for']})" if step["for"] else step["says"],
            enumerated([ENGINES.get(name, name) for name in step["engines"]]),
            step["states"],
        ]
        for step in derivation["steps"]
    ]
    # One sentence may be a step of each of two formulas of the statement.
    distinct = [row for i, row in enumerate(rows) if row not in rows[:i]]
    sentences = EvidenceTable(("sentence, decided", "engines", "states"), distinct)
    yield "from which it follows", sentences


def _premises(derivation: Document) -> Iterator[Document]:
    """Yield the premises and their premises, in the order of the chain."""
    for premise in derivation["premises"]:
        yield premise
        if premise["follows_from"] is not None:
            yield from _premises(premise["follows_from"])


#: A table of the ledger.
Table = Mapping[str, Any]

#: Two parameters with at least this many cells are laid out as a grid.
GRID_CELLS = 9


@dataclass(frozen=True)
class Cell:
    """One verdict and its evidence."""

    #: Id of the evidence on the page.
    anchor: str
    #: The parameters, and the bound if another cell has the same parameters; "" for the only cell of a claim without
    #: parameters.
    label: str
    #: The verdict's name in the ledger, its sign, and the words in the cell.
    verdict: VerdictKind
    symbol: str
    words: str
    #: The verdict as in the ledger.
    document: ClaimVerdict
    #: The game and its table; "" and None for a claim over several tables or none.
    ruleset: str
    table: str | None
    counterexample: CounterexampleView | None
    #: Pairs of a label and its value.
    evidence: list[tuple[str, EvidenceValue]]
    #: Pairs of a purpose and a command.
    commands: list[tuple[str, str]]

    @property
    def line(self) -> str:
        """The verdict in one line, without the word for its sign."""
        document = self.document
        return (
            document.text if document.for_all is not None else verdict_detail(document.as_verdict)
        )

    @property
    def is_plain(self) -> bool:
        """Whether one line of a table is enough for it."""
        return (
            self.counterexample is None
            and not self.document.is_by_proof
            and all(isinstance(value, int | str) for _, value in self.evidence)
        )


@dataclass(frozen=True)
class Grid:
    """The cells of a claim with two parameters, one down and one across."""

    down: str
    across: str
    columns: list[int]
    rows: list[tuple[int, list[Cell | None]]]


def cell_of(
    anchor: str,
    label: str,
    verdict: ClaimVerdict,
    tables: Mapping[str, Table],
    row: ClaimRow,
    *,
    drawn: bool,
) -> Cell:
    """Return the cell of a verdict."""
    symbol, words = SIGNS[verdict.verdict]
    if verdict.verdict == "holds-to-bound":
        words = f"to {verdict.bound:,}"
    if verdict.verdict == "exhausted":
        words = "all cases"
    table = tables.get(verdict.table or "")
    ruleset = table["ruleset"] if table else ""
    refutes = verdict.counterexample
    return Cell(
        anchor,
        label,
        verdict.verdict,
        symbol,
        words,
        verdict,
        ruleset,
        verdict.table,
        counterexample_view(refutes, ruleset, drawn=drawn) if refutes else None,
        list(evidence_rows(verdict.evidence)),
        _commands(verdict, ruleset, row),
    )


def labels(verdicts: Sequence[ClaimVerdict]) -> list[str]:
    """Return the parameters of each verdict, with bound or proof if not unique."""
    names = ["all at once" if v.for_all is not None else assigned(v.parameters) for v in verdicts]
    times = Counter(names)
    labelled = []
    for name, verdict in zip(names, verdicts, strict=True):
        check = "" if verdict.bound is None else f"bound {verdict.bound}"
        if verdict.is_by_proof:
            every = verdict.false_everywhere is not None
            check = "by a proof for every member" if every else "by proof"
        labelled.append(name if times[name] == 1 else ", ".join(filter(None, (name, check))))
    return labelled


def grid_of(cells: Sequence[Cell]) -> Grid | None:
    """Lay cells out by two integer parameters, if a grid is readable."""
    cells = [cell for cell in cells if cell.document.for_all is None]
    names = {tuple(cell.document.parameters) for cell in cells}
    if len(cells) < GRID_CELLS or len(names) != 1 or len(next(iter(names))) != 2:
        return None
    down, across = next(iter(names))
    places = {
        (cell.document.parameters[down], cell.document.parameters[across]): cell for cell in cells
    }
    if len(places) < len(cells):
        return None
    columns = sorted({b for _, b in places})
    rows = [(a, [places.get((a, b)) for b in columns]) for a in sorted({a for a, _ in places})]
    # A grid that is mostly empty reads worse than a list.
    if len(rows) * len(columns) > 3 * len(cells):
        return None
    return Grid(down, across, columns, rows)


def _commands(verdict: ClaimVerdict, ruleset: str, row: ClaimRow) -> list[tuple[str, str]]:
    commands = []
    if verdict.command is not None:
        follows = "follows_from" in verdict.evidence
        return [("repeats the proof", row.command if follows else verdict.command)]
    check = row.check
    refutes = verdict.counterexample
    if ruleset and refutes and refutes.position is not None:
        commands.append(("shows the position", command("value", ruleset, *refutes.position)))
    if verdict.is_by_proof and verdict.is_proved:
        certificate = verdict.certificate
        if certificate is None:  # of a statement on integers: the command that decides it again
            return [("repeats the proof", check)]
        rests_on = command("prove", "--check", certificate)
        return [("checks what it rests on", rests_on), ("repeats the proof", f"{check} --proofs")]
    # The shape of an uncut rectangular bar is its own bound; across tables there is no single one.
    bound = f"--bound {verdict.bound}" if ruleset and verdict.bound else ""
    given = [f"{name}={value}" for name, value in verdict.parameters.items()]
    return [*commands, ("repeats the check", " ".join([check, *given, bound]).strip())]


@dataclass(frozen=True)
class CounterexampleView:
    """A counterexample."""

    #: Its coordinates, or the integers, by name; "" if the claim is not about single positions.
    place: str
    #: The facts there, and the claim that they contradict.
    found: str
    claimed: str
    #: The winning move in words; "" if there is none.
    option: str
    #: The reason of the facts; "" if it is not known.
    because: str
    #: The position drawn; empty for integers, and without drawings.
    picture: Markup


def counterexample_view(
    refutes: Counterexample, ruleset: str, *, drawn: bool
) -> CounterexampleView:
    """Return the view of a counterexample; a statement on integers has no ruleset."""
    position, option = refutes.position, refutes.option
    picture = Markup()
    if drawn and ruleset and position is not None:
        with suppress(RulesetError):  # a height table that is missing here
            picture = Markup(draw_svg(parse_ruleset(ruleset), position, option))
    return CounterexampleView(
        "" if position is None else place_text(refutes.coordinates, position),
        refutes.found,
        refutes.claimed,
        _move(refutes.coordinates, position, option) if position and option else "",
        refutes.reason or "",
        picture,
    )


def _move(names: Sequence[str], before: Sequence[int], after: Sequence[int]) -> str:
    """Return the coordinates that a move changes.

    Examples
    --------
    >>> _move(["y", "z"], [2, 5], [1, 3])
    'y from 2 to 1, z from 5 to 3'
    """
    return ", ".join(
        f"{name} from {old} to {new}"
        for name, old, new in zip(names, before, after, strict=True)
        if old != new
    )


#: Number of drawn counterexamples of one claim, including the least.
MOST_DRAWN = 3


@dataclass(frozen=True)
class ClaimView:
    """A claim with the results of the run."""

    #: Both as in the ledger.
    claim: LedgerClaim
    row: ClaimRow
    #: The outcome's sign, and the outcome in a few words.
    symbol: str
    words: str
    #: The formal statement: pairs of a label and a formula.
    formal: list[tuple[str, str]]
    #: One for each verdict, by their parameters.
    cells: list[Cell]
    #: The cell whose counterexample decides; None if the claim is not refuted.
    decisive: Cell | None
    grid: Grid | None
    #: For a statement with a bound of its own: the comparison with larger bounds.
    reach: ReachTable | None

    @property
    def verdict(self) -> Outcome:
        """The outcome of the claim, from its row of the ledger."""
        return self.row.verdict

    @property
    def is_open(self) -> bool:
        """Whether the claim is a conjecture, not a theorem or an example."""
        return self.claim.status == "conjecture"

    @property
    def is_asserted(self) -> bool:
        """Whether a paper asserts it: it is no question and no remark of this project."""
        return self.claim.status not in NOT_ASSERTED

    @property
    def engines(self) -> str:
        """The engines that agree on its proofs, in words; "" without proofs."""
        return engines_text(self.row.engines)

    @property
    def plain(self) -> list[Cell]:
        """The cells that need one line only, without those in the table of bounds."""
        bounds = set() if self.reach is None else {row.cell.anchor for row in self.reach.rows}
        return [cell for cell in self.cells if cell.is_plain and cell.anchor not in bounds]

    @property
    def detailed(self) -> list[Cell]:
        """The cells with evidence of their own, without the decisive one."""
        return [cell for cell in self.cells if not cell.is_plain and cell is not self.decisive]


def claim_views(ledger: Ledger) -> list[ClaimView]:
    """Return every claim with its verdicts, paper by paper.

    Of each paper conjectures come first, and last claims that no paper asserts.
    """
    tables = {table["id"]: table for table in ledger.tables}
    rows = {row.claim: row for row in ledger.rows}
    verdicts: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in ledger.verdicts:
        verdicts[verdict.claim].append(verdict)
    papers = list(dict.fromkeys(claim.paper.key for claim in ledger.claims))
    views = [
        _claim_view(claim, rows[claim.id], verdicts[claim.id], tables) for claim in ledger.claims
    ]
    return sorted(
        views,
        key=lambda view: (
            papers.index(view.claim.paper.key),
            not view.is_asserted,
            not view.is_open,
        ),
    )


def by_paper(views: Sequence[ClaimView]) -> list[tuple[Paper, list[ClaimView]]]:
    """Return the papers with their claims, in order."""
    papers: dict[str, list[ClaimView]] = defaultdict(list)
    for view in views:
        papers[view.claim.paper.key].append(view)
    return [(chosen[0].claim.paper, chosen) for chosen in papers.values()]


def decides(verdict: ClaimVerdict, decided: Decided | None) -> bool:
    """Whether a verdict is the one whose counterexample a row or a pair names."""
    refutes = verdict.counterexample
    return (
        decided is not None
        and refutes is not None
        and (verdict.table, verdict.parameters) == (decided.table, decided.parameters)
        and refutes.position == decided.position
    )


def _claim_view(
    claim: LedgerClaim,
    row: ClaimRow,
    verdicts: Sequence[ClaimVerdict],
    tables: Mapping[str, Table],
) -> ClaimView:
    refuting = [i for i, verdict in enumerate(verdicts) if verdict.verdict == "refuted"]
    decisive = next((i for i in refuting if decides(verdicts[i], row.decided)), None)
    if decisive is None and refuting:
        decisive = refuting[0]
    others = [i for i in refuting if i != decisive]
    drawn = {decisive, *others[: MOST_DRAWN - 1]}
    cells = [
        cell_of(f"{claim.id}-{i + 1}", label, verdict, tables, row, drawn=i in drawn)
        for i, (verdict, label) in enumerate(zip(verdicts, labels(verdicts), strict=True))
    ]
    # For all parameters first, then by parameters and bound.
    in_order = sorted(
        cells,
        key=lambda cell: (
            cell.document.for_all is None,
            list(cell.document.parameters.values()),
            cell.document.bound or 0,
        ),
    )
    return ClaimView(
        claim,
        row,
        SIGNS[row.verdict][0],
        words_of(claim.status, row.verdict) if claim.status == "question" else few_words(row),
        formal_lines(claim),
        in_order,
        None if decisive is None else cells[decisive],
        grid_of(in_order),
        reach_table(in_order),
    )


@dataclass(frozen=True)
class ReachRow:
    """The bound of a statement, compared with a table."""

    #: Values of the parameters; if several tables have the same, the last value has the bound of the table.
    names: list[str]
    printed: int
    #: The largest bound for which the statement is true in the table.
    true: str
    #: Its truth beyond the printed bound, in words.
    beyond: str
    #: The least position at which it fails; "" if the table has none.
    failing: str
    cell: Cell


@dataclass(frozen=True)
class ReachTable:
    """The bounds of one claim; `coordinates` are those of the failing positions."""

    names: list[str]
    coordinates: tuple[str, ...]
    rows: list[ReachRow]


def reach_table(cells: Sequence[Cell]) -> ReachTable | None:
    """Return the comparison of a claim's bound with tables, if any go beyond it."""
    beyond_reach = [cell for cell in cells if "best_possible" in cell.document.evidence]
    if not beyond_reach:
        return None
    try:
        coordinates = parse_ruleset(beyond_reach[0].ruleset).coordinates
    except RulesetError:  # a height table that is missing here
        coordinates = ()
    times = Counter(tuple(cell.document.parameters.values()) for cell in beyond_reach)
    rows = []
    for cell in beyond_reach:
        verdict = cell.document
        evidence, refutes = verdict.evidence, verdict.counterexample
        values = list(map(str, verdict.parameters.values()))
        if times[tuple(verdict.parameters.values())] > 1 and values and verdict.bound is not None:
            values[-1] += f" (bound {verdict.bound:,})"
        failing = refutes.position if refutes else evidence.get("false_at")
        beyond = "false at once" if evidence["best_possible"] else "also true"
        true_up_to = f"{evidence['true_up_to']:,}"
        rows.append(
            ReachRow(
                values,
                evidence["reach"],
                true_up_to if failing else f"{true_up_to} or more",
                "false before" if refutes else beyond,
                f"({', '.join(map(str, failing))})" if failing else "",
                cell,
            )
        )
    return ReachTable(list(beyond_reach[0].document.parameters), coordinates, rows)


def formal_lines(claim: LedgerClaim) -> list[tuple[str, str]]:
    """Return the formal statement of a claim as pairs of a label and a text.

    Examples
    --------
    >>> formal = {"every": {}, "some": {}, "when": "k % 2 == 0", "for_all": None, "follows_from": None}
    >>> formal |= {"statement": "P <=> y ^ z == 0", "bound": None, "check": None}
    >>> fields = {"ruleset": "step-bar(k=k)", "formula": "P ⇔ y ⊕ z = 0", "formal": formal}
    >>> formal_lines(LedgerClaim.model_construct(**fields))
    [('ruleset', 'step-bar(k=k)'), ('for', 'k ≡ 0 (mod 2)'), ('checked as', 'P ⇔ y ⊕ z = 0')]
    """
    return list(_lines(claim, claim.formal))


def _lines(claim: LedgerClaim, formal: Document) -> Iterator[tuple[str, str]]:
    if claim.ruleset is not None:
        yield "ruleset", claim.ruleset
    if formal["when"]:
        yield "for", math_text(formal["when"])
    if formal["every"]:
        yield "and every", _ranges(formal["every"])
    if formal["some"]:
        yield "with some", _ranges(formal["some"])
    if formal["for_all"] and formal["for_all"] != formal["when"]:
        yield "for all at once", math_text(formal["for_all"])
    if formal["follows_from"]:
        lemmas = formal["follows_from"]["lemmas"]
        by = f", by {', '.join(lemmas)}" if lemmas else ""
        yield "follows from", f"{', '.join(formal['follows_from']['claims'])}{by}"
    plug_in = formal["check"] or {}
    if plug_in.get("let"):
        yield "where", assigned({name: math_text(text) for name, text in plug_in["let"].items()})
    if claim.ruleset is None and plug_in:
        yield "for all", _ranges(plug_in["all"])
    if "height" in plug_in:
        yield "heights up to", math_text(plug_in["height"])
    bound = formal["bound"] or plug_in.get("bound")
    if claim.ruleset is None and bound is not None:
        yield "N", f"{bound:,}"
    yield "checked as", claim.formula


def _ranges(spans: Mapping[str, str]) -> str:
    return ", ".join(range_text(name, parse_range(span)) for name, span in spans.items())


#: The outcome of a settled pair. A form that stands is not refuted, and possibly not proved.
OUTCOMES = {"intended": "{1} stands", "printed": "{0} stands", "neither": "neither stands"}


@dataclass(frozen=True)
class Side:
    """One statement of a pair."""

    role: str
    view: ClaimView
    #: Whether only the other one is refuted.
    stands: bool
    #: The formal statement, without lines that the other one shares.
    formal: list[tuple[str, str]]


@dataclass(frozen=True)
class PairView:
    """Two statements side by side."""

    pair: ClaimPair
    title: str
    #: A few words; "" if the pair is not settled.
    outcome: str
    sides: list[Side]
    #: The cell with the deciding counterexample, if any.
    cell: Cell | None

    @property
    def anchor(self) -> str:
        """Id on the page."""
        return _anchor(self.pair)


def pair_views(ledger: Ledger, views: Sequence[ClaimView], kind: PairKind) -> list[PairView]:
    """Return the pairs of one kind, settled ones first."""
    by_id = {view.claim.id: view for view in views}
    pairs = [_pair_view(pair, by_id) for pair in ledger.pairs if pair.kind == kind]
    return sorted(pairs, key=lambda view: not view.outcome)


def forms(ledger: Ledger) -> dict[str, tuple[str, str]]:
    """Return the form of each claim of a misprint, and the pair's id on the page."""
    forms_of_claims: dict[str, tuple[str, str]] = {}
    for pair in ledger.pairs:
        if pair.kind == "misprint":
            forms_of_claims.setdefault(pair.printed, ("as printed", _anchor(pair)))
            forms_of_claims.setdefault(pair.intended, ("as intended", _anchor(pair)))
    return forms_of_claims


def _anchor(pair: ClaimPair) -> str:
    return f"pair-{pair.printed}-{pair.intended}"


def _pair_view(pair: ClaimPair, by_id: Mapping[str, ClaimView]) -> PairView:
    printed, intended = by_id[pair.printed], by_id[pair.intended]
    numbers = (printed.claim.number, intended.claim.number)
    if pair.kind == "misprint":
        names, title = ("the printed form", "the intended form"), numbers[0]
        roles = ("as printed", "as intended")
        if numbers[0] != numbers[1]:
            roles = (f"{numbers[0]}, as printed", f"{numbers[1]}, as intended")
    else:
        first, second = (
            f"{view.claim.number} of {view.claim.paper.key}" for view in (printed, intended)
        )
        roles = names = (first, second)
        title = f"{numbers[0]} and {numbers[1]}"
    sides = []
    for role, form, view, other in (
        (roles[0], "printed", printed, intended),
        (roles[1], "intended", intended, printed),
    ):
        *supposed, claimed = view.formal
        formal = [*(line for line in supposed if line not in other.formal), claimed]
        sides.append(Side(role, view, pair.right == form, formal))
    cells = (*printed.cells, *intended.cells)
    deciding = next((cell for cell in cells if decides(cell.document, pair.decided)), None)
    return PairView(pair, title, OUTCOMES.get(pair.right, "").format(*names), sides, deciding)
