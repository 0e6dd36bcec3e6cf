"""The bases of typed documents: a user's, and those between stages."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from choco_pipeline.documents.record import damaged, read_record


class Model(BaseModel):
    """A closed model: unknown keys are errors, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RecordModel(BaseModel):
    """A closed model for what a stage writes; lists are read as tuples."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the content of a record.

        Raises as `read_record` does; `DamagedError` also if another version wrote it.
        """
        try:
            return cls.model_validate(read_record(path))
        except ValidationError as error:
            key = ".".join(map(str, error.errors()[0]["loc"]))
            why = f"another version wrote it: {key}: {error.errors()[0]['msg']}"
            raise damaged(path, why) from None
