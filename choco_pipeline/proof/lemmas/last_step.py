"""From what lemmas say of a claim's game to what the claim says: statements on integers, written from the two.

The formulas are put into one statement that any integers satisfy it, positions or not, of which only the facts are supposed that
hold at every position. So a statement that is proved is enough, and one that is false refutes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.claims.kinds import GrundyNumbers, IntegerStatement, Options, PPositions, Values
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Integer, LogicalNot, Name, Node, render
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.proof.lemmas.known_lemmas import Known, equal, junction, put
from choco_pipeline.proof.lemmas.played import Played
from choco_pipeline.proof.proof_errors import LemmaError

#: Integers in statements run up to N, which is any bound no less than this; up to it the definition is asked, too.
BOUND = 3
#: How far witnesses are looked for: so many times the sum of all that is given, and 1.
REACH = 4


@dataclass(frozen=True)
class LastStep:
    """What lemmas say of a claim's own game, and the claim."""

    #: With `for_all`.
    claim: Claim
    #: Its game.
    game: Played
    #: What is known of the game, for at least as many passes left.
    known: Known

    def statements(self) -> Iterator[IntegerStatement]:
        """Yield statements on integers that together say: what is known makes the claim true.

        Raises
        ------
        LemmaError
            If what is known is of another kind than the claim speaks of.
        """
        check = self.claim.check
        match check:
            case PPositions():
                known, claimed = self._left(self.known.outcomes), nodes(check.formula)
                where = [] if check.where is None else [nodes(check.where)]
                if check.relation == "exactly":
                    yield self._everywhere(where, equivalent=[known, claimed])
                else:
                    given, then = (
                        (known, claimed) if check.relation == "within" else (claimed, known)
                    )
                    yield self._everywhere([*where, given], holds=[then])
            case GrundyNumbers():
                if self.known.kind != "grundy":
                    raise LemmaError("P-positions are known, not Grundy numbers")
                value = nodes(check.equals)
                same = self._left([equal(value, known) for known in self.known.by_passes])
                where = [] if check.where is None else [nodes(check.where)]
                yield self._everywhere(where, holds=[same])
            case Values():
                yield from self._of_values(check)
            case Options():
                yield from self._of_options(check)
            case _:
                raise LemmaError(f"a claim of kind {check.kind} does not follow by lemmas")

    def _of_values(self, check: Values) -> Iterator[IntegerStatement]:
        counted = [self._left(self.known.outcomes)]
        counted += [] if check.where is None else [nodes(check.where)]
        value = nodes(check.of)
        if check.relation != "contains-all":
            yield self._everywhere(counted, holds=[put(nodes(check.values), {"v": value})])
        if check.relation == "within":
            return
        # Where all limited coordinates are 0 is a position, as no largest value is negative.
        at_zero: Mapping[str, Node] = dict.fromkeys(self.game.heights, Integer(0))
        given = [*self._parameters, "v"]
        # v may be negative; the reach is not.
        far = f"0..{REACH}*({'+'.join([*self._parameters, 'abs(v)'])}+1)"
        spans = {n: far for n in self.game.coordinates if n not in self.game.heights}
        spans |= {name: f"0..{self.game.passes}" for name in self._passes}
        such = [put(part, at_zero) for part in (*counted, equal(value, Name("v")))]
        number = {"of": spans, "such": render(junction("and", *such)), "least": 1}
        yield self._statement(given, [nodes(check.values)], number=number)

    def _of_options(self, check: Options) -> Iterator[IntegerStatement]:
        """Yield that it speaks of P-positions, none of whose options is one, or of others, which have one that is."""
        is_p, of, to = self._left(self.known.outcomes), nodes(check.of), nodes(check.to)
        is_other = LogicalNot(is_p)
        counts_all = check.beside is None and {*check.by} in (set(), {*self.claim.coordinates})
        if check.have == "some" and not counts_all:
            raise LemmaError("which moves lead to a P-position is not known")
        yield self._everywhere([of], holds=[is_other if check.have == "some" else is_p])
        if check.have == "every":
            yield self._everywhere([is_other], holds=[to])
        elif check.have == "no":
            yield self._everywhere([to], holds=[is_p])
        else:
            yield self._everywhere([is_p], holds=[to])

    def conclusion(self) -> Formula:
        """Return what is known of the claim's positions as one formula, a condition or an equation with ``grundy``."""
        if self.known.kind == "p-positions":
            return parse(render(self._left(self.known.by_passes)))
        values = [equal(Name("grundy"), value) for value in self.known.by_passes]
        return parse(render(self._left(values)))

    @property
    def _parameters(self) -> list[str]:
        return sorted(self.claim.parameters)

    @property
    def _passes(self) -> tuple[str, ...]:
        """The name for the passes left, if there are any."""
        return self.claim.coordinates[len(self.game.coordinates) :]

    def _left(self, by_passes: Sequence[Node]) -> Node:
        """Return one condition for all numbers of passes left."""
        if not self._passes:
            return by_passes[0]
        (name,) = self._passes
        each = (
            junction("and", equal(Name(name), Integer(left)), node)
            for left, node in enumerate(by_passes[: self.game.passes + 1])
        )
        return junction("or", *each)

    def _everywhere(self, where: Sequence[Node], **content: Sequence[Node]) -> IntegerStatement:
        """Return a statement on all coordinates at which the facts hold."""
        names = [*self._parameters, *self.game.coordinates, *self._passes]
        texts = {key: list(map(render, parts)) for key, parts in content.items()}
        return self._statement(names, [*self.known.facts, *where], **texts)

    def _statement(
        self, names: Sequence[str], where: Sequence[Node], **content: object
    ) -> IntegerStatement:
        condition = self.claim.statement.for_all
        assert condition is not None
        spans = {name: "0..N" for name in names}
        spans |= {name: f"0..{self.game.passes}" for name in self._passes if name in spans}
        spans |= {"v": "-N..N"} if "v" in spans else {}
        return integers(spans, render(junction("and", nodes(condition), *where)), **content)


def implied(claim: Claim, conditions: Sequence[Node]) -> IntegerStatement:
    """Return the statement that a claim speaks, for all at once, only of parameters with some conditions."""
    condition = claim.statement.for_all
    assert condition is not None
    spans = {name: "0..N" for name in sorted(claim.parameters)}
    return integers(spans, condition.text, holds=list(map(render, conditions)))


def integers(spans: Mapping[str, str], where: str, **content: object) -> IntegerStatement:
    """Return a statement on integers with these ranges."""
    if "N" in spans:
        raise LemmaError("a parameter cannot be called N here")
    document = {"kind": "integers", "bound": BOUND, "all": dict(spans), "where": where}
    return IntegerStatement.model_validate({**document, **content})


def nodes(formula: Formula) -> Node:
    """Return the parts of a formula."""
    return parse_nodes(formula.text, None, formula.functions)
