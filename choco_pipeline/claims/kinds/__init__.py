"""The kinds of statements: what each may hold, and what it answers about itself."""

from typing import Annotated

from pydantic import Field

from choco_pipeline.claims.kinds.bar_kinds import Cellular, Counts, Octahedron, Pattern
from choco_pipeline.claims.kinds.integer_kinds import HeightFunctions, IntegerStatement, Sections
from choco_pipeline.claims.kinds.option_kinds import Moves, Options, OptionSet, Shape
from choco_pipeline.claims.kinds.position_kinds import (
    Count,
    GrundyNumbers,
    PPositions,
    Related,
    Values,
)
from choco_pipeline.claims.kinds.printed_kinds import GrundyList, GrundyTable, Listing, PList

Check = Annotated[
    PPositions
    | GrundyNumbers
    | Values
    | Count
    | Related
    | Counts
    | Cellular
    | Pattern
    | Octahedron
    | Options
    | OptionSet
    | Moves
    | Shape
    | GrundyTable
    | GrundyList
    | PList
    | Listing
    | IntegerStatement
    | HeightFunctions
    | Sections,
    Field(discriminator="kind"),
]

__all__ = [
    "Cellular",
    "Check",
    "Count",
    "Counts",
    "GrundyList",
    "GrundyNumbers",
    "GrundyTable",
    "HeightFunctions",
    "IntegerStatement",
    "Listing",
    "Moves",
    "Octahedron",
    "OptionSet",
    "Options",
    "PList",
    "PPositions",
    "Pattern",
    "Related",
    "Sections",
    "Shape",
    "Values",
]
