"""What numbers are called in sentences and on the tracks of automata: by names, or by variables that no name can be."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

_numbers = count()


@dataclass(frozen=True, eq=False)
class Auxiliary:
    """A variable that was not there before, equal to nothing but itself.

    Whoever needs a number that nobody else speaks of makes one. No name is equal to it, whatever it spells, and no
    other auxiliary variable is: a quantifier that binds a new one captures nothing that is said without it.
    """

    #: How it is written for people; it says nothing about which variable it is.
    label: str
    _number: int = field(default_factory=_numbers.__next__, init=False, repr=False)

    def __str__(self) -> str:
        return self.label

    def __lt__(self, other: Variable) -> bool:
        """Come in the order of what is written, a name before what is written alike, and what was made before that."""
        return _place(self) < _place(other)

    def __gt__(self, other: Variable) -> bool:
        return _place(self) > _place(other)

    def __reduce__(self) -> tuple[type[Auxiliary], tuple[str]]:
        """Be a new variable in another process: numbers there are given to others."""
        return Auxiliary, (self.label,)


Variable = str | Auxiliary


def _place(variable: Variable) -> tuple[str, int]:
    return (variable, -1) if isinstance(variable, str) else (variable.label, variable._number)


def listed(variables: tuple[Variable, ...]) -> str:
    """Return variables as people read them."""
    return ", ".join(map(str, variables))
