"""Sentences about integers in SMT-LIB 2, and calls of solvers during a search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cvc5
import z3

from choco_pipeline.proof.uniform.affine import EXPONENTIAL, Affine, factors_of

TRUE, FALSE = "true", "false"


def text(conditions: Iterable[Affine], body: str, *, names: Iterable[str] = ()) -> str:
    """Return the SMT-LIB text: all conditions are natural, and the body is true.

    `names` are declared even if they do not occur.
    """
    sentences = [*map(at_least_0, conditions), body]
    declared = sorted({*names, *names_in(" ".join(sentences))})
    lines = ["(set-logic QF_LIA)"]
    lines += [f"(declare-const |{name}| Int)" for name in declared]
    lines += [f"(assert {sentence})" for sentence in sentences]
    return "\n".join([*lines, "(check-sat)", ""])


def term(total: Affine) -> str:
    """Return the term of a sum."""
    parts = [f"|{n}|" if c == 1 else f"(* {_integer(c)} |{n}|)" for n, c in total.terms]
    if total.constant or not parts:
        parts.append(_integer(total.constant))
    return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"


def at_least_0(total: Affine) -> str:
    """Sentence: a sum is at least 0."""
    if total.is_constant:
        return TRUE if total.constant >= 0 else FALSE
    return f"(>= {term(total)} 0)"


def is_0(total: Affine) -> str:
    """Sentence: a sum is 0."""
    if total.is_constant:
        return FALSE if total.constant else TRUE
    return f"(= {term(total)} 0)"


def leaves_remainder(total: Affine, size: int, remainder: int) -> str:
    """Sentence: a sum modulo `size` is `remainder`."""
    if all(c % size == 0 for _, c in total.terms):
        return TRUE if total.constant % size == remainder else FALSE
    return f"(= (mod {term(total)} {size}) {remainder})"


def negation(sentence: str) -> str:
    """Return the negation of a sentence."""
    return {TRUE: FALSE, FALSE: TRUE}.get(sentence, f"(not {sentence})")


def all_of(sentences: Iterable[str]) -> str:
    """Return the conjunction of sentences."""
    kept = [s for s in sentences if s != TRUE]
    if FALSE in kept:
        return FALSE
    return TRUE if not kept else kept[0] if len(kept) == 1 else f"(and {' '.join(kept)})"


def any_of(sentences: Iterable[str]) -> str:
    """Return the disjunction of sentences."""
    kept = [s for s in sentences if s != FALSE]
    if TRUE in kept:
        return TRUE
    return FALSE if not kept else kept[0] if len(kept) == 1 else f"(or {' '.join(kept)})"


def names_in(sentences: str) -> set[str]:
    """Return the names in sentences, which are SMT-LIB symbols between bars.

    Examples
    --------
    >>> sorted(names_in(at_least_0(Affine.of("k") - Affine.of("m*n") * 2)))
    ['k', 'm*n']
    """
    return {*sentences.split("|")[1::2]}


def _integer(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


# ---- Calls of z3.

#: The context of one search. The answers of z3 depend on earlier calls in the same context.
_context = z3.Context()


def forget_questions() -> None:
    """Start a new z3 context, so that a search does not depend on earlier ones."""
    global _context
    _context = z3.Context()


def solver_of(conditions: Iterable[Affine], body: str = TRUE) -> z3.Solver:
    """Return a z3 solver with the assertions of `text`."""
    solver = z3.SimpleSolver(ctx=_context)
    solver.from_string(text(conditions, body))
    return solver


def is_possible(conditions: Iterable[Affine]) -> bool:
    """Whether all sums can be natural at once; true if z3 does not know."""
    return bool(solver_of(conditions).check() != z3.unsat)


def natural_powers(total: Affine) -> list[Affine]:
    """Return natural sums: 2**t - 1 and multiples of 2**t, if they occur in `total`."""
    multiples = [name for name, _ in total.terms if EXPONENTIAL in factors_of(name)]
    return [Affine.of(name) - int(name == EXPONENTIAL) for name in multiples]


def sign_of(total: Affine, conditions: Iterable[Affine]) -> bool | None:
    """Return True if a sum is never negative, False if it always is, otherwise None."""
    if total.is_constant:
        return total.constant >= 0
    known = [*conditions, *natural_powers(total)]
    if not is_possible([*known, -total - 1]):
        return True
    return None if is_possible([*known, total]) else False


def value_in(model: z3.ModelRef, name: str) -> int:
    """Return the value of a name in a model."""
    return int(model.eval(z3.Int(name, model.ctx), model_completion=True).as_long())


def all_values(name: str, conditions: Iterable[Affine], most: int) -> list[int] | None:
    """Return all values of a name, ascending; None if there are more than `most`."""
    solver, found = solver_of(conditions), list[int]()
    while solver.check() == z3.sat:
        if len(found) == most:
            return None
        found.append(value_in(solver.model(), name))
        solver.add(z3.Int(name, solver.ctx) != found[-1])
    return sorted(found)


def independent(conditions: Sequence[Affine]) -> tuple[Affine, ...]:
    """Remove conditions that follow from the others."""
    kept = list(conditions)
    for condition in conditions:
        others = [other for other in kept if other is not condition]
        if sign_of(condition, others):
            kept = others
    return tuple(kept)


#: Least limit for one call of cvc5, in seconds.
LEAST_SECONDS = 1.0


def by_cvc5(text: str, milliseconds: int) -> str:
    """Return the answer of cvc5: sat, unsat or unknown."""
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("tlimit-per", str(milliseconds))
    # For conditions with many disjunctions, this halves the time.
    solver.setOption("decision", "justification")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "text")
    symbols = parser.getSymbolManager()
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, symbols))
    return answer.strip().partition(" ")[0]  # "unknown" is followed by a reason
