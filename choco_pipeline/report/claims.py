"""Views of claims for pages: verdicts, evidence, counterexamples and pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from markupsafe import Markup

from choco_pipeline.claims.conclusions.conclusion import (
    ANSWERS,
    SIGNS,
    ClaimPair,
    ClaimRow,
    Decided,
    Outcome,
    words_of,
)
from choco_pipeline.claims.conclusions.rows import (
    ENGINES,
    NOT_ASSERTED,
    enumerated,
    few_words,
)
from choco_pipeline.claims.language.claims_file import LedgerClaim, Paper
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    FalseEverywhere,
    VerdictKind,
    place_text,
    verdict_detail,
)
from choco_pipeline.commands import command
from choco_pipeline.errors import RulesetError
from choco_pipeline.formula import parse_range
from choco_pipeline.formula.written.math_text import math_text, range_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.pictures import draw_svg
from choco_pipeline.report.environment import named_engines
from choco_pipeline.sweep.ledger import Ledger

Document = Mapping[str, Any]

#: Keys of evidence that other parts of a page show.
SHOWN_ELSEWHERE = ("all_choices", "reach", "true_up_to", "best_possible", "false_at")
#: Fewest verdicts on a claim with two parameters that are laid out as a grid.
GRID_CELLS = 9
#: Most drawn counterexamples of one claim, including the least.
MOST_DRAWN = 3

LABELS = {
    "abstract_states": "states of the control",
    "among": "positions in the statement",
    "bound": "checked up to bound",
    "cases": "cases of the family",
    "choices": "choices of integers",
    "conditions": "conditions derived again for the check",
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
    """Evidence in the form of a table."""

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
        label = LABELS.get(key, key.replace("_", " "))
        match key, value:
            case "follows_from", _:
                yield from _derivation(value)
            case "every_member", _:
                every = FalseEverywhere.model_validate(value)
                yield "false for", every.text
                yield "it contradicts itself at", list(every.positions)
                yield "engines that agree on that", named_engines(every.engines)
            case "growth", _:
                head = ("bound", "values", "largest", "all members found up to")
                steps = [
                    [step[of] for of in ("bound", "count", "largest", "frontier")] for step in value
                ]
                yield label, EvidenceTable(head, steps)
            case "engines", _:
                yield label, named_engines(value)
            case _, bool():
                yield label, "yes" if value else "no"
            case _, int() | str():
                yield label, value
            case _, Mapping():
                texts = [f"{ENGINES.get(name, name)}: {text}" for name, text in value.items()]
                yield label, texts
            case _:
                yield label, "–" if value is None else list(value)


def _derivation(derivation: Document) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield the premises, lemmas and steps of a derivation."""
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
    yield "so that it is known", derivation["known"]
    rows = [
        [
            f"{step['says']} ({step['for']})" if step["for"] else step["says"],
            named_engines(step["engines"]),
            step["states"],
        ]
        for step in derivation["steps"]
    ]
    # Two formulas of a statement may share a step.
    distinct = [row for i, row in enumerate(rows) if row not in rows[:i]]
    sentences = EvidenceTable(("sentence, decided", "engines", "states"), distinct)
    yield "from which it follows", sentences


def _premises(derivation: Document) -> Iterator[Document]:
    """Yield the premises, each followed by its own premises."""
    for premise in derivation["premises"]:
        yield premise
        if premise["follows_from"] is not None:
            yield from _premises(premise["follows_from"])


