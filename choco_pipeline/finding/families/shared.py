"""What several games of a family have in common, said once of the family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from choco_pipeline.finding.families.domains import domain, is_chance, is_overfitted
from choco_pipeline.finding.statements import value_statements
from choco_pipeline.finding.statements.mined import Mined
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement
from choco_pipeline.finding.statements.statement_line import StatementLine
from choco_pipeline.formula.nodes import Binary, Integer, Name, Node, render, with_operands
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.notation import read
from choco_pipeline.mining.table_findings import ValueSetFinding
from choco_pipeline.provenance import canonical_json


@dataclass(frozen=True)
class Instance:
    """A statement on one game, and what it says in the words of the game's family."""

    #: On the game.
    statement: FoundStatement
    #: The family's notation.
    family: str
    #: Of the game.
    parameters: Mapping[str, int]
    #: What is said of the family; instances with the same are put together.
    said: str
    check: Mapping[str, Any] | None
    formulas: tuple[StatementLine, ...]

    @property
    def key(self) -> str:
        """What instances that say the same have in common."""
        return canonical_json([self.statement.kind, self.said, self.check])


def instances(
    statement: FoundStatement, mined: Mined, family: str, sentence: str
) -> Iterator[Instance]:
    """Yield what a statement says of a family: as it stands, and a set of values with names for numbers that are added.

    The statement, on one game of the family, was made of `mined`; `sentence` is what it says of the family.
    """
    parameters, finding = mined.parameters, mined.finding
    check = statement.claim["check"] if statement.claim else None
    yield Instance(statement, family, parameters, sentence, check, statement.formulas)
    if not isinstance(finding, ValueSetFinding) or statement.kind != "values" or check is None:
        return
    if check["relation"] != "exactly":
        return
    of = _with_names(finding.expression, {n: parameters[n] for n in read(family).names})
    if of != finding.expression:
        sentence = value_statements.sentence(family, of, finding.form)
        lines = tuple(value_statements.lines(of, finding.form.relation, finding.form.condition))
        yield Instance(statement, family, parameters, sentence, {**check, "of": of}, lines)


def shared(group: Sequence[Instance], searched: Sequence[Mapping[str, int]]) -> FoundStatement:
    """Return what several games of a family have in common.

    Instances say the same; `searched` are the parameters of all games of the family that were searched. A condition tells the
    group's from the others. Other games, of which something stronger was found, may have values among those of the group's,
    too: there, and where no short condition tells, it says which parameters are the same in all of the group.
    """
    first, several = group[0], [instance.statement for instance in group]
    seen = [dict(instance.parameters) for instance in group]
    values = {name: tuple(sorted({point[name] for point in seen})) for name in seen[0]}
    alike = [f"{name} == {span[0]}" for name, span in values.items() if len(span) == 1]
    when = " and ".join(alike) if len(alike) < len(values) else ""
    if first.check is None or first.check.get("relation", "exactly") == "exactly":
        inside = [point in seen for point in map(dict, searched)]
        condition = domain(searched, inside)
        if (
            condition is not None
            and not is_overfitted(condition.text, searched)
            and not is_chance(condition, len(searched), len(seen))
        ):
            when = condition.text

    def total(key: str) -> Evidence:
        parts = [getattr(statement, key) for statement in several]
        what = f"{parts[0].what}, and likewise in {len(parts) - 1} other tables"
        return Evidence(sum(p.positions for p in parts), what, len(parts))

    return replace(
        first.statement,
        ruleset=first.family,
        said=first.said,
        when=when,
        parameters=values,
        seen=tuple(tuple(point.values()) for point in seen),
        claim=None if first.check is None else {"check": first.check},
        formulas=first.formulas,
        found_on=total("found_on"),
        held_on=total("held_on"),
        tried=replace(
            first.statement.tried,
            candidates=sum(statement.tried.candidates for statement in several),
            tables=len(several),
        ),
    )


def _with_names(formula: str, numbers: Mapping[str, int]) -> str:
    """Return a formula in which a parameter's name stands for its number, where that is added or subtracted.

    Examples
    --------
    >>> _with_names("(x+6) ^ y ^ (z+6)", {"s": 6})
    '(x+s) ^ y ^ (z+s)'
    """
    names = {number: name for name, number in sorted(numbers.items(), reverse=True) if number > 0}

    def named(node: Node) -> Node:
        match node:
            case Binary("+" | "-", left, Integer(number)) if number in names:
                return replace(node, left=named(left), right=Name(names[number]))
            case _:
                return with_operands(node, named)

    return render(named(parse_nodes(formula)))
