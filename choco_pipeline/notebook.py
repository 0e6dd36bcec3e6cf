"""Games, proofs and statements as HTML for notebooks: drawn, or with their formulas as mathematics."""

from __future__ import annotations

from functools import singledispatch

from markupsafe import Markup

from choco_pipeline.claims.conclusions.conclusion import SIGNS
from choco_pipeline.claims.quick_trial import Trial
from choco_pipeline.drawing import draw_svg
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Ruleset
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.report.found_formulas import condition, displayed, reach
from choco_pipeline.report.math.latex import LaTeX
from choco_pipeline.report.math.mathml import MathML

#: Games that no shape limits are drawn at a position with coordinates up to this.
DRAWN = 5


@singledispatch
def html(shown: object) -> str:
    """Return what a notebook shows; the text of what has no picture."""
    return Markup("<pre>{}</pre>").format(shown)


@html.register
def _(game: Ruleset) -> str:
    """Draw the largest position with small coordinates."""
    coordinates = ", ".join(game.coordinates)
    caption = Markup("<p><code>{}</code>, positions ({})</p>").format(game.notation, coordinates)
    try:
        largest = max(game.positions(DRAWN), key=sum)
        return caption + Markup(draw_svg(game, largest))
    except ChocoError:
        return caption


@html.register
def _(proof: Proof) -> str:
    what = {"p": "P-positions", "grundy": "Grundy numbers"}[proof.relation]
    states = " and ".join(map(str, proof.states)) or "no"
    return Markup("<p><b>{}</b>: the {} of <code>{}</code>: {}; {} states</p>").format(
        proof.status, what, proof.ruleset.notation, proof.why, states
    )


@html.register
def _(trial: Trial) -> str:
    given = assigned(trial.parameters)
    of = ", ".join(filter(None, (trial.ruleset, given)))
    return Markup("<p><b>{}</b>: <code>{}</code>: {}</p>").format(
        SIGNS[trial.verdict][1], of, trial.text
    )


@html.register
def _(statement: FoundStatement) -> str:
    notation = MathML()
    lines = [f'<math display="block">{line}</math>' for line in displayed(statement, notation)]
    conditions = (condition(statement, notation), reach(statement, notation))
    where = ", ".join(f"<math>{text}</math>" for text in conditions if text)
    head = Markup("<p><b>{}</b>: {}</p>").format(SIGNS[statement.verdict][1], statement.text)
    conclusion = Markup("<p>{}</p>").format(statement.conclusion.text)
    return head + Markup("".join(lines)) + Markup(f"<p>{where}</p>" if where else "") + conclusion


def latex(statement: FoundStatement) -> str:
    """Return the formulas of a statement in LaTeX, one below the other, with their conditions."""
    notation = LaTeX()
    conditions = (condition(statement, notation), reach(statement, notation))
    where = [rf"\text{{for }} {text}" for text in conditions if text]
    return " \\\\\n".join([*displayed(statement, notation), *where])
