"""Printed theorems of families, read back and compared with the definition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, product
from xml.etree import ElementTree

import pytest

from choco_pipeline.errors import ChocoError
from choco_pipeline.games.notation import parse_ruleset
from choco_pipeline.proof.uniform.family_certificate import write
from choco_pipeline.report.families import FOLDER, write_family_pages
from tests.definition import grundy_by_definition
from tests.proof.uniform.judged import prove_family
from tests.report.documents import a_claim, whole
from tests.report.family_documents import ODD_STEP, STEP, FamilyClaim, certificates, proved_verdict
from tests.report.read_latex import Reader, as_latex

SOLID, NIM = "solid-bar(f=(x+z)//k)", "x ^ y ^ z == 0"
EVEN, EIGHT = "x <= k//2 and y <= k//2 and z <= k//2", "x <= (3*k+2)//2 and z <= (3*k+2)//2"
FAMILIES: list[FamilyClaim] = [
    STEP,
    (SOLID, "k % 8 == 3 or k % 8 == 7", {"p_positions": NIM}),
    (SOLID, "k % 4 == 2", {"p_positions": NIM, "where": EVEN}),
    (SOLID, "k >= 1", {"p_positions": NIM, "where": "x + z < k"}),
]
OTHERS: list[FamilyClaim] = [
    (SOLID, "k % 8 == 4", {"p_positions": NIM, "where": EIGHT}),
    (SOLID, "k % 4 == 2", {"p_positions": NIM, "where": "x <= k//2 + 1 and z < k//2"}),
    ODD_STEP,
    ("strip-bar(k=k, s=s)", "k % 2 == 0 and 1 <= s < k", {"p_positions": "(x+s) ^ y ^ (z+s) == 0"}),
    (SOLID, "k % 4 == 1", {"p_positions": "(x-1) ^ y ^ (z-1) == 0"}),
]
#: The next larger bounds, with which two of these are false.
BEYOND = {
    EVEN: EVEN.replace("k//2", "k//2 + 1"),
    EIGHT: EIGHT.replace("(3*k+2)//2", "(3*k+2)//2 + 1"),
}
#: Coordinates without a largest value take the values up to this one; so many members are looked at.
BOUND, MEMBERS, MOST_PARAMETER = 13, 4, 12


@dataclass(frozen=True)
class Theorem:
    """A page's statement in LaTeX; it is false in the domain `larger`."""

    names: list[str]
    condition: str
    ruleset: str
    coordinates: list[str]
    where: list[str]
    is_grundy: bool
    relation: str
    larger: list[str]

    def members(self):
        """Yield the games with small parameters that satisfy the condition."""
        for values in product(range(MOST_PARAMETER + 1), repeat=len(self.names)):
            given = dict(zip(self.names, values, strict=True))
            try:
                if Reader(self.condition, given).read():
                    yield given, parse_ruleset(self.ruleset, given)
            except ChocoError:  # no game
                continue

    def is_right(self, given, game, where):
        """Whether the statement agrees with the definition on a domain."""
        assert list(game.coordinates) == self.coordinates
        grundy = grundy_by_definition(game, BOUND)
        for position in game.positions(BOUND):
            at = {**given, **dict(zip(self.coordinates, position, strict=True))}
            if all(Reader(part, at).read() for part in where):
                meant = int(grundy[position]) if self.is_grundy else grundy[position] == 0
                if Reader(self.relation, at).read() != meant:
                    return False
        return True


SENTENCE = re.compile(
    r"For all integers (?P<names>.*?) with (?P<condition>\$.*?\$) such that `(?P<ruleset>.*?)` is a game: "
    r"(?P<grundy>the Grundy number of )?a position \$\((?P<coordinates>.*?)\)\$(?: with (?P<where>.*?))? is "
    r"(?:a P-position if and only if )?\$(?P<relation>.*)\$\."
)
SHARP = re.compile(
    r"The bound is sharp: for all these parameters the statement is false for the positions with (.*)\."
)


