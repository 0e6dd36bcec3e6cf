"""The base of every typed document that a user writes."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A closed model: a key that is not declared is an error, and nothing is converted silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
