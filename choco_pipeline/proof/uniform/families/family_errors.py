"""Why a family cannot be put as an obligation on words."""

from choco_pipeline.proof.proof_errors import NotDefinableError


class FamilyError(NotDefinableError):
    """A family's game, condition or relation says something that digits and linear counters cannot say."""