@dataclass(frozen=True)
class Cell:
    """One verdict and its evidence."""

    #: Id of the evidence on the page.
    anchor: str
    #: The parameters, with the bound if another cell has the same parameters; empty for a single cell without parameters.
    label: str
    #: The verdict as in the ledger.
    document: ClaimVerdict
    row: ClaimRow
    #: The game of its table; empty if the claim is on several tables or on none.
    ruleset: str
    is_drawn: bool

    @property
    def verdict(self) -> VerdictKind:
        """The verdict's name in the ledger."""
        return self.document.verdict

    @property
    def words(self) -> str:
        """The verdict in a few words."""
        if self.verdict == "holds-to-bound":
            return f"to {self.document.bound:,}"
        return "all cases" if self.verdict == "exhausted" else SIGNS[self.verdict][1]

    @property
    def line(self) -> str:
        """The verdict in one line, without the word for its sign."""
        if self.document.for_all is not None:
            return self.document.text
        return verdict_detail(self.document.as_verdict)

    @cached_property
    def evidence(self) -> list[tuple[str, EvidenceValue]]:
        """Pairs of a label and its value."""
        return list(evidence_rows(self.document.evidence))

    @property
    def place(self) -> str:
        """The coordinates or integers of the counterexample; empty if there is none."""
        refutes = self.document.counterexample
        if refutes is None or refutes.position is None:
            return ""
        return place_text(refutes.coordinates, refutes.position)

    @property
    def move(self) -> str:
        """The winning move, as "y from 5 to 2, z from 5 to 3"; empty if there is none."""
        refutes = self.document.counterexample
        if refutes is None or not refutes.position or not refutes.option:
            return ""
        steps = zip(refutes.coordinates, refutes.position, refutes.option, strict=True)
        return ", ".join(f"{name} from {old} to {new}" for name, old, new in steps if old != new)

    @cached_property
    def picture(self) -> Markup:
        """A drawing of the counterexample; empty if it is not drawn."""
        refutes = self.document.counterexample
        if self.is_drawn and self.ruleset and refutes and refutes.position is not None:
            with suppress(RulesetError):  # a height table that is missing here
                game = parse_ruleset(self.ruleset)
                return Markup(draw_svg(game, refutes.position, refutes.option))
        return Markup()

    @property
    def commands(self) -> list[tuple[str, str]]:
        """Pairs of a purpose and a command."""
        verdict, check, refutes = self.document, self.row.check, self.document.counterexample
        if verdict.command is not None:
            follows = "follows_from" in verdict.evidence
            return [("repeats the proof", self.row.command if follows else verdict.command)]
        commands = []
        if self.ruleset and refutes and refutes.position is not None:
            shown = command("value", self.ruleset, *refutes.position)
            commands.append(("shows the position", shown))
        if verdict.is_by_proof and verdict.is_proved:
            if (
                verdict.certificate is None
            ):  # of a statement on integers: the command decides it again
                return [("repeats the proof", check)]
            rests_on = command("prove", "--check", verdict.certificate)
            return [
                ("checks what it rests on", rests_on),
                ("repeats the proof", f"{check} --proofs"),
            ]
        # The shape of an uncut rectangular bar is its own bound; a check of several tables has no single bound.
        bound = [f"--bound {verdict.bound}"] if self.ruleset and verdict.bound else []
        given = [f"{name}={value}" for name, value in verdict.parameters.items()]
        return [*commands, ("repeats the check", " ".join([check, *given, *bound]))]

    @property
    def is_plain(self) -> bool:
        """Whether one row of a table can show it."""
        return (
            self.document.counterexample is None
            and not self.document.is_by_proof
            and all(isinstance(value, int | str) for _, value in self.evidence)
        )


class Grid(NamedTuple):
    """The cells of a claim with two parameters, one down and one across."""

    down: str
    across: str
    columns: list[int]
    rows: list[tuple[int, list[Cell | None]]]


