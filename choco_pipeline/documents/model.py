"""The bases of typed documents: a user's, and those between stages."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A closed model: unknown keys are errors, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RecordModel(BaseModel):
    """A closed model for what a stage writes; lists are read as tuples."""

    model_config = ConfigDict(extra="forbid", frozen=True)
