"""Statements on integers, decided for all of them: true, or false first at these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice

from choco_pipeline.automata.algebra import witness
from choco_pipeline.claims.kinds import IntegerStatement
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim, assignments
from choco_pipeline.claims.language.claim_formulas import without_value
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.claims.standalone.integers import contradiction_at
from choco_pipeline.commands import command
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.nodes import Binary, Node, names_of, render, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.ranges import Range
from choco_pipeline.proof.arithmetic.agreement import Agreement
from choco_pipeline.proof.arithmetic.logic import (
    conjunction,
    disjunction,
    exists,
    free,
    linear,
    negation,
)
from choco_pipeline.proof.arithmetic.mona import EngineName, installed_engines
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.integer_sentences import Spoken
from choco_pipeline.proof.statements.question import least

#: A statement is decided for so many choices of its fixed integers, the first ones: each takes its share of the time.
MOST_CHOICES = 100

_BY_THE_RIGHT = frozenset({"//", "%", "<<", ">>"})


def fixed_integers(check: IntegerStatement) -> tuple[str, ...]:
    """Return the names among `check.all` of integers that are numbers when the statement is decided.

    These divide, shift or multiply others, or the ranges of such ones use them; or they have a range that neither the bound
    nor other integers make longer. Of a product of two names the one that is named first is the factor. Raises
    `NotDefinableError` if the bound or an integer that is counted must be a number; or if finitely many integers are left, of
    which a proof says no more than the check does.

    Examples
    --------
    >>> claim = Claim.from_json(
    ...     {"id": "a", "bound": 9, "statement": "for k in 1..5, z in 0..N: z - k*(z//k) < k"}
    ... )
    >>> fixed_integers(claim.check)
    ('k',)
    """
    formulas = list(_formulas(check))
    needed = {name: part for f in formulas for name, part in _by_operators(f)}
    needed |= dict(_by_steps(check))
    _close(check, needed)
    while (product := _product(check, formulas, needed)) is not None:
        for name in _factor(check, product, needed):
            needed[name] = render(product)
        _close(check, needed)
    counted = () if check.number is None else tuple(check.number.of)
    for name in ("N", *counted):
        if name in needed:
            what = "is a bound" if name == "N" else "is counted"
            raise NotDefinableError(f"{needed[name]}: {name} {what}, and must be a number there")
    for name, span in check.all.items():
        if span.names <= needed.keys():
            needed.setdefault(name, span.text)
    fixed = tuple(name for name in check.all if name in needed)
    if not any("N" in span.names for name, span in check.all.items() if name not in needed):
        longer = ", ".join(name for name in fixed if "N" in check.all[name].names)
        given = f"given {longer} there are" if longer else "there are"
        raise NotDefinableError(f"{given} finitely many integers, which the check looks at")
    return fixed


def choices(check: IntegerStatement, fixed: tuple[str, ...]) -> tuple[list[dict[str, int]], bool]:
    """Return the values of the fixed integers that a statement is decided for, and whether it speaks of no others.

    They are the first `MOST_CHOICES` in their ranges up to the statement's own bound, without those that `where` excludes
    whatever the other integers are. A range that is longer for a larger bound has others.
    """
    spans = {name: check.all[name] for name in fixed}
    supposed = [part for whole in check.where for part in whole.conjuncts]
    of_fixed = [part for part in supposed if part.names <= spans.keys()]
    spoken_of = (
        choice
        for choice in assignments(spans, {"N": check.bound})
        if not any(_is_false(part, choice) for part in of_fixed)
    )
    first = list(islice(spoken_of, MOST_CHOICES + 1))
    are_all = len(first) <= MOST_CHOICES and not any("N" in span.names for span in spans.values())
    return [{name: choice[name] for name in fixed} for choice in first[:MOST_CHOICES]], are_all


def _is_false(condition: Formula, values: Mapping[str, int]) -> bool:
    """Whether a condition is false; where it has no value it is not."""
    try:
        return not condition.value(values)
    except FormulaError:
        return False


def _formulas(check: IntegerStatement) -> Iterator[Formula]:
    for part in check.formulas():
        yield from (part,) if isinstance(part, Formula) else (part.first, part.last)


def _by_operators(formula: Formula) -> Iterator[tuple[str, str]]:
    """Yield the names that an operator needs as numbers, each with the part that says so."""
    for node in _nodes(formula):
        if isinstance(node, Binary) and node.operator in _BY_THE_RIGHT:
            yield from ((name, render(node)) for name in names_of(node.right))
        if isinstance(node, Binary) and node.operator == "**":
            yield from ((name, render(node)) for name in names_of(node))


def _by_steps(check: IntegerStatement) -> Iterator[tuple[str, str]]:
    for part in check.formulas():
        if isinstance(part, Range) and part.step is not None:
            yield from ((name, part.text) for name in part.step.names)


def _close(check: IntegerStatement, needed: dict[str, str]) -> None:
    """Add the names that those of `needed` follow from, and those that their ranges use."""
    let = _lets(check)
    waiting = list(needed)
    while waiting:
        name = waiting.pop()
        before: Set[str] = frozenset()
        if name in let:
            before = let[name].names
        elif name in check.all:  # up to the statement's own bound
            before = check.all[name].names - {"N"}
        new = before - needed.keys()
        needed |= dict.fromkeys(new, needed[name])
        waiting += new


def _product(
    check: IntegerStatement, formulas: list[Formula], needed: dict[str, str]
) -> Binary | None:
    """Return a product of two parts neither of which is a number yet."""
    for formula in formulas:
        for node in _nodes(formula):
            if (
                isinstance(node, Binary)
                and node.operator == "*"
                and _open(check, names_of(node.left), needed)
                and _open(check, names_of(node.right), needed)
            ):
                return node
    return None


def _factor(check: IntegerStatement, product: Binary, needed: dict[str, str]) -> list[str]:
    """Return the names that make one side of a product a number: the side whose first name stands first."""
    number = check.number
    order = [*check.all, *check.let, *(() if number is None else (*number.of, *number.let)), "N"]
    sides = [_open(check, names_of(side), needed) for side in (product.left, product.right)]
    return min(sides, key=lambda names: min(map(order.index, names)))


def _open(check: IntegerStatement, names: Set[str], needed: dict[str, str]) -> list[str]:
    """Return the names that are no numbers, though those of `needed` are."""
    let = _lets(check)
    return [
        name
        for name in sorted(names)
        if name not in needed and (name not in let or _open(check, let[name].names, needed))
    ]


def _lets(check: IntegerStatement) -> dict[str, Formula]:
    return {**check.let, **({} if check.number is None else check.number.let)}


def _nodes(formula: Formula) -> Iterator[Node]:
    return walk(parse_nodes(formula.text, None, formula.functions))


#: MONA is asked for so long at a time: there are hundreds of questions, and a dozen of them take it minutes.
MONA_SECONDS = 0.5
NONE = "no integers are ones that it speaks of"


def decide_integers(
    claim: Claim, engines: Sequence[EngineName] | None = None, seconds: float = 60.0
) -> list[tuple[dict[str, int], Finding]]:
    """Return whether a statement on integers is true, whatever bound no less than its own its ranges have.

    About so many seconds an answer is waited for, for all choices together. Raises `DisagreementError` if the engines
    contradict each other, or one contradicts the definition.

    Returns
    -------
    list of (dict, Finding)
        For each choice of the integers that must be numbers (`fixed_integers`), the first ones in their ranges up to the
        statement's own bound: ``Proved``; ``Refuted`` at the least integers, as `find_integers` compares them, only that
        one which may be negative is counted from where its range begins; ``Vacuous``, if it speaks of no integers; or
        ``Undecided``. If there are other choices, one ``Undecided`` with none stands for them. Only this if no sentence
        says it. Evidence: the engines that agree, the states of the largest automaton, and, as ``all_choices``, whether
        the statement is decided for every choice in its ranges.
    """
    check = claim.check
    if claim.pattern is not None:
        raise ValueError(f"{claim.id}: a statement about integers is needed")
    if not isinstance(check, IntegerStatement):
        why = f"no sentence is written for a statement of this form: {claim.summary}"
        return [({}, Finding(Undecided(why), {"all_choices": False}))]
    names = tuple(engines or installed_engines())
    clock = Clock(seconds)
    decided = []
    try:
        listed, are_all = choices(check, fixed_integers(check))
        for fixed in listed:
            decided.append((fixed, decide_choice(claim, fixed, names, clock.left)))
        if not are_all:
            decided.append(({}, Finding(Undecided(_others(check, listed)))))
        elif not listed:
            decided.append(({}, Finding(Vacuous(NONE))))
    except NotDefinableError as error:
        decided = [({}, Finding(Undecided(str(error))))]
    except FormulaError as error:  # of a range of fixed integers
        decided = [({}, without_value(claim, error))]
    every = not any(isinstance(finding.verdict, Undecided) for _, finding in decided)
    return [(fixed, finding.with_evidence({"all_choices": every})) for fixed, finding in decided]


def _others(check: IntegerStatement, listed: Sequence[Mapping[str, int]]) -> str:
    """Return that a statement is not decided for other choices than these."""
    names = check.listed_text(fixed_integers(check))
    return f"only the first {len(listed):,} choices of {names} are decided"


def decide_choice(
    claim: Claim, fixed: Mapping[str, int], names: Sequence[EngineName], seconds: float
) -> Finding:
    """Return whether a statement is true with numbers for the integers that must be some; as `decide_integers` does."""
    check = claim.check
    assert isinstance(check, IntegerStatement)
    engines = Agreement({}, names, seconds, MONA_SECONDS, claim.id)
    try:
        spoken = Spoken(check, fixed)
        empty = witness(engines.automaton(spoken.cases)) is None
        if empty and engines.hold(negation(spoken.cases)):
            return Finding(Vacuous(NONE), engines.evidence())
        if engines.hold(negation(spoken.false)):
            repeated = command("claims", "check", claim.id)
            again = "its certificate" if claim.is_found else repeated
            return Finding(Proved(again, "integer"), engines.evidence())
        at = _least(spoken, engines)
        shown = contradiction_at(check, at["N"], at)
    except FormulaError as error:
        return without_value(claim, error)
    except (UndecidedError, LimitError) as error:
        return Finding(Undecided(str(error)))
    if shown is None:
        raise DisagreementError(f"{claim.id} is false at {at} by the engines, not by definition")
    return Finding(Refuted(shown, 0), engines.evidence())


def _least(spoken: Spoken, engines: Agreement) -> dict[str, int]:
    """Return the least integers of which the statement is false, and a bound with which it speaks of them."""
    order, known = spoken.ordered()
    false = conjunction(*spoken.ranges, spoken.supposed, disjunction(*spoken.wrong), known)
    others = sorted(free(false) - set(order))
    integers = least(engines.automaton(exists(others, false)), order)
    assert integers is not None, "what is false somewhere is false nowhere"
    here = [linear({name: 1}, -at, "==") for name, at in zip(order, integers, strict=True)]
    there = witness(engines.automaton(conjunction(false, *here))) or {}
    variables = dict.fromkeys(free(false), 0) | there
    named = {name: spoken.value(name, variables) for name in spoken.check.all}
    return {**named, "N": variables[spoken.bound]}
