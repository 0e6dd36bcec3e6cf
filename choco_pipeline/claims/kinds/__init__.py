"""What claims say: statements in the shapes that judges take, and plug-ins for what the language cannot say."""

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
from choco_pipeline.claims.kinds.position_kinds import (
    Count,
    Evaluated,
    GrundyNumbers,
    PPositions,
    PrintedNumbers,
    Related,
    Values,
)

#: What the language of statements cannot say.
PlugIn = Annotated[
    Counts | Cellular | Octahedron | Columns | Listing | HeightFunctions | Sections,
    Field(discriminator="kind"),
]
Check = PPositions | GrundyNumbers | Values | Count | Related | PrintedNumbers | Evaluated | PlugIn

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