@dataclass(frozen=True)
class ClaimView:
    """A claim with the results of the run."""

    #: The claim and its row in the ledger.
    claim: LedgerClaim
    row: ClaimRow
    #: A cell for each verdict, sorted by parameters.
    cells: list[Cell]
    #: The cell with the deciding counterexample; None if the claim is not refuted.
    decisive: Cell | None

    @property
    def verdict(self) -> Outcome:
        """The outcome of the claim, from its row of the ledger."""
        return self.row.verdict

    @property
    def words(self) -> str:
        """The outcome in a few words."""
        if self.claim.status == "question":
            return words_of(self.claim.status, self.verdict)
        return few_words(self.row)

    @property
    def result(self) -> str:
        """The result in one line; for a question, the answer comes first."""
        is_answer = self.claim.status == "question" and self.verdict in ANSWERS
        return f"{ANSWERS[self.verdict]}: {self.row.text}" if is_answer else self.row.text

    @property
    def is_asserted(self) -> bool:
        """Whether a paper asserts it: it is neither a question nor our remark."""
        return self.claim.status not in NOT_ASSERTED

    @cached_property
    def formal(self) -> list[tuple[str, str]]:
        """The formal statement: pairs of a label and a formula."""
        return list(formal_lines(self.claim))

    @property
    def plain(self) -> list[Cell]:
        """The cells that need only one row, without those in the table of bounds."""
        return [
            cell
            for cell in self.cells
            if cell.is_plain and "best_possible" not in cell.document.evidence
        ]

    @property
    def detailed(self) -> list[Cell]:
        """The cells with evidence of their own, without the decisive one."""
        return [cell for cell in self.cells if not cell.is_plain and cell is not self.decisive]

    @cached_property
    def grid(self) -> Grid | None:
        """The cells by two integer parameters; None if a grid would not be readable."""
        cells = [cell for cell in self.cells if cell.document.for_all is None]
        names = {tuple(cell.document.parameters) for cell in cells}
        if len(cells) < GRID_CELLS or len(names) != 1 or len(next(iter(names))) != 2:
            return None
        down, across = next(iter(names))
        places = {
            (cell.document.parameters[down], cell.document.parameters[across]): cell
            for cell in cells
        }
        columns = sorted({b for _, b in places})
        rows = [(a, [places.get((a, b)) for b in columns]) for a in sorted({a for a, _ in places})]
        # A grid that is mostly empty reads worse than a list.
        is_readable = len(places) == len(cells) and len(rows) * len(columns) <= 3 * len(cells)
        return Grid(down, across, columns, rows) if is_readable else None

    @cached_property
    def reach(self) -> tuple[list[str], list[tuple[list[str], Cell]]] | None:
        """The table on the sharpness of the statement's bound, if there is any.

        It has the coordinates' names and rows. A row has the values of the parameters, and the cell. If several tables have the
        same values, the last value includes the bound.
        """
        cells = [cell for cell in self.cells if "best_possible" in cell.document.evidence]
        if not cells:
            return None
        coordinates: Sequence[str] = ()
        with suppress(RulesetError):  # a height table that is missing here
            coordinates = parse_ruleset(cells[0].ruleset).coordinates
        times = Counter(tuple(cell.document.parameters.values()) for cell in cells)
        rows = []
        for cell in cells:
            verdict = cell.document
            values = list(map(str, verdict.parameters.values()))
            several = times[tuple(verdict.parameters.values())] > 1
            if several and values and verdict.bound is not None:
                values[-1] += f" (bound {verdict.bound:,})"
            rows.append((values, cell))
        return list(coordinates), rows


def claim_views(ledger: Ledger) -> list[ClaimView]:
    """Return every claim with its verdicts, paper by paper.

    Conjectures of a paper come first, claims that it does not assert come last.
    """
    rulesets = {table["id"]: table["ruleset"] for table in ledger.tables}
    rows = {row.claim: row for row in ledger.rows}
    verdicts: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in ledger.verdicts:
        verdicts[verdict.claim].append(verdict)
    papers = list(dict.fromkeys(claim.paper.key for claim in ledger.claims))
    views = [
        _claim_view(claim, rows[claim.id], verdicts[claim.id], rulesets) for claim in ledger.claims
    ]
    return sorted(
        views,
        key=lambda view: (
            papers.index(view.claim.paper.key),
            not view.is_asserted,
            view.claim.status != "conjecture",
        ),
    )


def by_paper(views: Sequence[ClaimView]) -> list[tuple[Paper, list[ClaimView]]]:
    """Return the papers with their claims, in order."""
    papers: dict[str, list[ClaimView]] = defaultdict(list)
    for view in views:
        papers[view.claim.paper.key].append(view)
    return [(chosen[0].claim.paper, chosen) for chosen in papers.values()]


def standings(views: Sequence[ClaimView]) -> list[tuple[Paper, list[ClaimView]]]:
    """Return the conjectures and questions, by paper, in the papers' order."""
    return by_paper([view for view in views if view.claim.status in ("conjecture", "question")])


