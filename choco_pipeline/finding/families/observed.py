"""Laws of observed numbers as statements: states of automata, preperiods, and other integers seen for each parameter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.finding.families.frontiers import TRIED
from choco_pipeline.finding.families.laws import FEWEST, laws, shapes
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement, Tried
from choco_pipeline.finding.statements.statement_line import StatementLine
from choco_pipeline.games.combine import passes_left
from choco_pipeline.games.notation import match, read

RELATIONS = {"p": "the P-positions", "grundy": "the Grundy numbers"}


def laws_of_states(
    proofs: Iterable[Mapping[str, Any]], families: Mapping[str, str]
) -> list[FoundStatement]:
    """Return the laws of the numbers of states of proved automata, for families with one parameter.

    Proofs are those of a run's ``proved`` documents, of which only what is proved counts; `families` has for each ruleset the
    family that it belongs to.
    """
    states: dict[tuple[str, str, str], dict[int, int]] = defaultdict(dict)
    for proof in proofs:
        family = families.get(proof["ruleset"], proof["ruleset"])
        parameters = match(read(family), read(proof["ruleset"])) or {}
        if proof["status"] != "proved" or len(parameters) != 1:
            continue
        ((name, value),) = parameters.items()
        for passes, number in enumerate(proof["states"]):
            left = f" with {passes_left(passes)}" if len(proof["states"]) > 1 else ""
            what = f"states of the automaton of {RELATIONS[proof['relation']]}{left}"
            if value >= 1:
                states[family, what, name][value] = number
    return [
        law
        for (family, what, name), values in states.items()
        for law in law_statements(family, what, name, values)
    ]


def law_statements(
    ruleset: str, what: str, name: str, values: Mapping[int, int]
) -> list[FoundStatement]:
    """Return the laws of a number that was observed for each of a family's games; none where it follows none.

    In the family's notation `name` stands for an integer. The number is called `what`, such as ``states``, and `values` has it
    for each value of the name that is at least 1.

    Examples
    --------
    >>> family, states = "solid-bar(f=(x+z)//k)", {k: (k + 3) // 2 for k in range(3, 40, 4)}
    >>> [law.text for law in law_statements(family, "states", "k", states)]
    ['for k%4 == 3: solid-bar(f=(x+z)//k): states = (k+3)/2']
    """
    statements = []
    for law in laws(values, name) if len(values) >= FEWEST else []:
        text = law.combination.text
        fitted = f"{name} = {law.fitted[0]} to {law.fitted[-1]}"
        held_out = f"larger {name} = {law.held_out[0]} to {law.held_out[-1]}"
        statement = FoundStatement(
            kind="law",
            ruleset=ruleset,
            said=f"{ruleset}: {what} = {law.formula}",
            names_game=True,
            found_on=Evidence(len(law.fitted), fitted, len(law.fitted)),
            held_on=Evidence(len(law.held_out), held_out, len(law.held_out)),
            tried=Tried(len(shapes(name)), TRIED, len(values)),
            when=law.when,
            parameters={name: tuple(sorted((*law.fitted, *law.held_out)))},
            formulas=() if text is None else (StatementLine(f"{what} =", text),),
            conclusion=Conclusion(
                "unchecked", "right for all that were observed; no table decides it"
            ),
        )
        statements.append(statement)
    return statements
