"""What can be wrong with a formula or with the values it is given."""

from choco_pipeline.errors import ChocoError


class FormulaError(ChocoError):
    """A formula cannot be read, or has no value where one was asked for.

    Attributes
    ----------
    text : str
        The formula as it was written.
    column : int
        Where in `text` the mistake is; the first character is column 1.
    """

    __module__ = "choco_pipeline.formula"  # where it is imported from, as tracebacks name it

    def __init__(self, problem: str, text: str, column: int) -> None:
        super().__init__(problem, text, column)  # all three, so that the error survives pickling
        self.text = text
        self.column = column

    def __str__(self) -> str:
        return str(self.args[0])
