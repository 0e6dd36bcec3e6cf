"""The checks of claims: shapes of statements, and plug-ins."""

from typing import Annotated

from pydantic import Field

from choco_pipeline.claims.kinds.plug_ins import (
    Cellular,
    Columns,
    Counts,
    HeightFunctions,
    Listing,
    Octahedron,
    Sections,
)
from choco_pipeline.claims.kinds.shapes import (
    Count,
    Evaluated,
    GrundyNumbers,
    PPositions,
    PrintedNumbers,
    Recognised,
    Related,
    Values,
)

#: Checks that the language of statements cannot express.
PlugIn = Annotated[
    Counts | Cellular | Octahedron | Columns | Listing | HeightFunctions | Sections,
    Field(discriminator="kind"),
]
Check = Recognised | PlugIn

__all__ = [
    "Cellular",
    "Check",
    "Columns",
    "Count",
    "Counts",
    "Evaluated",
    "GrundyNumbers",
    "HeightFunctions",
    "Listing",
    "Octahedron",
    "PPositions",
    "PlugIn",
    "PrintedNumbers",
    "Related",
    "Sections",
    "Values",
]
