"""The kinds of statements: what each may hold, and what it answers about itself."""

from typing import Annotated

from pydantic import Field

from choco_pipeline.claims.kinds.bars import Cellular, Counts, Octahedron, Pattern
from choco_pipeline.claims.kinds.integers import HeightFunctions, IntegerStatement
from choco_pipeline.claims.kinds.moves import Moves, Options, OptionSet, Shape
from choco_pipeline.claims.kinds.positions import Count, GrundyNumbers, PPositions, Values
from choco_pipeline.claims.kinds.printed import GrundyList, GrundyTable, Listing, PList
from choco_pipeline.claims.kinds.sections import Sections

Check = Annotated[
    PPositions
    | GrundyNumbers
    | Values
    | Count
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
    "Sections",
    "Shape",
    "Values",
]
