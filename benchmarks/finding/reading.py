"""Found statements as claims and plain data: the only place that knows the fields of `FoundStatement`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.finding.formulas import Scope, UndefinedError, size
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula import Formula, nodes
from choco_pipeline.mining.table_findings import BlocksFinding, CellularFinding, CountFinding
from choco_pipeline.statements import tree
from choco_pipeline.statements.tree import text_of

Finding = BlocksFinding | CellularFinding | CountFinding
#: The ruleset of statements on all height functions.
HEIGHTS = "solid-bar(f=f)"
#: Statements on families are tried for at most this many of their games.
MOST_POINTS = 14


@dataclass(frozen=True)
class Reading:
    """A found statement: claims that say together what it says, or data where the language cannot say it."""

    ruleset: str
    #: The kind of its claims, or of the search result that it repeats.
    kind: str
    #: The values of each parameter for which it was found.
    parameters: Mapping[str, Sequence[int]]
    claims: tuple[Claim, ...] = ()
    #: The search result on pictures or counts that it repeats.
    finding: Finding | None = None
    #: Of height functions: the formula and the conditions on f, or numbers of functions.
    picture: Mapping[str, Any] | None = None
    #: Whether the search itself refuted it.
    is_refuted: bool = False

    @classmethod
    def of(cls, statement: FoundStatement) -> Reading:
        """Return a found statement as claims and data."""
        finding = statement.source.finding if statement.source else None
        if not isinstance(finding, Finding):
            finding = None
        claims = tuple(claim for claim in statement.claims if claim.statement.check is None)
        other = "heights" if statement.ruleset == HEIGHTS else "unread"
        kind = finding.kind if finding else kind_of(claims[0]) if claims else other
        return cls(
            statement.ruleset,
            kind,
            statement.parameters,
            claims,
            finding,
            statement.picture,
            statement.verdict == "refuted",
        )

    @property
    def line(self) -> str:
        """The statement in one line, to be shown and compared."""
        shown = self.finding.text if self.finding else self.picture
        said = "; ".join(text_of(claim.proposition) for claim in self.claims)
        whens = dict.fromkeys(str(claim.statement.when or "") for claim in self.claims)
        when = "".join(f" for {one}" for one in whens if one)
        return f"{self.ruleset}{when}: {said or shown}"

    @property
    def size(self) -> int:
        """The number of names, numbers, operators and functions in its claims."""
        return size_of(*(claim.proposition for claim in self.claims))

    def points(self) -> list[dict[str, int]]:
        """Return the parameters for which it is tried: from below the smallest to three times the largest."""
        if self.kind == "heights" or not self.parameters:
            return [{}]
        found: list[dict[str, int]] = [{}]
        for name, span in self.parameters.items():
            low, high = min(span), max(span)
            near = {low - 1, low, low + 1, (low + high) // 2, high - 1, high, high + 1, high + 2}
            near |= {2 * high, 2 * high + 1, 3 * high, 3 * high + 1}
            found = [{**one, name: n} for one in found for n in sorted(near) if n >= 0]
        found = [
            one
            for one in found
            if one.get("k", 1) >= 1
            and (not self.claims or any([*cases(claim, one)] for claim in self.claims))
        ]
        if len(found) <= MOST_POINTS:
            return found
        small = sorted(found, key=lambda point: sum(point.values()))[: MOST_POINTS // 2]
        rest = [point for point in found if point not in small]
        step = max(1, len(rest) // (MOST_POINTS - len(small)))
        return small + rest[::step][-(MOST_POINTS - len(small)) :]


def kind_of(claim: Claim) -> str:
    """Return the kind of a claim; an implication to or from "P-position" gives no formula."""
    kind = claim.check.kind
    return "evaluated" if kind in ("p-positions", "grundy") and not claim.determined else kind


def size_of(*propositions: tree.Proposition) -> int:
    """Return the number of names, numbers, operators and functions; a condition that occurs in several cases counts once."""
    parts = (part for one in propositions for part in tree.walk(one))
    roots = (part.formula.root for part in parts if isinstance(part, tree.Expression))
    return sum(size(leaf) for leaf in {leaf for root in roots for leaf in _conditions(root)})


def _conditions(node: nodes.Node) -> Iterator[nodes.Node]:
    match node:
        case nodes.Junction() | nodes.LogicalNot():
            for part in nodes.children(node):
                yield from _conditions(part)
        case nodes.Compare((("!=" | ">" | ">=") as sign,), sides):
            yield nodes.Compare((nodes.OPPOSITE[sign],), sides)
        case _:
            yield node


def is_true(condition: Formula | None, known: Mapping[str, int]) -> bool:
    """Whether there is no condition, or it holds; one without value does not."""
    try:
        return condition is None or bool(Scope(1, known).value(condition.root))
    except UndefinedError:
        return False


def cases(claim: Claim, point: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield parameters with each choice of further integers for which a claim is meant."""
    statement = claim.statement
    for known in _choices(statement.every, point):
        if any(is_true(statement.when, chosen) for chosen in _choices(statement.some, known)):
            yield known


def _choices(spans: Mapping[str, Any], known: Mapping[str, int]) -> Iterator[dict[str, int]]:
    if not spans:
        yield dict(known)
        return
    (name, span), *rest = spans.items()
    scope = Scope(1, known)
    ends = scope.value(span.first.root), scope.value(span.last.root)
    step = scope.value(span.step.root) if span.step else 1
    for n in range(ends[0], ends[1] + 1, step):
        yield from _choices(dict(rest), {**known, name: n})
