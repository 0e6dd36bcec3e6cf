"""Check of statements that need no table."""

from __future__ import annotations

from collections.abc import Mapping

from choco_pipeline.claims.checks.evaluation import Evaluation
from choco_pipeline.claims.checks.judgement import judge
from choco_pipeline.claims.kinds import Evaluated, HeightFunctions, Sections
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.mistakes import without_value
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.claims.standalone.height_functions import find_height_functions
from choco_pipeline.claims.standalone.sections import find_sections
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.formula import FormulaError


def check_standing(
    claim: Claim, bound: int | None = None, fixed: Mapping[str, int] | None = None
) -> Finding:
    """Judge a statement on integers, height functions or sections.

    `bound` is `N`, by default the claim's own. Names in `fixed` have one value; the others run over their ranges. Raises
    `ConfigError` if a fixed name does not occur in the statement.
    """
    fixed = fixed or {}
    try:
        match claim.check:
            case Evaluated() as check:
                for name in fixed.keys() - claim.integers.keys():
                    names = ", ".join(claim.integers) or "none"
                    raise ConfigError(f"{name!r} is no integer of the statement: it has {names}")
                known = {"N": check.bound if bound is None else bound}
                evaluation = Evaluation(None, known["N"], known, check.printed, fixed=fixed)
                return judge(check.proposition, evaluation)
            case HeightFunctions() as check:
                return find_height_functions(check, check.bound if bound is None else bound)
            case Sections() as check:
                return find_sections(check, check.bound if bound is None else bound, fixed)
            case _:
                raise ValueError(f"{claim.id} is about rulesets: it is checked on tables")
    except FormulaError as error:
        return without_value(claim, error)
    except LimitError as error:
        return Finding(Undecided(str(error)))
