"""Found statements, and what tries them, as tests make them."""

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding.stage import Finder
from choco_pipeline.finding.statements.scope import Tables
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement, Tried
from choco_pipeline.finding.statements.statement_line import StatementLine
from choco_pipeline.finding.statements.value_statements import lines

EVIDENCE = {
    "found_on": Evidence(10, "a box"),
    "held_on": Evidence(90, "the rest"),
    "tried": Tried(5, "nim-sums"),
}
TRIANGLE = "solid-bar(f=(x+z)//k)"


def silent(*_, **__):
    """Take what is reported."""


def p_iff(ruleset, formula, when="", exceptions=(), **values):
    return FoundStatement(
        kind="p-positions",
        ruleset=ruleset,
        said=f"P iff {formula}",
        when=when,
        parameters=values,
        formulas=(StatementLine("P iff", formula),),
        exceptions=exceptions,
        **EVIDENCE,
    )


def g_is(ruleset, *lines, **values):
    formulas = tuple(StatementLine("G =", formula, where) for formula, where in lines)
    return FoundStatement(
        kind="grundy",
        ruleset=ruleset,
        said="G",
        parameters=values,
        formulas=formulas,
        **EVIDENCE,
    )


def finder(*games, catalogue=None, decide=None, quantity="p-positions", bound=32, **certificates):
    tables = Tables({(game, quantity): bound for game in games}, certificates.get("paths", {}))
    return Finder(tables, catalogue or Catalogue({}), decide)


def triangles(*ks):
    return [f"solid-bar(f=(x+z)//{k})" for k in ks]


PASS = "with-pass(strip-bar(k=k, s=s), passes=1)"
CONJ_4_1 = {
    "kind": "values",
    "of": "(x+s) ^ y ^ (z+s) ^ p",
    "values": "v == 1 or v >= 0 and (v+2) & (v+1) == 0",
    "relation": "exactly",
}


def values_are(ruleset, check, when="", **parameters):
    return FoundStatement(
        kind="values",
        ruleset=ruleset,
        said="values",
        when=when,
        parameters=parameters,
        claim={"check": check},
        formulas=tuple(lines(check["of"], check["relation"], check["values"])),
        **EVIDENCE,
    )
