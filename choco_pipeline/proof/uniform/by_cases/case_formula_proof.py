"""The search for a proof of a Grundy formula by cases: options that it needs, and lemmas for each obligation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.by_cases.case_obligations import (
    CaseObligations,
    NamedQuotient,
    SoughtOption,
)
from choco_pipeline.proof.uniform.by_cases.chosen_options import chosen_options
from choco_pipeline.proof.uniform.by_cases.derived_options import Quotients, derived_options
from choco_pipeline.proof.uniform.by_cases.product_lemmas import (
    Products,
    TrueCounterexampleError,
    lemmas_for,
    needed_lemmas,
)
from choco_pipeline.proof.uniform.families.affine import Affine, factors_of
from choco_pipeline.proof.uniform.families.family import Family, FamilyCase
from choco_pipeline.proof.uniform.sentences import all_of, names_in, text
from choco_pipeline.proof.uniform.solvers import require_unsat

#: Seconds to find which lemmas z3 needs, and for a text with no others, which mostly takes one: with too few cvc5 may never end.
FEWEST_SECONDS = 5.0


@dataclass(frozen=True)
class CaseFormulaProof:
    """Why a formula by cases is right in a case."""

    #: The parameter that is multiplied with other names, if there is one.
    factor: str | None
    #: Some option of these always has the smaller value; they may be made of these quotients.
    quotients: tuple[NamedQuotient, ...]
    options: tuple[SoughtOption, ...]
    #: For each text the sums whose lemmas on products are in it.
    lemmas: Mapping[str, tuple[Affine, ...]]
    #: What both solvers found unsatisfiable.
    texts: Mapping[str, str] = field(repr=False)


def prove_by_cases(family: Family, case: FamilyCase, clock: Clock) -> CaseFormulaProof:
    """Return a proof.

    Raises
    ------
    FamilyError
        If the case has no such obligations.
    UndecidedError
        If none is found.
    DisagreementError
        If the solvers contradict each other.
    """
    game = CaseObligations(family, case)
    bodies = dict(game.bodies())
    texts, lemmas = {}, {}
    for name, body in bodies.items():
        texts[name], lemmas[name] = _proved(game, name, body, clock)
    quotients = Quotients(case.conditions)
    sought = derived_options(game, quotients, clock)
    options, named = chosen_options(game, sought, quotients, clock)
    body = game.option_body(options, named)
    texts["option"], lemmas["option"] = _proved(game, "option", body, clock)
    return CaseFormulaProof(game.factor, tuple(named), tuple(options), lemmas, texts)


def _proved(
    game: CaseObligations, name: str, body: str, clock: Clock
) -> tuple[str, tuple[Affine, ...]]:
    """Return the text of an obligation with lemmas, all that were found if both solvers are not content with fewer; and these."""
    products = Products.of(game.factor, body)
    known = [body] if products is None else [products.always(), body]
    names = sorted(names_in(body) | {*game.case.names})

    def written(lemmas: tuple[Affine, ...]) -> str:
        told = [] if products is None else [products.lemma(total) for total in lemmas]
        return text(names, game.case.conditions, all_of([*known, *told]))

    try:
        used = lemmas_for(written(()), products, clock)
        lemmas = needed_lemmas(written(()), products, used, Clock(min(FEWEST_SECONDS, clock.left)))
    except TrueCounterexampleError as error:
        values = assigned({n: v for n, v in error.values.items() if len(factors_of(n)) == 1})
        raise UndecidedError(f"{name} fails at {values}") from None
    except UndecidedError as error:
        raise UndecidedError(f"{name}: {error}") from None
    try:
        require_unsat(name, written(lemmas), Clock(min(FEWEST_SECONDS, clock.left)))
    except UndecidedError:
        lemmas = used
        require_unsat(name, written(lemmas), clock)
    return written(lemmas), lemmas