def each(text):
    """Return the comparisons of ``$x$, $y < 3$``: one for each name."""
    *names, last = re.findall(r"\$(.*?)\$", text)
    return [*(re.sub(r"^[a-z]", name, last) for name in names), last]


def read_back(sentence, sharp):
    said = SENTENCE.fullmatch(sentence)
    assert said, sentence
    names = [re.match(r"[a-z]", part)[0] for part in each(said["names"])]
    assert all(re.fullmatch(r"[a-z] ?\\geq 0", part) for part in each(said["names"]))
    found = SHARP.fullmatch(sharp) if sharp else None
    assert bool(found) == bool(sharp)
    return Theorem(
        names,
        said["condition"].strip("$"),
        said["ruleset"],
        re.findall("[a-z]", said["coordinates"]),
        each(said["where"]) if said["where"] else [],
        said["grundy"] is not None,
        said["relation"],
        each(found[1]) if found else [],
    )


def on_page(path):
    text = path.read_text(encoding="utf-8")

    def plain(part):
        if part is None:
            return None
        inner = re.sub(
            r"<math>.*?</math>",
            lambda math: f"${as_latex(ElementTree.fromstring(math[0]))}$",
            part[1],
        )
        # The comma behind a formula is set with it.
        inner = re.sub(r"\\text\{([.,;:)])\}\$", r"$\1", inner)
        return inner.replace("<code>", "`").replace("</code>", "`")

    sentence = plain(re.search(r'<p class="statement">(.*?)</p>', text))
    assert sentence is not None
    return read_back(sentence, plain(re.search(r'<p id="sharp">(.*?)</p>', text)))


def in_paper(path):
    text = path.read_text(encoding="utf-8").replace(r"\allowbreak{}", "")
    text = re.sub(r"\\texttt\{(.*?)\}", r"`\1`", text).replace("$\\geq$", "≥")
    sentence = re.search(r"\\begin\{theorem\}\s*(.*?)\s*\\end\{theorem\}", text, re.DOTALL)
    assert sentence is not None
    sharp = re.search(r"The bound is sharp.*", text)
    return read_back(sentence[1], sharp and sharp[0])


def pages_of(family, folder):
    """Prove a family and its sharp bound; return its page and its paper."""
    ruleset, condition, relation = family
    (path,) = certificates(folder, [family])
    verdict = proved_verdict("claim", path)
    where = BEYOND.get(relation.get("where", ""))
    if where is not None:
        refuted = prove_family(ruleset, condition, **{**relation, "where": where})
        of = {"parameters": ["k"], "condition": condition, "where": where}
        places = [failure.text for failure in refuted.failures]
        every = {**of, "positions": places, "certificate": write(refuted, folder).as_posix()}
        verdict["evidence"] |= {"every_member": every}
    ledger = whole({"claims": [a_claim("claim")], "verdicts": [verdict]})
    assert write_family_pages(ledger, folder) == 1
    page = folder / FOLDER / f"{path.stem}.html"
    return page, page.with_suffix(".tex")


@pytest.mark.parametrize(
    "family", [*FAMILIES, *(pytest.param(family, marks=pytest.mark.full) for family in OTHERS)]
)
def test_a_printed_theorem_is_true_in_its_domain_and_a_sharp_bound_is_sharp(family, tmp_path):
    page, paper = pages_of(family, tmp_path)
    theorem = on_page(page)
    assert repr(in_paper(paper)).replace(" ", "") == repr(theorem).replace(" ", "")
    assert bool(theorem.larger) == (family[2].get("where", "") in BEYOND)
    members = list(islice(theorem.members(), MEMBERS))
    assert members
    for given, game in members:
        assert theorem.is_right(given, game, theorem.where), given
    if theorem.where:
        assert not all(theorem.is_right(given, game, []) for given, game in members)
    for given, game in members if theorem.larger else ():
        if max(given.values()) <= BOUND // 2:  # else the failure is beyond the table
            assert not theorem.is_right(given, game, theorem.larger), given
