"""The bases of typed documents: of those that a user writes, and of those that one stage writes for another."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A closed model: a key that is not declared is an error, and nothing is converted silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RecordModel(BaseModel):
    """What a stage writes for another: a closed model, whose lists are tuples once they are read."""

    model_config = ConfigDict(extra="forbid", frozen=True)
