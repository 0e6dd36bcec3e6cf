"""Found statements, and what tries them, as tests make them."""

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding import lines
from choco_pipeline.finding.lines import by_cases, grundy
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.stage import Finder, document_of, proposals
from choco_pipeline.finding.statement import FoundStatement, Mined
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import match, read
from choco_pipeline.mining.table_findings import Evidence, StatementFinding, Tried
from choco_pipeline.mining.task import mine_table
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table

EVIDENCE = {
    "found_on": Evidence(10, "a box"),
    "held_on": Evidence(90, "the rest"),
    "tried": Tried(5, "nim-sums"),
}
TRIANGLE = "solid-bar(f=(x+z)//k)"


def silent(*_, **__):
    """Take what is reported."""


def cells_of(notation, bound, quantity="p-positions", **parameters):
    """Return the computed table of a game."""
    game = parse_ruleset(notation, parameters)
    return Cells.of(game, bound, table(game, bound, quantity))


def mined(notation, searches, quantity="p-positions", bound=31, family="", data=None):
    """Return the results of searches in the table of a game."""
    game, family = parse_ruleset(notation), family or notation
    data = table(game, bound, quantity) if data is None else data
    parameters = match(read(family), read(notation)) or {}
    findings = mine_table(searches, Cells.of(game, bound, data))
    return [Mined(notation, quantity, bound, family, parameters, one) for one in findings]


def document(findings, families=(), **more):
    """Return what is found of the results of searches."""
    bounds = {(one.ruleset, one.quantity): one.bound for one in findings}
    judges = Finder(Tables(bounds), more.pop("catalogue", Catalogue({})))
    return document_of([search() for search in proposals(findings, families, **more)], judges)


def proposed(line):
    """Return what a search of one table finds that proposes a line."""
    seen = Evidence(positions=9, what="positions")
    return StatementFinding(
        search="formulas",
        text=line,
        claim={"statement": line},
        found_on=seen,
        held_on=seen,
        tried=Tried(candidates=5, what="formulas"),
    )


def p_iff(ruleset, formula, when="", exceptions="", **values):
    line = by_cases(lines.p_iff, [(formula, "")], exceptions)
    return _statement(ruleset, line, when, values)


def g_is(ruleset, *cases, **values):
    return _statement(ruleset, by_cases(grundy, cases), "", values)


def values_are(ruleset, line, when="", **values):
    return _statement(ruleset, line, when, values)


def _statement(ruleset, line, when, values):
    return FoundStatement(
        search="formulas",
        ruleset=ruleset,
        statement=line,
        when=when,
        parameters=values,
        **EVIDENCE,
    )


def finder(*games, catalogue=None, decide=None, quantity="p-positions", bound=32, **certificates):
    tables = Tables({(game, quantity): bound for game in games}, certificates.get("paths", {}))
    return Finder(tables, catalogue or Catalogue({}), decide)


def triangles(*ks):
    return [f"solid-bar(f=(x+z)//{k})" for k in ks]


PASS = "with-pass(strip-bar(k=k, s=s), passes=1)"
CONJ_4_1 = "{(x+s) ^ y ^ (z+s) ^ p: P} == {v: v == 1 or v >= 0 and (v+2) & (v+1) == 0}"
