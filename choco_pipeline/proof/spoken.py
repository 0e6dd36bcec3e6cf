"""That a claim speaks of all parameters for which it is to be decided: its `for_all` implies its `when`.

Two solvers decide it. What is linear is read as it is; of any other comparison nothing is supposed, so that `when` must follow
without it. A claim may have integers in `some`: `when` must then hold for all of them in their ranges, and there must be some.
"""

from __future__ import annotations

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.formula import Formula
from choco_pipeline.formula.nodes import Binary, Call, Compare, Node, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.family_check.check_solvers import is_unsatisfiable
from choco_pipeline.proof.family_check.sums import IntegerSum, SumReader, conjunction, disjunction
from choco_pipeline.proof.proof_errors import UndecidedError


class _ConditionReader(SumReader):
    """Conditions, in which a comparison that is not linear may hold or not."""

    def __init__(self) -> None:
        super().__init__()
        self.unknown = 0

    def sum(self, node: Node, names: dict[str, IntegerSum]) -> IntegerSum:  # type: ignore[override]
        """Return an integer's value; of ``v2(n)``, which is an exponent, that it is natural."""
        match node:
            case Call("v2", _):
                total = self._new()
                self.definitions.append(total.is_natural)
                return total
            case _:
                return super().sum(node, names)

    def truth(self, node: Node, names: dict[str, IntegerSum]) -> str:  # type: ignore[override]
        """Return a condition as SMT-LIB 2 writes it."""
        try:
            return super().truth(node, names)
        except UndecidedError:
            if not isinstance(node, Compare):
                raise
            self.unknown += 1
            return IntegerSum.name(f"?{self.unknown}").is_zero

    def has_value(self, node: Node, names: dict[str, IntegerSum]) -> str:
        """Return that nothing in a formula is without a value."""
        conditions = []
        for part in walk(node):
            match part:
                case Call("v2", (of,)):
                    conditions.append(f"(not {self.sum(of, names).is_zero})")
                case Binary("//" | "%", _, divisor):
                    conditions.append(f"(not {self.sum(divisor, names).is_zero})")
                case Binary("**" | "<<" | ">>", _, exponent):
                    conditions.append(self.sum(exponent, names).is_natural)
                case _:
                    pass
        return conjunction(conditions)


def require_spoken_of(claim: Claim, clock: Clock) -> None:
    """Raise `UndecidedError` if it is not shown that a claim speaks of all that its `for_all` names."""
    statement = claim.statement
    if claim.speaks_for_all_only or statement.for_all is None or statement.when is None:
        return
    reader = _ConditionReader()
    names = {name: IntegerSum.name(name) for name in sorted(claim.parameters)}
    given = [value.is_natural for value in names.values()]
    given.append(reader.truth(_node(statement.for_all), names))
    missing = []
    for name, span in statement.some.items():
        first, last = (reader.sum(_node(end), names) for end in (span.first, span.last))
        parts = [span.first, span.last, *([] if span.step is None else [span.step])]
        ends = [reader.has_value(_node(part), names) for part in parts]
        if span.step is not None:
            ends.append((reader.sum(_node(span.step), names) - IntegerSum(1)).is_natural)
        missing.append(f"(not {conjunction([*ends, (last - first).is_natural])})")
        names[name] = IntegerSum.name(name)
        # A range that has a step holds its first integer and fewer others.
        given.append((names[name] - first).is_natural)
    when = _node(statement.when)
    missing.append(
        f"(not {conjunction([reader.truth(when, names), reader.has_value(when, names)])})"
    )
    text = conjunction([*given, *reader.definitions, disjunction(missing)])
    if not is_unsatisfiable("for_all", text, clock):
        raise UndecidedError(
            f"that the claim speaks of all {', '.join(sorted(claim.parameters))} with {statement.for_all}"
            f" is not shown: `when` is {statement.when}"
        )


def _node(formula: Formula) -> Node:
    return parse_nodes(formula.text)
