"""The catalogue of claims: reading files, and claims that fit a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from choco_pipeline.claims.language.claim import Claim, names_of
from choco_pipeline.claims.language.claims_file import ClaimsFile, Entry
from choco_pipeline.claims.language.mistakes import formulas_of, mistakes_in
from choco_pipeline.documents.yaml_file import Location, YamlFile
from choco_pipeline.errors import ConfigError
from choco_pipeline.games.notation import match, read
from choco_pipeline.shipped import project_file
from choco_pipeline.tables.spec import QUANTITIES, Quantity

#: Further known theorems, with which found statements are compared in every run.
BACKGROUND = Path("config/claims/background.yaml")


@dataclass(frozen=True)
class Catalogue:
    """Claims by id, in the order of their files."""

    #: The claims.
    claims: Mapping[str, Claim]
    #: For each id, the places ``file:line:column`` of the keys with formulas, such as ``check.formula``.
    places: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def unknown(self, claim_id: str) -> str:
        """Return the error message for an unknown id."""
        near = get_close_matches(claim_id, self.claims, 3, 0.5)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        return f"no claim has the id {claim_id!r}{hint} ({len(self.claims)} claims are loaded)"

    def premises(self, claim: Claim) -> list[Claim]:
        """Return the premises of a claim, direct and indirect, in logical order.

        Raises `ConfigError` if a premise does not exist, or a claim follows from itself.
        """
        premises: dict[str, Claim] = {}

        def add(premise: Claim, path: tuple[str, ...]) -> None:
            if premise.id in path:
                circle = " from ".join([*path[path.index(premise.id) :], premise.id])
                raise ConfigError(f"a claim cannot follow from itself: {circle}")
            for other in () if (by := premise.statement.follows_from) is None else by.claims:
                if other not in self.claims:
                    raise ConfigError(self.unknown(other))
                add(self.claims[other], (*path, premise.id))
            premises[premise.id] = premise

        add(claim, ())
        return [premise for premise in premises.values() if premise.id != claim.id]

    def fitting(self, ruleset: str, quantity: Quantity) -> Iterator[tuple[Claim, dict[str, int]]]:
        """Yield the claims that fit a table, with each of their `cases`."""
        notation = read(ruleset)
        for pattern, claims in self._by_pattern.get((names_of(notation), quantity), {}).items():
            parameters = match(read(pattern), notation)
            if parameters is not None:
                yield from (
                    (claim, case) for claim in claims for case in self._cases(claim, parameters)
                )

    def speaking_of(self, ruleset: str) -> Sequence[Claim]:
        """Return the claims that fit a table of the ruleset, each once."""
        claims = self._speaking.get(ruleset)
        if claims is None:
            fitting = (
                entry for quantity in QUANTITIES for entry, _ in self.fitting(ruleset, quantity)
            )
            claims = self._speaking[ruleset] = tuple(
                {claim.id: claim for claim in fitting}.values()
            )
        return claims

    def _cases(self, claim: Claim, parameters: Mapping[str, int]) -> list[dict[str, int]]:
        try:
            return claim.cases(parameters)
        except ConfigError as error:
            place = self.places.get(claim.id, {}).get("when")
            raise ConfigError(f"{place}: {error}" if place else str(error)) from error

    @cached_property
    def _speaking(self) -> dict[str, tuple[Claim, ...]]:
        """Cache of `speaking_of`: found statements ask for the same games repeatedly."""
        return {}

    @cached_property
    def _by_pattern(self) -> dict[tuple[tuple[str, ...], Quantity], dict[str, list[Claim]]]:
        """Claims grouped by pattern, so that each pattern is matched only once."""
        by_pattern: dict[tuple[tuple[str, ...], Quantity], dict[str, list[Claim]]] = {}
        for claim in self.claims.values():
            for quantity in claim.quantities:
                patterns = by_pattern.setdefault((claim.shape, quantity), {})
                patterns.setdefault(str(claim.statement.ruleset), []).append(claim)
        return by_pattern


def load_catalogue(paths: Sequence[Path]) -> Catalogue:
    """Read claims files.

    Raises `ConfigError` with one line for each mistake of the first file that has any: file, line, column, key, the value and
    the allowed ones. Then for each claim that corrects or contradicts a missing one, unless the file of its paper is not read.
    """
    claims: dict[str, Claim] = {}
    ids: dict[str, str] = {}
    places: dict[str, dict[str, str]] = {}
    files: list[tuple[YamlFile, ClaimsFile]] = []
    for path in paths:
        file = YamlFile(path)
        document = file.load(ClaimsFile)
        files.append((file, document))
        mistakes: list[str] = []
        for i, entry in enumerate(document.claims):
            claim, here = Claim(entry, document.paper), ("claims", i)
            own_mistakes: list[tuple[Location, str]] = list(mistakes_in(claim))
            if entry.id in claims:
                own_mistakes.append(
                    (("id",), f"{entry.id!r} is the id of another claim, at {ids[entry.id]}")
                )
            mistakes += [
                str(file.error((*here, *location), message)) for location, message in own_mistakes
            ]
            claims[entry.id] = claim
            ids[entry.id] = file.where((*here, "id"))
            if not own_mistakes:
                held = {place for place, _ in formulas_of(claim)}
                held |= {("statement",)} if entry.statement is not None else set()
                places[entry.id] = {
                    ".".join(map(str, place)): file.where((*here, *place)) for place in held
                }
        if mistakes:
            raise ConfigError("\n".join(mistakes))
    catalogue = Catalogue(claims, places)
    papers = {document.paper.key for _, document in files}
    mistakes = [
        str(file.error(("claims", i, *location), catalogue.unknown(other)))
        for file, document in files
        for i, entry in enumerate(document.claims)
        for location, other in _named(entry)
        if other not in claims and (location == ("corrects",) or other.partition("-")[0] in papers)
    ]
    for file, document in files:
        for i, entry in enumerate(document.claims):
            try:
                catalogue.premises(claims[entry.id])
            except ConfigError as error:
                mistakes.append(
                    str(file.error(("claims", i, "follows_from", "claims"), str(error)))
                )
    if mistakes:
        raise ConfigError("\n".join(mistakes))
    return catalogue


def load_with_background(paths: Sequence[Path]) -> Catalogue:
    """Read claims files, and the background theorems if they are not among them."""
    background = project_file(BACKGROUND)
    is_read = background.is_file() and background not in paths
    return load_catalogue([*paths, background] if is_read else paths)


def _named(entry: Entry) -> Iterator[tuple[Location, str]]:
    """Yield the ids of other claims that a claim names, with their places."""
    if entry.corrects is not None:
        yield ("corrects",), entry.corrects
    for i, other in enumerate(entry.contradicts):
        yield ("contradicts", i), other
