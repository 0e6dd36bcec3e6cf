"""Base classes of typed documents: of users' documents, and of records."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from choco_pipeline.documents.record import damaged, read_record


class Model(BaseModel):
    """A model of a user's document: unknown keys are errors, types are not converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RecordModel(BaseModel):
    """A model of a record: unknown keys are errors, lists become tuples."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a record; errors are as for `read_record`.

        Raises `DamagedError` also if another version of the program wrote the record.
        """
        try:
            return cls.model_validate(read_record(path))
        except ValidationError as error:
            key = ".".join(map(str, error.errors()[0]["loc"]))
            why = f"another version wrote it: {key}: {error.errors()[0]['msg']}"
            raise damaged(path, why) from None
