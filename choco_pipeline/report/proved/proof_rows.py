"""Games that a run was to prove something of: one row each, with what the page says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.claims.conclusions.outcomes import ENGINES, enumerated
from choco_pipeline.commands import command
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import Argument, Notation, as_written
from choco_pipeline.proof.games.proof_outcome import GameProof

#: Residuals grow fast if each of the last digits multiplies them by this or more on average, slowly if by less.
FAST = 2.0
RELATIONS = {"p": "P-positions", "grundy": "Grundy numbers"}


@dataclass(frozen=True)
class ProofRow:
    """One game of the section."""

    #: What the ledger says of it.
    entry: GameProof
    #: Its parameters that vary in the family, as they are written.
    varying: Mapping[str, str]
    #: For each number of passes left.
    states: str
    engines: str
    #: What checks the certificate again; None without one.
    command: str | None
    #: Of a game that did not close: by how much its last digits multiplied the residuals.
    factor: float | None

    @property
    def label(self) -> str:
        """Its parameters that vary in the family, or its ruleset if none does."""
        return assigned(self.varying) or self.entry.ruleset

    @property
    def growth(self) -> str | None:
        """Whether the residuals grow ``fast`` or ``slowly``, if enough of them are known."""
        if self.factor is None:
            return None
        return "fast" if self.factor >= FAST else "slowly"


def proof_row(entry: GameProof, names: Sequence[str]) -> ProofRow:
    """Return the row of a ledger's entry, named by the parameters `names`."""
    certificate = entry.certificate
    return ProofRow(
        entry,
        {name: math_text(str(entry.parameters[name])) for name in names},
        ", ".join(f"{number:,}" for number in entry.states) or "–",
        enumerated([ENGINES.get(engine, engine) for engine in entry.engines]),
        certificate and command("prove", "--check", certificate),
        growth_factor(entry.growth),
    )


def growth_factor(growth: Sequence[int]) -> float | None:
    """Return by how much each of the last two digits multiplied the residuals, on average; None if too few are known.

    Examples
    --------
    >>> growth_factor([1, 4, 10, 40]), growth_factor([1, 1])
    (3.1622776601683795, None)
    """
    if len(growth) < 3 or not growth[-3]:
        return None
    return float((growth[-1] / growth[-3]) ** 0.5)


def grouped(entries: Sequence[GameProof]) -> list[list[GameProof]]:
    """Return the ledger's proofs by families: those of one relation that one sweep asked for."""
    groups: dict[tuple[str, str], list[GameProof]] = {}
    for entry in entries:
        groups.setdefault((entry.relation, entry.sweep), []).append(entry)
    return [sorted(group, key=_order) for group in groups.values()]


def varying(entries: Sequence[GameProof]) -> list[str]:
    """Return the parameters that all entries have, that the ruleset shows, and that do not always have one value."""
    common = [name for name in entries[0].parameters if all(name in e.parameters for e in entries)]
    shown = {
        name
        for entry in entries
        for name in common
        if _template(entry, [name]) != as_written(entry.ruleset).text
    }
    return [
        name for name in common if name in shown and len({e.parameters[name] for e in entries}) > 1
    ]


def notation(entries: Sequence[GameProof], names: Sequence[str]) -> str:
    """Return the family's ruleset with the parameters `names`, or its rulesets if they differ in more than these."""
    shapes: dict[str, Counter[str]] = {}
    for entry in entries:
        # which number is which is clear from most of a family
        shapes.setdefault(_shape(entry), Counter())[_template(entry, names)] += 1
    return ", ".join(counts.most_common(1)[0][0] for counts in shapes.values())


def _template(entry: GameProof, names: Iterable[str]) -> str:
    """Return the ruleset with the names of parameters where their values stand."""
    values = {name: _argument(entry.parameters[name]) for name in names}
    return _with_names(as_written(entry.ruleset), values).text


def _shape(entry: GameProof) -> str:
    """Return the ruleset without what its parameters make of it."""
    ruleset = as_written(entry.ruleset)
    if not entry.parameters:
        return ruleset.text
    heights = {n: _argument(v) for n, v in entry.parameters.items() if isinstance(v, str)}
    shape = _with_names(ruleset, heights)
    for number in ruleset.integers:
        shape = _with_names(shape, {"n": _argument(number)})
    return shape.text


def _argument(value: int | str) -> Argument:
    """Return a parameter's value as it stands in a ruleset."""
    ((_, argument),) = as_written(f"solid-bar(f={value})").arguments
    return argument


def _with_names(notation: Notation, values: Mapping[str, Argument]) -> Notation:
    """Return a notation with names where values stand, but for numbers of passes."""

    def named(key: str, argument: Argument) -> Argument:
        if isinstance(argument, Notation):
            return _with_names(argument, values)
        for name, value in values.items():
            if argument == value and key != "passes":
                return parse(name)
            if isinstance(argument, Formula) and isinstance(value, Formula) and key != "passes":
                argument = argument.with_name(name, value)
        return argument

    arguments = ((key, named(key, argument)) for key, argument in notation.arguments)
    return Notation(notation.name, tuple(arguments))


def _order(entry: GameProof) -> list[tuple[int, str]]:
    """Return a sorting key: numbers by size, all else as text."""
    values = entry.parameters.values()
    return [(v, "") if isinstance(v, int) else (0, str(v)) for v in values]
