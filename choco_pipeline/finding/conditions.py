"""Search for the shortest condition on the parameters under which a line holds.

Idea: an atom is a residue condition or a comparison of parameters. It is stored as the set of points at which it is true, an integer
with one bit for each point. Of atoms with equal sets only the shortest is kept. The search joins one, two and three atoms by ``and``
and ``or`` until their set is the target. Within a residue class it joins one atom more.

Invariant: an operand of ``and`` is true on the whole target, and an operand of ``or`` is false outside it, so few atoms remain. The
conditions of each length are counted, so that `is_chance` can decide whether a condition fits by chance.

Cost: the cube of the number of remaining atoms, in operations on integers with one bit for each point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.finding.scope import Parameters
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.finding.tables import TableFamily, extent, values_of
from choco_pipeline.formula import Formula, FormulaError, nodes, parse
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.mining.table_findings import Evidence, Tried

MODULI = (2, 3, 4, 8)
#: A residue modulo this number is not joined with other atoms: few families need it, and more atoms fit more sets by chance.
ALONE = 3
#: Largest number in a comparison.
LARGEST_NUMBER = 3
#: Fewest held-out tables for a condition; it must hold for some of them, but not for all.
FEWEST_HELD_OUT = 3
#: A condition fits by chance if conditions of at most its length describe more than this share of all sets of equal size.
LARGEST_CHANCE = 0.01
#: Fewest points that a part of a disjunction must cover alone: otherwise any list of points would be a condition.
FEWEST_FOR_A_PART = 3
TRIED = (
    f"residues modulo 2, 4 and 8, or one modulo {ALONE} alone, comparisons of the parameters, their doubles, the powers of 2 in"
    f" them, products of these and numbers up to {LARGEST_NUMBER}; conjunctions and disjunctions of up to 3 of these, in a residue class or in all"
)

#: A set of points, with one bit for each.
Bits = int
#: The values of one parameter at several points.
Values = NDArray[np.int64]


@dataclass(frozen=True)
class Domain:
    """A condition on the parameters, and the number of conditions of its length."""

    #: A condition of the formula language; empty for all parameters.
    text: str
    #: The number of different conditions of at most its length.
    tried: int

    def holds(self, point: Parameters) -> bool:
        """Whether a point satisfies it."""
        return not self.text or bool(parse(self.text).value(point))


@dataclass(frozen=True)
class _Condition:
    text: str
    size: int
    bits: Bits
    atoms: int = 1
    operator: str = ""

    @property
    def is_residue(self) -> bool:
        """Whether it is a single residue condition."""
        return _read(self.text)[2]

    @property
    def is_alone(self) -> bool:
        """Whether it must not be joined with other atoms."""
        return f"%{ALONE} " in self.text

    def joined(self, operator: str, other: _Condition) -> _Condition:
        """Return this condition joined with another one."""
        texts = [
            f"({part.text})" if part.operator == "or" and operator == "and" else part.text
            for part in (self, other)
        ]
        bits = self.bits & other.bits if operator == "and" else self.bits | other.bits
        size, atoms = self.size + other.size + 1, self.atoms + other.atoms
        text = f" {operator} ".join(texts)
        return _Condition(text, size, bits, atoms, operator)


def domain(
    points: Sequence[Parameters], holds: Sequence[bool], others: Sequence[Parameters] = ()
) -> Domain | None:
    """Return the shortest condition that is true at exactly the points with `holds`.

    It must also have a value at `others`. Return None if there is no such condition. The caller decides by `is_chance` and by held-out
    points whether it fits by chance.

    Examples
    --------
    >>> points = [{"k": k} for k in range(1, 33)]
    >>> domain(points, [point["k"] % 4 == 3 for point in points]).text
    'k%4 == 3'
    >>> domain(points, [point["k"] % 3 > 0 for point in points]).text
    'k%3 != 0'
    >>> domain(points, [point["k"] % 3 > 0 and point["k"] != 4 for point in points])
    """
    if all(holds):
        return Domain("", 1)
    if not any(holds):
        return None
    every = _atoms(points, others)
    atoms = _joinable(every)
    shortest = min(_separating(atoms, holds), key=_order, default=None)
    if shortest is None or shortest.atoms > 1:
        alone = next((atom for atom in every if atom.bits == _bits(holds)), None)
        if alone is not None:
            return Domain(parse(alone.text).text, _count(every, alone))
    if shortest is None:
        shortest = min(_within_residues(atoms, points, holds, others), key=_order, default=None)
    return None if shortest is None else Domain(parse(shortest.text).text, _count(atoms, shortest))


def _joinable(atoms: Iterable[_Condition]) -> list[_Condition]:
    return [atom for atom in atoms if not atom.is_alone]


def _within_residues(
    atoms: Sequence[_Condition],
    points: Sequence[Parameters],
    holds: Sequence[bool],
    others: Sequence[Parameters],
) -> Iterator[_Condition]:
    """Yield conditions that join a residue class around the target with others."""
    target = _bits(holds)
    for residue in atoms:
        if not residue.is_residue or target & ~residue.bits:
            continue
        inside = [i for i in range(len(points)) if residue.bits >> i & 1]
        some = _joinable(_atoms([points[i] for i in inside], others))
        conditions = _separating(some, [holds[i] for i in inside])
        shortest = min(conditions, key=_order, default=None)
        if shortest is not None:
            yield residue.joined("and", replace(shortest, bits=target))


def without_superfluous(condition: str, points: Sequence[Parameters]) -> str:
    """Return a condition without the parts that make no difference at the points.

    Examples
    --------
    >>> points = [{"k": k} for k in range(3, 9)]
    >>> without_superfluous("k > 3 and k%2 == 0", points)
    'k%2 == 0'
    >>> without_superfluous("(k%4 == 3 or k == 4) and k%2 == 1", points)
    'k%4 == 3'
    >>> without_superfluous("k > 0 and v2(k) < 2", [{"k": k} for k in range(9)])
    'k > 0 and v2(k) < 2'
    """
    root = parse_nodes(condition)
    truths = _truths(root, points)
    while True:
        shorter = [rest for _, _, rest in _parts(root) if _truths(rest, points) == truths]
        if not shorter:
            return nodes.render(root)
        root = min(shorter, key=lambda node: len(nodes.render(node)))


def _parts(node: nodes.Node) -> Iterator[tuple[nodes.Junction, nodes.Node, nodes.Node]]:
    """Yield for each operand: its junction, itself, and the condition without it.

    Comparisons ``name == 0`` are skipped, because other operands may be undefined without them.
    """
    if not isinstance(node, nodes.Junction):
        return
    for i, part in enumerate(node.operands):
        before, after = node.operands[:i], node.operands[i + 1 :]
        rest = (*before, *after)
        match part:
            case nodes.Compare(("==",), (nodes.Name(), nodes.Integer(0))):
                pass
            case _:
                yield node, part, rest[0] if len(rest) == 1 else nodes.Junction(node.operator, rest)
        for junction, inner, less in _parts(part):
            yield junction, inner, nodes.Junction(node.operator, (*before, less, *after))


def _truths(node: nodes.Node, points: Sequence[Parameters]) -> list[bool | None]:
    formula = parse(nodes.render(node))
    return [truth(formula, point) for point in points]


def is_chance(fitted: Domain, points: int, inside: int, largest: float = LARGEST_CHANCE) -> bool:
    """Whether a condition of this length fits `inside` of the points by chance.

    It does if conditions of at most its length are more than the share `largest` of all sets of `inside` points. With `largest` = 1 a
    condition must be shorter, in bits, than a list of the points inside.
    """
    return fitted.text != "" and fitted.tried > largest * comb(points, inside)


def is_overfitted(condition: str, points: Sequence[Parameters]) -> bool:
    """Whether a part of a disjunction covers very few points alone.

    A part ``name == 0`` is allowed, because another part may be undefined there.

    Examples
    --------
    >>> points = [{"c": c} for c in range(8)]
    >>> is_overfitted("c <= 3 or c%8 == 7", points), is_overfitted("c <= 3 or c > 4", points)
    (True, False)
    """
    return bool(condition) and any(_without_few(parse_nodes(condition), points))


def sure_domain(
    points: Sequence[Parameters],
    holds: Sequence[bool],
    others: Sequence[Parameters] = (),
    largest: float = LARGEST_CHANCE,
) -> Domain | None:
    """Return the shortest condition, unless it is overfitted or fits by chance."""
    fitted = domain(points, holds, others)
    if fitted is None or is_overfitted(fitted.text, points):
        return None
    return None if is_chance(fitted, len(points), sum(holds), largest) else fitted


def without_few(condition: str, points: Sequence[Parameters]) -> str:
    """Return a condition without its overfitted parts.

    Examples
    --------
    >>> without_few("k%2 == 1 and (k == 5 or k > 9)", [{"k": k} for k in range(30)])
    'k%2 == 1 and k > 9'
    >>> without_few("", [{"k": k} for k in range(30)])
    ''
    """
    if not condition:  # for all parameters
        return condition
    root = parse_nodes(condition)
    while (rest := next(_without_few(root, points), None)) is not None:
        root = rest
    return nodes.render(root)


def _without_few(root: nodes.Node, points: Sequence[Parameters]) -> Iterator[nodes.Node]:
    condition = parse(nodes.render(root))
    inside = [point for point in points if truth(condition, point)]
    for junction, part, rest in _parts(root):
        if junction.operator == "or":
            own = _truths(part, inside)
            every = zip(*(_truths(operand, inside) for operand in junction.operands), strict=True)
            pairs = zip(own, every, strict=True)
            if (
                sum(bool(here) and sum(map(bool, all_)) == 1 for here, all_ in pairs)
                < FEWEST_FOR_A_PART
            ):
                yield rest


def _separating(atoms: Sequence[_Condition], holds: Sequence[bool]) -> Iterator[_Condition]:
    """Yield the conditions with the fewest atoms that are true exactly on the target."""
    target, everything = _bits(holds), (1 << len(holds)) - 1
    ones = [atom for atom in atoms if atom.bits == target]
    if ones:
        yield from ones
        return
    above = [atom for atom in atoms if target & ~atom.bits == 0]
    below = [atom for atom in atoms if atom.bits & ~target == 0]
    twos = [
        *_pairs("and", above, target, everything),
        *_pairs("or", below, target, everything),
    ]
    yield from twos
    if twos:
        return
    for operator, chosen in (("and", above), ("or", below)):
        for a, b, c in combinations(chosen, 3):
            joined = a.joined(operator, b)
            if (joined.bits & c.bits if operator == "and" else joined.bits | c.bits) == target:
                yield joined.joined(operator, c)
    for a in above:  # a and (b or c), where a is true
        inside = [atom for atom in atoms if atom.bits & a.bits & ~target == 0]
        yield from (a.joined("and", pair) for pair in _pairs("or", inside, target, a.bits))
    for a in below:  # a or (b and c), where a is not true
        rest = everything & ~a.bits
        outside = [atom for atom in atoms if target & rest & ~atom.bits == 0]
        yield from (a.joined("or", pair) for pair in _pairs("and", outside, target, rest))


def _pairs(
    operator: str, atoms: Sequence[_Condition], target: Bits, within: Bits
) -> Iterator[_Condition]:
    """Yield joined pairs of atoms that are true exactly on the target, in `within`."""
    wanted = target & within
    for a, b in combinations(atoms, 2):
        if (a.bits & b.bits if operator == "and" else a.bits | b.bits) & within == wanted:
            yield a.joined(operator, b)


def _order(condition: _Condition) -> tuple[int, int, int, str]:
    """Return the sort key: size, then more equations first, then text."""
    return condition.size, -condition.text.count("=="), len(condition.text), condition.text


def _count(atoms: Sequence[_Condition], condition: _Condition) -> int:
    """Return the number of conditions of at most this length, up to equal sets."""
    sizes = Counter(atom.size for atom in atoms)
    total = sum(number for size, number in sizes.items() if size <= condition.size)
    level: Mapping[int, int] = sizes
    for _ in range(condition.atoms - 1):
        longer: Counter[int] = Counter()
        for (size, number), (more, others) in (
            (a, b) for a in level.items() for b in sizes.items()
        ):
            longer[size + more + 1] += 2 * number * others
        level = {size: number for size, number in longer.items() if size <= condition.size}
        total += sum(level.values())
    return total


def _atoms(points: Sequence[Parameters], others: Sequence[Parameters]) -> list[_Condition]:
    """Return the shortest atom for each set of points; all have values at `others`."""
    names = tuple(sorted(points[0]))
    zeros = [name for name in names if any(point[name] == 0 for point in (*points, *others))]
    columns = tuple(tuple(point[name] for point in points) for name in names)
    return list(_atoms_at(names, columns, frozenset(zeros)))


@lru_cache(maxsize=64)  # many lines of a family have the same points
def _atoms_at(
    names: tuple[str, ...], columns: tuple[tuple[int, ...], ...], zeros: frozenset[str]
) -> tuple[_Condition, ...]:
    values = dict(zip(names, map(np.array, columns), strict=True))
    atoms = []
    for text, needs in _texts(names):
        missing = sorted(needs & zeros)
        if not missing:
            atoms.append(_atom(text, values))
        elif len(missing) == 1:  # undefined at 0, which is a case of its own
            atoms.append(_atom(f"{missing[0]} == 0 or {text}", values, "or"))
            atoms.append(_atom(f"{missing[0]} != 0 and {text}", values, "and"))
    kept: dict[Bits, _Condition] = {}
    for atom in sorted(atoms, key=lambda atom: (atom.is_alone, *_order(atom))):
        kept.setdefault(atom.bits, atom)
    return tuple(kept.values())


def _texts(names: Sequence[str]) -> Iterator[tuple[str, set[str]]]:
    for name in names:
        for modulus in MODULI:
            for residue in range(modulus):
                yield f"{name}%{modulus} == {residue}", set()
                if modulus > 2:  # modulo 2 this is the other residue
                    yield f"{name}%{modulus} != {residue}", set()
        for number in range(LARGEST_NUMBER + 1):
            for sign in ("==", "!=", "<=", ">"):
                yield f"{name} {sign} {number}", set()
    terms: list[tuple[str, set[str], set[str]]] = [(name, {name}, set()) for name in names]
    terms += [(f"2*{name}", {name}, set()) for name in names] if len(names) > 1 else []
    powers = {name: f"2**v2({name})" for name in names}
    terms += [(power, {power}, {name}) for name, power in powers.items()]
    terms += [(f"{a}*{powers[b]}", {a, powers[b]}, {b}) for a, b in permutations(names, 2)]
    for (left, factors, first), (right, others, second) in combinations(terms, 2):
        if factors & others:  # k < k*2**v2(s) only means that s is even
            continue
        for sign in ("<", "<=", ">", ">=", "==", "!="):
            yield f"{left} {sign} {right}", first | second
    for a, b in combinations(names, 2):
        for name, sign in product((a, b), ("<", "<=", ">", ">=")):
            yield f"{name} {sign} {powers[a]}*{powers[b]}", {a, b}


def _atom(text: str, values: Mapping[str, Values], operator: str = "") -> _Condition:
    formula, size, _ = _read(text)
    number = next(iter(values.values())).size
    try:
        truths = np.broadcast_to(formula.evaluate(values), (number,)).tolist()
    except FormulaError:  # no value at a point, or more than 64 bits
        columns = zip(*(column.tolist() for column in values.values()), strict=True)
        truths = [bool(truth(formula, dict(zip(values, place, strict=True)))) for place in columns]
    return _Condition(text, size, _bits(truths), operator=operator)


@cache
def _read(text: str) -> tuple[Formula, int, bool]:
    """Return a condition, its length, and whether it is a residue."""
    match tree := parse_nodes(text):
        case nodes.Compare(("==",), (nodes.Binary("%", _, _), _)):
            is_residue = True
        case _:
            is_residue = False
    return parse(text), sum(1 for _ in nodes.walk(tree)), is_residue


def truth(formula: Formula, point: Parameters) -> bool | None:
    """Return the truth of a condition at a point; None if it has no value."""
    try:
        return bool(formula.value(point))
    except FormulaError:  # such as v2(0)
        return None


def _bits(truths: Sequence[bool]) -> Bits:
    return sum(1 << i for i, truth in enumerate(truths) if truth)


#: Fewest held-out tables for a statement on all parameters.
FEWEST_EVERYWHERE = 2


@dataclass(frozen=True)
class TestedCondition:
    """A condition, and the tables that it was learned from and tested on."""

    domain: Domain
    learnt: tuple[int, ...]
    held_out: tuple[int, ...]

    def is_enough(self, family: TableFamily, inside: int) -> bool:
        """Whether enough tables are held out, and the condition does not fit by chance.

        `inside` is the number of tables in which the line is right.
        """
        held = [self.domain.holds(family.points[i]) for i in self.held_out]
        if not self.domain.text:
            return sum(held) >= FEWEST_EVERYWHERE
        several = any(held) and not all(held) and len(held) >= FEWEST_HELD_OUT
        is_fitted = is_overfitted(self.domain.text, family.points)
        return several and not is_fitted and not is_chance(self.domain, len(family.points), inside)

    def statement(
        self,
        family: TableFamily,
        search: str,
        line: str,
        positions: Mapping[int, int],
        tried: Tried,
        ruleset: str = "",
    ) -> FoundStatement:
        """Return a line with this condition as a found statement.

        `positions` maps the index of each table in which the line is right to its number of positions. `ruleset` is by default that
        of the family.
        """

        def evidence(places: Sequence[int], kind: str) -> Evidence:
            right = {i: positions[i] for i in places if i in positions}
            counted = family.evidence(right, kind)
            return replace(counted, what=counted.what + extent(family.members[i] for i in right))

        seen = [family.points[i] for i in positions]
        return FoundStatement(
            search=search,
            ruleset=ruleset or family.ruleset,
            statement=line,
            found_on=evidence(self.learnt, "searched"),
            held_on=evidence(self.held_out, "held-out"),
            tried=tried,
            when=self.domain.text,
            parameters=values_of(seen, family.names),
            seen=tuple(tuple(point[name] for name in family.names) for point in seen),
        )


def tested_condition(family: TableFamily, holds: Sequence[bool]) -> TestedCondition | None:
    """Learn a condition from searched tables; again if held-out ones refute it."""
    points = family.points
    learnt, held_out = family.searched, family.held_out

    def learned() -> Domain | None:
        return domain([points[i] for i in learnt], [holds[i] for i in learnt], points)

    tested, joining = learned(), family.held_out_first
    if tested and any(tested.holds(points[i]) != holds[i] for i in joining):
        learnt += joining
        held_out = tuple(i for i in held_out if i not in joining)
        tested = learned()
    return TestedCondition(tested, learnt, held_out) if tested else None
