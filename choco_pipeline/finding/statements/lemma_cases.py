"""Found statements that are cases of a lemma on all games."""

from __future__ import annotations

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.formula import parse
from choco_pipeline.games.notation import as_written

#: What one pass does to Grundy numbers g of a game in which they are 0 at the end alone: 2i−1 and 2i change places for i ≥ 1.
EXCHANGED = parse("max(((g+1) ^ 1)-1, 0)")


def lemmas(claim: Claim) -> tuple[str, ...]:
    """Return the lemma on all games, by its name in docs/lemmas.md, that a claim is a case of; nothing if there is none."""
    check, own = claim.related, as_written(str(claim.statement.ruleset))
    if check is None or as_written(check.game) != own:
        return ()
    at = {name: formula.text for name, formula in check.moved.items()}
    if at == {"p": "p-2"} and check.equals in (None, parse("g")):
        return ("two-more-passes",)
    functions = [check.equals] if check.equals else [check.at[name] for name in at if name != "p"]
    one_less = at.get("p") == "p-1" and len(at) == (1 if check.equals else 2)
    is_exchange = [f.rename(dict.fromkeys(f.names, "g")) for f in functions] == [EXCHANGED]
    return ("one-pass",) if one_less and is_exchange else ()
