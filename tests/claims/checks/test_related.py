"""Claims that one game follows from another: true ones, the nearest false ones, and drawn ones against the definition."""

from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.kinds import Related
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import as_written, coordinates_of
from choco_pipeline.tables.computing import table
from tests.claims.oracle import outcome

STEP, STRIP = "step-bar(k={k}, s={s})", "strip-bar(k={k}, s={s})"
TRIANGLE = "solid-bar(f=(x+z)//{k}{more})"


def related(ruleset, game, at, equals=None, where=None):
    there = coordinates_of(as_written(game))
    place = f"[{game}]({', '.join(str(at.get(name, name)) for name in there)})"
    said = f"P <=> P{place}" if equals is None else f"G == {equals.replace('g', f'G{place}')}"
    said = f"{where} => ({said})" if where else said
    claim = Claim.from_json({"id": "drawn", "ruleset": ruleset, "statement": said})
    assert list(mistakes_in(claim)) == []
    assert isinstance(claim.check, Related)
    return claim


def verdict_on(claim, bound, quantity):
    game = parse_ruleset(claim.statement.ruleset)
    verdict = check_claim(claim, {}, game, bound, table(game, bound, quantity)).verdict
    said = outcome(claim, {}, game, min(bound, 8), quantity)
    if said.is_false:
        assert isinstance(verdict, Refuted)
        assert verdict.counterexample.position == said.least
    return verdict


def test_where_there_is_no_related_position_the_claim_is_false():
    bars = {k: TRIANGLE.format(k=k, more="") for k in (3, 7)}
    verdict = verdict_on(related(bars[3], bars[7], {}), 20, "p-positions")
    assert isinstance(verdict, Refuted)
    assert "is no position of" in verdict.counterexample.found
    assert isinstance(verdict_on(related(bars[7], bars[3], {}), 20, "p-positions"), HoldsToBound)


GAMES = [
    "step-bar(k=2, s=1)",
    "step-bar(k=3, s=0)",
    "strip-bar(k=1, s=0)",
    "nim(2)",
    "nim(3)",
    "solid-bar(f=max(x, z)//2)",
]


@given(st.data(), st.sampled_from(GAMES), st.sampled_from(["grundy", "p-positions"]))
def test_drawn_relations(data, game, quantity):
    """Between a game and itself, moved; the least counterexample is that of the definition."""
    names = parse_ruleset(game).coordinates
    moved = {name: data.draw(st.integers(-1, 2)) for name in names}
    at = {name: f"{name}{by:+d}" for name, by in moved.items() if by}
    equals = data.draw(st.sampled_from(["g", "g+1", "g ^ 1"])) if quantity == "grundy" else None
    where = data.draw(st.sampled_from([None, f"{names[0]} > 0"]))
    claim = related(game, game, at, equals, where)
    own = parse_ruleset(game)
    verdict = check_claim(claim, {}, own, 5, table(own, 5, quantity)).verdict
    said = outcome(claim, {}, own, 5, quantity)
    if isinstance(verdict, Refuted):
        found = verdict.counterexample.position
        assert found == said.least or (not said.is_false and max(found) > 5)  # a last heap
    elif said.is_false:
        raise AssertionError(said)
    else:
        assert isinstance(verdict, HoldsToBound | Exhausted) != said.is_empty
