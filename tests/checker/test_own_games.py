"""Games of one's own: the checker reads their descriptions as the definition does, and refuses certificates of near ones."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import CutGame
from choco_pipeline.proof.games import guess
from choco_pipeline.proof.games.certificate import check_certificate, write_certificate
from choco_pipeline.proof.games.prover import check_relation, prove
from tests.checker.certificates import answer_on, checker, claim_on, verdict_on
from tests.effort import examples
from tests.proof.own_games import all_own_games
from tests.proof.relations import by_formula


def holds(part, values):
    """Return whether one of the checker's automata reads the digits of these numbers to an end."""
    state, edge = 0, 0
    for i in range(max(values.values(), default=0).bit_length() + 1):
        symbol = sum((values[track] >> i & 1) << j for j, track in enumerate(part.tracks))
        edge = part.rows[state].get(symbol, -1)
        if edge < 0:
            return False
        state = edge >> 1
    return bool(edge & 1)


@settings(max_examples=examples(40), deadline=None)
@given(all_own_games)
def test_the_checker_knows_positions_and_options(game):
    program = checker()
    documents = program.formed(game.documents, program.FILE["games?"], "games")
    read = program.game_of(program.parsed(game.notation), {}, documents)
    assert read.coordinates == list(game.coordinates)
    options = []
    for _, changed, such in read.moves:
        part = program.some([], *such, read.legal.on(changed))
        options.append(part.on({track: f"{c}'" for c, track in changed.items()}))
    side = {2: 7, 3: 4}.get(len(game.coordinates), 3)
    box = list(itertools.product(range(side), repeat=len(game.coordinates)))
    for position in box:
        here = dict(zip(game.coordinates, position, strict=True))
        assert holds(read.legal, here) == game.is_position(position), position
        if not game.is_position(position):
            continue
        true, found = set(game.options(position)), set()
        for to in itertools.product(*(range(c + 1) for c in position)):
            there = {f"{c}'": n for c, n in zip(game.coordinates, to, strict=True)}
            for move, part in zip(read.moves, options, strict=True):
                kept = all(here[c] == n for c, n in zip(here, to, strict=True) if c not in move[1])
                if kept and holds(part, here | there):
                    found.add(to)
        assert found == true, position


GAMES: dict[str, dict[str, Any]] = {
    "amounts": {
        "parameters": {"k": 3},
        "coordinates": ["a"],
        "moves": [{"lower": ["a"], "by": [1, "k", "k+1"]}],
    },
    "moore": {
        "coordinates": ["a", "b", "c"],
        "moves": [{"lower": list(two), "by": "any"} for two in ("ab", "ac", "bc")],
    },
    "bar": {
        "coordinates": ["y", "z"],
        "heights": {"y": "z//2"},
        "moves": [{"lower": ["y"]}, {"lower": ["z"], "clip": False}],
    },
    "heights": {
        "coordinates": ["x", "y", "z"],
        "heights": {"y": "z//2", "x": "z//3"},
        "moves": [{"lower": ["x"]}, {"lower": ["y"]}, {"lower": ["z"]}],
    },
    "ends": {"coordinates": ["a"], "moves": [{"lower": ["a"], "by": [1, 2]}], "ends": "a <= 1"},
    "most": {"coordinates": ["a"], "moves": [{"lower": ["a"], "at_most": "(a+1)//2"}]},
}
#: P-positions that are known: of Moore's Nim (1910), where digits of base 2 add up to multiples of 3, and of Nim.
KNOWN = {"moore": "a == b and b == c", "heights": "x ^ y ^ z == 0"}
NEIGHBOURS: list[tuple[str, dict[str, Any]]] = [
    ("amounts", {"moves": [{"lower": ["a"], "by": [1, 3, 5]}]}),
    ("amounts", {"moves": [{"lower": ["a"], "by": [1, 4]}]}),
    ("amounts", {"ends": "a <= 1"}),
    ("moore", {"moves": GAMES["moore"]["moves"][:2]}),
    ("moore", {"moves": [*GAMES["moore"]["moves"][:2], {"lower": ["b", "c"], "by": "same"}]}),
    ("moore", {"heights": {"c": 9}}),
    ("bar", {"moves": [{"lower": ["y"]}, {"lower": ["z"]}]}),
    ("bar", {"heights": {"y": "(z+1)//2"}}),
    ("heights", {"heights": {"y": "z//2", "x": "z//3+1"}}),
    ("amounts", {"parameters": {"k": 5}}),
    ("heights", {"heights": {"y": "z//2"}}),
    ("ends", {"ends": None}),
    ("ends", {"ends": "a <= 2"}),
    ("most", {"moves": [{"lower": ["a"], "at_most": "a//2+1"}]}),
    ("most", {"moves": [{"lower": ["a"]}]}),
]
#: What is no description of a game; the package says where, the checker that it is no certificate.
BROKEN: list[dict[str, Any]] = [
    {"moves": [{"lower": []}]},
    {"moves": [{"lower": ["q"]}]},
    {"moves": [{"lower": ["a", "a"], "by": "same"}]},
    {"moves": [{"lower": ["a"], "by": "all"}]},
    {"moves": [{"lower": ["a"], "lowers": ["a"]}]},
    {"within": "a < 5"},
    {"more": 1},
    {"coordinates": ["a", "a"]},
    {"coordinates": ["v"]},
    {"heights": {"q": "a"}},
    {"heights": {"a": "a//2"}},
    {"ends": "a"},
    {"parameters": {"a": 3}},
    {"parameters": {"k": "__import__('os')"}},
]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return the text of the certificate of a game's P-positions or Grundy numbers."""
    folder, found = tmp_path_factory.mktemp("games"), {}
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(guess, "DEPTHS", (6, 7, 9))  # small tables are enough, and quick

    def text(name, relation="p"):
        if (name, relation) not in found:
            game = CutGame(**GAMES[name], name=name)
            if name in KNOWN:
                proof = check_relation(game, [by_formula(game, KNOWN[name])])
            else:
                proof = prove(game, relation)
            assert proof.status == "proved", proof.why
            found[name, relation] = write_certificate(proof, folder).read_text()
        return found[name, relation]

    yield text
    monkeypatch.undo()


