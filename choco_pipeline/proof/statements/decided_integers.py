"""Statements about integers, decided for all integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice

from choco_pipeline.automata.algebra import least, witness
from choco_pipeline.automata.dfa import Auxiliary, Variable
from choco_pipeline.claims.checks.judgement import false_for
from choco_pipeline.claims.language.catalogue import without_value
from choco_pipeline.claims.language.claim import Claim, assignments
from choco_pipeline.claims.language.verdict import Finding, Proved, Refuted, Undecided, Vacuous
from choco_pipeline.commands import command
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.nodes import Binary, names_of, render, walk
from choco_pipeline.formula.written.math_text import range_text
from choco_pipeline.proof.arithmetic import logic
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.terms import Sum
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.sentences import Integers, Translator
from choco_pipeline.statements import tree

#: Limit of choices of the fixed integers.
MOST_CHOICES = 100

_CONSTANT_ON_THE_RIGHT = frozenset({"//", "%", "<<", ">>"})


# ---- Fixed integers.


def fixed_integers(claim: Claim) -> tuple[str, ...]:
    """Return the integers of a claim that must be constants in a sentence.

    An integer is fixed if it divides, shifts or multiplies others, occurs in the range of a fixed integer, or has a range that does not
    grow with the bound. In a product of two names, the first name is fixed. Raises `NotDefinableError` if the bound or a counted integer
    must be fixed, or if only finitely many integers are left, because then a check is a proof.

    Examples
    --------
    >>> claim = Claim.from_json(
    ...     {"id": "a", "bound": 9, "statement": "for k in 1..5, z in 0..N: z - k*(z//k) < k"}
    ... )
    >>> fixed_integers(claim)
    ('k',)
    """
    spans = claim.integers
    #: The names in the formula or range of each definition and each inner variable.
    before: dict[str, set[str]] = defaultdict(set)
    definitions: set[str] = set()
    formulas: list[Formula] = []
    ranges = [*spans.values()]
    for part in tree.walk(tree.integers_in_front(claim.proposition)[1]):
        match part:
            case tree.Let(name, value):
                before[name] |= value.formula.names
                definitions.add(name)
            case tree.InRange(name, span):
                before[name] |= span.names
                ranges.append(span)
            case tree.Expression(formula):
                formulas.append(formula)
            case _:
                pass
    ends = [(span.first, span.last, span.step) for span in ranges]
    formulas = [*(end for three in ends for end in three if end is not None), *formulas]
    nodes = [node for f in formulas for node in walk(f.root) if isinstance(node, Binary)]
    #: The fixed names, each with the part of the statement that requires it.
    needed: dict[str, str] = {}

    def require(names: Iterable[str], because: str) -> None:
        """Add names, and the names in their definitions, except N in a range."""
        for name in names:
            if name not in needed:
                needed[name] = because
                require({*spans[name].names} - {"N"} if name in spans else before[name], because)

    def is_open(name: str) -> bool:
        """Whether a name is not a constant even if all fixed names are."""
        defined = name in definitions
        return name not in needed and (not defined or any(map(is_open, before[name])))

    for span in ranges:
        require(span.step.names if span.step is not None else (), span.text)
    for node in nodes:
        if node.operator in _CONSTANT_ON_THE_RIGHT:
            require(names_of(node.right), render(node))
        if node.operator == "**":
            require(names_of(node), render(node))
    order = [*spans, *before, "N"]
    for node in (node for node in nodes if node.operator == "*"):
        sides = (node.left, node.right)
        factors = [[n for n in sorted(names_of(side)) if is_open(n)] for side in sides]
        if all(factors):
            places = [[order.index(name) for name in side if name in order] for side in factors]
            first = min((0, 1), key=lambda i: min(places[i], default=len(order)))
            require(factors[first], render(node))

    for name in needed.keys() - spans.keys() - definitions:
        what = "is a bound" if name == "N" else "is counted"
        raise NotDefinableError(f"{needed[name]}: {name} {what}, but must be a constant there")
    for name, span in spans.items():
        if span.names <= needed.keys():
            needed.setdefault(name, span.text)
    fixed = tuple(name for name in spans if name in needed)
    if not any("N" in span.names for name, span in spans.items() if name not in needed):
        longer = ", ".join(name for name in fixed if "N" in spans[name].names)
        given = f"given {longer} there are" if longer else "there are"
        raise NotDefinableError(f"{given} finitely many integers, so a check decides the statement")
    return fixed


def choices(claim: Claim, fixed: tuple[str, ...]) -> tuple[list[dict[str, int]], bool]:
    """Return first choices of the fixed integers, and whether these are all.

    Choices that contradict the premise are skipped. There are always others if a range grows with the bound.
    """
    spans = {name: claim.integers[name] for name in fixed}
    _, body = tree.integers_in_front(claim.proposition)
    while isinstance(body, tree.Let):
        body = body.body
    supposed = [
        part.formula
        for part in (tree.conjuncts(body.premise) if isinstance(body, tree.Implies) else ())
        if isinstance(part, tree.Expression) and part.formula.names <= spans.keys()
    ]
    possible = (
        choice
        for choice in assignments(spans, {"N": claim.statement.bound or 0})
        if all(_may_hold(part, choice) for part in supposed)
    )
    first = list(islice(possible, MOST_CHOICES + 1))
    are_all = len(first) <= MOST_CHOICES and not any("N" in span.names for span in spans.values())
    return [{name: choice[name] for name in fixed} for choice in first[:MOST_CHOICES]], are_all


def _may_hold(condition: Formula, values: Mapping[str, int]) -> bool:
    """Whether a condition is true or undefined."""
    try:
        return bool(condition.value(values))
    except FormulaError:
        return True


# ---- Decisions.

NONE = "no case satisfies its premise"


def decide_integers(claim: Claim, seconds: float = 60.0) -> list[tuple[dict[str, int], Finding]]:
    """Decide a statement about integers for its own bound and all larger ones.

    The time limit applies to all choices together. Raises `DisagreementError` if the engine contradicts the definition.

    Returns
    -------
    list of (dict, Finding)
        For each of the first choices of the fixed integers: ``Proved``; ``Refuted`` at the least integers; ``Vacuous``; or
        ``Undecided``. For a refutation, an integer that may be negative is compared by its distance from the start of its range. An
        ``Undecided`` with an empty dict applies to all other choices, or to a statement without a sentence. Evidence: the states of the
        largest automaton, and ``all_choices``: whether the statement is decided for every choice.
    """
    if claim.pattern is not None:
        raise ValueError(f"{claim.id}: a statement about integers is needed")
    if not (claim.is_about_integers and claim.integers):
        why = f"statements of this form are not supported in proofs: {claim.summary}"
        return [({}, Finding(Undecided(why), {"all_choices": False}))]
    clock = Clock(seconds)
    decided = []
    try:
        fixed_names = fixed_integers(claim)
        listed, are_all = choices(claim, fixed_names)
        for fixed in listed:
            decided.append((fixed, decide_choice(claim, fixed, clock.left)))
        if not are_all:
            spans = ", ".join(range_text(name, claim.integers[name]) for name in fixed_names)
            why = f"only the first {len(listed):,} choices of {spans} are decided"
            decided.append(({}, Finding(Undecided(why))))
        elif not listed:
            decided.append(({}, Finding(Vacuous(NONE))))
    except NotDefinableError as error:
        decided = [({}, Finding(Undecided(str(error))))]
    except FormulaError as error:  # a range of a fixed integer is undefined
        decided = [({}, without_value(claim, error))]
    every = not any(isinstance(finding.verdict, Undecided) for _, finding in decided)
    return [(fixed, finding.with_evidence({"all_choices": every})) for fixed, finding in decided]


def decide_choice(claim: Claim, fixed: Mapping[str, int], seconds: float) -> Finding:
    """Decide a statement for fixed integers; see `decide_integers`."""
    engine = Engine({}, seconds)

    def evidence() -> dict[str, object]:
        return {"engines": ["own"], "states": engine.states}

    try:
        sentences = _Sentences(claim, fixed)
        if engine.is_valid(logic.negation(sentences.cases)):
            return Finding(Vacuous(NONE), evidence())
        if engine.is_valid(logic.negation(sentences.false)):
            repeated = command("claims", "check", claim.id)
            again = "its certificate" if claim.is_found else repeated
            return Finding(Proved(again, "integer"), evidence())
        at = sentences.least(engine)
        counterexample = false_for(claim.proposition, at, claim.statement.printed)
    except FormulaError as error:
        return without_value(claim, error)
    except (UndecidedError, LimitError) as error:
        return Finding(Undecided(str(error)))
    if counterexample is None:
        raise DisagreementError(f"{claim.id} is false at {at} by the engine, not by definition")
    return Finding(Refuted(counterexample, 0), evidence())


class _Sentences:
    """Sentences of a statement about integers, for given fixed integers.

    Variables are natural numbers. An integer with a range is represented by its distance from the start of the range. Raises
    `NotDefinableError` if the statement is not expressible; `FormulaError` if a part is always undefined.
    """

    def __init__(self, claim: Claim, fixed: Mapping[str, int]) -> None:
        self.spans = claim.integers
        #: The bound N, at least that of the statement.
        self.bound = Auxiliary("N")
        self.integers = Integers({"N": Sum.of(self.bound)})
        for name, value in fixed.items():
            self.integers.values[name] = Sum({}, value)
        ranges: list[logic.Sentence] = [
            logic.linear({self.bound: 1}, -(claim.statement.bound or 0), ">=")
        ]
        for name, span in self.spans.items():
            if name in fixed:
                ranges += self.integers.holding(fixed[name], span)
            else:
                ranges += self.integers.within(name, span)
        _, body = tree.integers_in_front(claim.proposition)
        translator = Translator(self.integers, claim.statement.printed)
        applies, false = translator.true(tree.applies(body)), translator.false(body)
        in_ranges = logic.conjunction(*ranges)
        #: The integers are in their ranges, and the statement is false.
        self.false_with_bound = logic.conjunction(in_ranges, false)
        if self.bound not in logic.free(applies) | logic.free(false):  # then any bound suffices
            by_bound = [part for part in ranges if self.bound in logic.free(part)]
            others = [part for part in ranges if self.bound not in logic.free(part)]
            in_ranges = logic.conjunction(
                *others, logic.exists((self.bound,), logic.conjunction(*by_bound))
            )
        #: The integers are in their ranges, and the premise is true.
        self.cases = logic.conjunction(in_ranges, applies)
        #: Like `false_with_bound`, but without the bound if only ranges depend on it.
        self.false = logic.conjunction(in_ranges, false)

    def least(self, engine: Engine) -> dict[str, int]:
        """Return the least integers that make the statement false, and the bound N.

        An integer that may be negative is compared by its distance from the start of its range.
        """
        order: list[Variable] = []
        false = self.false_with_bound
        sums = {name: self.integers.values[name] for name in self.spans}
        for name, value in sums.items():
            if value.never_negative:
                order.append(value.variable or Auxiliary(name))
                false = logic.conjunction(false, (value - Sum.of(order[-1])).compared("=="))
            elif name in self.integers.counted_by:
                order.append(self.integers.counted_by[name])
        others = sorted(logic.free(false) - set(order))
        integers = least(engine.automaton_of(logic.exists(others, false)), tuple(order))
        assert integers is not None, "a false statement has no counterexample"
        here = [
            logic.linear({name: 1}, -at, "==") for name, at in zip(order, integers, strict=True)
        ]
        there = witness(engine.automaton_of(logic.conjunction(false, *here))) or {}
        values: dict[Variable, int] = dict.fromkeys(logic.free(false), 0) | there
        named = {
            name: total.constant + sum(c * values[v] for v, c in total.coefficients.items())
            for name, total in sums.items()
        }
        return {**named, "N": values[self.bound]}