def _claim_view(
    claim: LedgerClaim,
    row: ClaimRow,
    verdicts: Sequence[ClaimVerdict],
    rulesets: Mapping[str, str],
) -> ClaimView:
    refuting = [i for i, verdict in enumerate(verdicts) if verdict.verdict == "refuted"]
    decisive = next((i for i in refuting if _decides(verdicts[i], row.decided)), None)
    if decisive is None and refuting:
        decisive = refuting[0]
    drawn = {decisive, *[i for i in refuting if i != decisive][: MOST_DRAWN - 1]}
    names = ["all at once" if v.for_all is not None else assigned(v.parameters) for v in verdicts]
    times = Counter(names)
    cells = []
    for i, (name, verdict) in enumerate(zip(names, verdicts, strict=True)):
        check = "" if verdict.bound is None else f"bound {verdict.bound}"
        if verdict.is_by_proof:
            every = verdict.false_everywhere is not None
            check = "by a proof for every member" if every else "by proof"
        label = name if times[name] == 1 else ", ".join(filter(None, (name, check)))
        ruleset = rulesets.get(verdict.table or "", "")
        cells.append(Cell(f"{claim.id}-{i + 1}", label, verdict, row, ruleset, i in drawn))
    # For all parameters first, then by parameters and bound.
    in_order = sorted(
        cells,
        key=lambda cell: (
            cell.document.for_all is None,
            list(cell.document.parameters.values()),
            cell.document.bound or 0,
        ),
    )
    return ClaimView(claim, row, in_order, None if decisive is None else cells[decisive])


def _decides(verdict: ClaimVerdict, decided: Decided | None) -> bool:
    """Whether a verdict has the deciding counterexample of a row or a pair."""
    refutes = verdict.counterexample
    return (
        decided is not None
        and refutes is not None
        and (verdict.table, verdict.parameters) == (decided.table, decided.parameters)
        and refutes.position == decided.position
    )


def formal_lines(claim: LedgerClaim) -> Iterator[tuple[str, str]]:
    """Yield the formal statement of a claim as pairs of a label and a text.

    Examples
    --------
    >>> formal = {"every": {}, "some": {}, "when": "k % 2 == 0", "for_all": None, "follows_from": None}
    >>> formal |= {"statement": "P <=> y ^ z == 0", "bound": None, "check": None}
    >>> fields = {"ruleset": "step-bar(k=k)", "formula": "P ⇔ y ⊕ z = 0", "formal": formal}
    >>> list(formal_lines(LedgerClaim.model_construct(**fields)))
    [('ruleset', 'step-bar(k=k)'), ('for', 'k ≡ 0 (mod 2)'), ('checked as', 'P ⇔ y ⊕ z = 0')]
    """
    formal = claim.formal
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


@dataclass(frozen=True)
class Side:
    """One statement of a pair."""

    role: str
    view: ClaimView
    #: Whether the other statement is refuted, and this one is not.
    stands: bool
    #: The formal statement, without the lines that the other statement shares.
    formal: list[tuple[str, str]]


@dataclass(frozen=True)
class PairView:
    """Two statements side by side."""

    pair: ClaimPair
    title: str
    #: The result in a few words; empty if it is not known.
    outcome: str
    sides: list[Side]
    #: The cell with the deciding counterexample, if any.
    cell: Cell | None
    #: Id on the page.
    anchor: str


def pair_anchor(pair: ClaimPair) -> str:
    """Return the id of a pair on the page."""
    return f"pair-{pair.printed}-{pair.intended}"


def forms(ledger: Ledger) -> dict[str, tuple[str, str]]:
    """Return the form of each claim of a misprint, with the pair's id on the page."""
    forms_of_claims: dict[str, tuple[str, str]] = {}
    for pair in ledger.pairs:
        if pair.kind == "misprint":
            forms_of_claims.setdefault(pair.printed, ("as printed", pair_anchor(pair)))
            forms_of_claims.setdefault(pair.intended, ("as intended", pair_anchor(pair)))
    return forms_of_claims


def pair_views(ledger: Ledger, views: Sequence[ClaimView]) -> list[PairView]:
    """Return the misprints, then the disagreements, settled ones first."""
    by_id = {view.claim.id: view for view in views}
    pairs = [_pair_view(pair, by_id) for pair in ledger.pairs]
    return sorted(pairs, key=lambda view: (view.pair.kind != "misprint", not view.outcome))


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
    deciding = next((cell for cell in cells if _decides(cell.document, pair.decided)), None)
    # A form that stands is not refuted; it need not be proved.
    outcomes = {"intended": "{1} stands", "printed": "{0} stands", "neither": "neither stands"}
    outcome = outcomes.get(pair.right, "").format(*names)
    return PairView(pair, title, outcome, sides, deciding, pair_anchor(pair))
