"""Proof that a claim's `for_all` implies its `when`.

The implication is a statement about integers, which our engine and the checker must prove. Comparisons in `when` that are not
expressible in linear and bitwise arithmetic are replaced by a false one. If the claim has integers in `some`, their ranges must be
nonempty, and `when` must hold for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Proved, verdict_text
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import nodes, parse
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.proof.arithmetic.terms import condition
from choco_pipeline.proof.checker import CHECKER_SECONDS, ask_checker
from choco_pipeline.proof.proof_errors import LemmaError, NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.claim_certificate import write_claim_certificate
from choco_pipeline.proof.statements.decided_integers import decide_integers

#: Least value of the bound N of integers. Up to it, statements are also checked by their definition.
INTEGER_BOUND = 3
ZERO, ONE = nodes.Integer(0), nodes.Integer(1)


def require_implied_condition(claim: Claim, seconds: float) -> None:
    """Raise `UndecidedError` unless `for_all` provably implies `when`."""
    statement = claim.statement
    if claim.is_for_all_only or statement.for_all is None or statement.when is None:
        return
    premises, goals = [statement.for_all.root], list[nodes.Node]()
    spans = dict.fromkeys(sorted(claim.parameters), "0..N")
    for name, span in statement.some.items():
        spans[name] = "-N..N"
        first, last = span.first.root, span.last.root
        # An exponent, v2(n) or log2(n), is at least 0.
        least = ZERO if isinstance(last, nodes.Call) and last.function in ("v2", "log2") else last
        goals += [nodes.Compare(("<=",), (first, least)), *_has_value(first), *_has_value(last)]
        if span.step is not None:
            step = span.step.root
            goals += [nodes.Compare((">=",), (step, ONE)), *_has_value(step)]
        # A range with a step still contains its first integer, and is a subset of the range without a step.
        premises.append(nodes.Compare((">=",), (nodes.Name(name), first)))
    when = statement.when.root
    try:
        goals += [*_has_value(when), _stronger(when)]
        sides = (
            " and ".join(f"({nodes.render(part)})" for part in parts) for parts in (premises, goals)
        )
        ranges = ", ".join(f"{name} in {span}" for name, span in spans.items())
        implied = f"for {ranges}: {' => '.join(sides)}"
        with TemporaryDirectory() as folder:
            steps = proved_steps("condition", implied, seconds, Path(folder))
            answers = ask_checker([step["certificate"] for step in steps], CHECKER_SECONDS)
        if not all("checker" in answer.engines for answer in answers):
            raise UndecidedError(f"{implied} is not proved by the checker")
    except ChocoError:
        raise UndecidedError(
            f"`when` ({statement.when}) is not shown to hold for all {', '.join(sorted(claim.parameters))}"
            f" with {statement.for_all}"
        ) from None


def proved_steps(
    name: str, text: str, seconds: float, folder: Path | None
) -> Iterator[Mapping[str, Any]]:
    """Yield the proofs of a statement about integers, or raise `LemmaError`.

    There is a proof for each choice of the fixed integers. If `folder` is given, it receives their certificates.
    """
    statement = Claim.from_json({"id": name, "statement": text, "bound": INTEGER_BOUND})
    for fixed, finding in decide_integers(statement, seconds=seconds):
        of = assigned(fixed)
        if not isinstance(finding.verdict, Proved):
            why = f"{statement.summary}: {verdict_text(finding.verdict)}"
            raise LemmaError(f"it does not follow{f' for {of}' if of else ''}: {why}")
        path = None
        if folder is not None:
            path = write_claim_certificate(statement, fixed, None, folder).as_posix()
        yield {
            "says": statement.summary,
            "for": of,
            "engines": ["own"],
            "no_answer": {},
            "states": finding.evidence["states"],
            "certificate": path,
        }


def _stronger(node: nodes.Node) -> nodes.Node:
    """Return a condition that implies `node` and is expressible as a sentence."""
    match node:
        case nodes.Junction(operator, operands):
            return nodes.Junction(operator, tuple(map(_stronger, operands)))
        case nodes.Compare():
            try:
                condition(parse(nodes.render(node)))
            except NotDefinableError:
                return nodes.Compare(("==",), (ZERO, ONE))
            return node
        case nodes.LogicalNot():
            condition(parse(nodes.render(node)))  # raises an error if there is no sentence
            return node
        case _:
            raise UndecidedError("a condition is needed, found an integer")


def _has_value(node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield conditions that make every part of a formula defined."""
    for part in nodes.walk(node):
        match part:
            case nodes.Call("v2", (of,)) | nodes.Binary("//" | "%", _, of):
                yield nodes.Compare(("!=",), (of, ZERO))
            case nodes.Call("log2", (of,)):
                yield nodes.Compare((">=",), (of, ONE))
            case nodes.Binary("**" | "<<" | ">>", _, exponent):
                yield nodes.Compare((">=",), (exponent, ZERO))
            case _:
                pass