def verdicts(document, folder):
    """Return what the checker says of a document, and what our engine does."""
    theirs = verdict_on(document, folder)[0]
    return theirs, check_certificate(folder / "certificate.json").status


@pytest.mark.parametrize("name", GAMES)
def test_a_certificate_holds_its_game_and_no_file_is_read(name, written, tmp_path, monkeypatch):
    document = json.loads(written(name))
    assert document["games"] == {name: {"game": name, **GAMES[name]}}
    monkeypatch.chdir(tmp_path)
    assert verdicts(document, tmp_path) == ("proved", "proved")


@pytest.mark.parametrize(
    ("name", "change", "relation"),
    [
        (name, change, relation)
        for name, change in NEIGHBOURS
        for relation in ("p", "grundy")
        if relation == "p" or name in ("amounts", "bar", "ends")  # whose Grundy numbers are proved
    ],
)
def test_a_certificate_of_a_near_game_is_refused(name, change, relation, written, tmp_path):
    document = json.loads(written(name, relation))
    near = {key: part for key, part in (document["games"][name] | change).items() if part}
    document["games"][name] = near
    k = near.get("parameters", {}).get("k")
    document["ruleset"] = document["ruleset"].replace("k=3", f"k={k}")
    assert verdicts(document, tmp_path) == ("refuted", "refuted")
    _, rules = answer_on(document, tmp_path)
    assert rules[:-1] != answer_on(json.loads(written(name, relation)), tmp_path)[1][:-1]


@pytest.mark.parametrize("change", BROKEN)
def test_a_broken_description_is_no_certificate(change, written, tmp_path):
    document = json.loads(written("amounts"))
    document["games"]["amounts"] |= change
    assert verdict_on(document, tmp_path)[0] == "no certificate"


@pytest.mark.parametrize("games", [None, {}, {"other": {}}])
def test_a_game_without_a_description_is_no_certificate(games, written, tmp_path):
    document = json.loads(written("amounts"))
    assert verdict_on(document | {"games": games}, tmp_path)[0] == "no certificate"


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [("a % 7 == 0 or a % 7 == 2", "proved"), ("a % 7 == 0 or a % 7 == 3", "refuted")],
)
def test_claims_on_such_games(formula, wanted, written, tmp_path):
    game = json.loads(written("amounts"))
    claim = claim_on(json.dumps(game), f"P <=> {formula}")
    assert verdict_on(claim | {"games": game["games"]}, tmp_path)[0] == wanted
    assert verdict_on(claim, tmp_path)[0] == "no certificate"


@given(st.sampled_from(["game(q-1)", "game(q-1, k=2)", "with-pass(game( q-1 , k=2), 1)"]))
def test_names_of_games_have_hyphens(text):
    program = checker()
    documents = {"q-1": {**GAMES["amounts"], "game": "q-1", "parameters": {"k": 2}}}
    assert "game(q-1, k=2)" in program.game_of(program.parsed(text), {}, documents).text


@pytest.mark.parametrize("most_kept", [0, 1 << 12])
def test_what_is_made_of_the_same_rows_depends_on_where_integers_stand(most_kept, monkeypatch):
    check = checker()
    monkeypatch.setattr(check, "MOST_KEPT", most_kept)
    below = check.limits({"x": 1, "y": -1}, None, -1)
    above, next_below = below.on({"x": "y", "y": "x"}), below.on({"x": "y", "y": "z"})
    zero = check.limits({"x": 1}, 0, 0)
    for _ in range(2):  # the second time from what is kept
        assert check.witness(below & above) is None
        assert check.witness(below - above) is not None
        assert check.witness(below - below) is None
        chain = check.witness(below & next_below)
        assert chain["x"] < chain["y"] < chain["z"]
        assert check.witness(check.without(["x"], below & zero))["y"] > 0
        assert check.witness(check.without(["x"], above & zero))["y"] < 0
        assert set(check.without(["y"], below & zero).tracks) == {"x"}
