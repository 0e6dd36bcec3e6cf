"""Every single change of a family's certificate: a number, an inequality, a digit, an answer, a state, a case."""

import re
from copy import deepcopy

TEXTS = ("parameters", "conditions", "heights", "shifts", "constant", "offset")
INVARIANT = ("never", "equalities", "predicates", "counters")


def changed(document, path, change):
    """Return the document with what `change` makes of the part at a path."""
    found = deepcopy(document)
    *way, last = path
    part = found
    for key in way:
        part = part[key]
    part[last] = change(part[last])
    return found


def parts(part, path=()):
    """Yield all parts of a document with their paths."""
    yield path, part
    keyed = (
        part.items()
        if isinstance(part, dict)
        else enumerate(part)
        if isinstance(part, list)
        else ()
    )
    for key, value in keyed:
        yield from parts(value, (*path, key))


def is_sum(part):
    return isinstance(part, dict) and all(type(value) is int for value in part.values())


def plus(name, by):
    """Return what adds to a multiple in a sum."""
    return lambda s: {**s, name: s.get(name, 0) + by}


def with_other(i, other):
    """Return what puts another element in a list."""
    return lambda a: [*a[:i], other, *a[i + 1 :]]


def with_more(other):
    """Return what puts an element at the end of a list."""
    return lambda a: [*a, other]


def of_sums(document, path, kind):
    for below, part in parts(document, ()):
        if below[: len(path)] != path or not is_sum(part):
            continue
        for by in (1, -1):
            for name in {*part, "1"}:
                yield f"{kind}: a number by 1", changed(document, below, plus(name, by))
        if kind in ("never", "predicates") and part:
            # s >= 0 becomes s <= 0.
            yield (
                f"{kind}: turned",
                changed(document, below, lambda s: {n: -m for n, m in s.items()}),
            )


def without(items, i):
    return [*items[:i], *items[i + 1 :]]


def neighbours(state):
    """Return the states that differ from one in one digit."""
    return [state[:i] + "10"[int(bit)] + state[i + 1 :] for i, bit in enumerate(state)]


def mutations(document):
    """Yield what was changed, and the changed certificate."""
    for c, case in enumerate(document["cases"]):
        here = ("cases", c)
        yield (
            "cases: one left out",
            changed(document, ("cases",), lambda cases, c=c: without(cases, c)),
        )
        for key in TEXTS:
            yield from of_sums(document, (*here, key), key)
        for i in range(len(case["conditions"])):
            yield (
                "conditions: one left out",
                changed(document, (*here, "conditions"), lambda a, i=i: without(a, i)),
            )
        for o, obligation in enumerate(case["obligations"]):
            path = (*here, "obligations")
            yield "obligations: one left out", changed(document, path, lambda a, o=o: without(a, o))
            for n, location in enumerate(obligation["locations"]):
                size = len(obligation["locations"])
                yield from of_location(document, (*path, o, "locations", n), location, size)


def of_location(document, path, location, size):
    for key in INVARIANT:
        if key in location:
            yield from of_sums(document, (*path, key), key)
    for i in range(len(location["states"])):
        yield (
            "states: one left out",
            changed(document, (*path, "states"), lambda a, i=i: without(a, i)),
        )
        for other in neighbours(location["states"][i]):
            yield "states: a digit", changed(document, (*path, "states"), with_other(i, other))
            yield "states: one more", changed(document, (*path, "states"), with_more(other))
    for name in location.get("parities", {}):
        yield "parities: another", changed(document, (*path, "parities", name), lambda r: 1 - r)
    for i in range(len(location.get("never", []))):
        yield (
            "never: one left out",
            changed(document, (*path, "never"), lambda a, i=i: without(a, i)),
        )
    for name in location["orders"]:
        turned = {"equal": "less", "less": "equal"}
        yield "orders: another", changed(document, (*path, "orders", name), turned.get)
    for below, part in parts(location.get("strategy", []), (*path, "strategy")):
        if below[-1] == "to":
            for other in range(size):
                if other != part:
                    yield (
                        "strategy: leads elsewhere",
                        changed(document, below, lambda _, n=other: n),
                    )
        elif below[-2:-1] == ("digits",):
            yield "strategy: a digit", changed(document, below, lambda d: 1 - d)
        elif below[-1] == "answers":
            yield "strategy: no answer", changed(document, below, lambda _: [])


def of_texts(document):
    """Yield what was changed, and the document with another statement: of a formula one number by 1, one sign, one operator."""
    for path in (("ruleset",), ("for",), ("where",), ("relation", "formula")):
        text = document[path[0]] if len(path) == 1 else document[path[0]][path[1]]
        for match in re.finditer(r"\d+|[=<>]=|[-+*<>^]|//|\b[a-z]\b", text):
            for other in others(match.group()):
                new = text[: match.start()] + other + text[match.end() :]
                yield f"{path[-1]}: {other}", changed(document, path, lambda _, new=new: new)
    turned = {"proved": "refuted", "refuted": "proved"}
    yield "verdict: turned", changed(document, ("verdict",), turned.get)
    for c in range(len(document["cases"])):
        yield from of_direct_case(document, ("cases", c))


def others(word):
    """Return what stands instead of a word of a formula."""
    if word.isdigit():
        return [str(int(word) + 1), str(max(int(word) - 1, 0))]
    if word.isalpha():
        return [other for other in "kxyz" if other != word]
    signs = {"==": ["!=", "<="], "<=": ["<", ">="], ">=": [">", "<="], "<": ["<="], ">": [">="]}
    signs |= {"+": ["-"], "-": ["+"], "^": ["+"], "//": ["%"], "*": ["+"], ">": [">="]}
    return signs[word]


def of_direct_case(document, here):
    """Yield every change of a number of a case, and what is left out."""
    case = document[here[0]][here[1]]
    for key in (*TEXTS, "position"):
        if case.get(key) is not None:
            yield from of_sums(document, (*here, key), key)
    for name, most in (case.get("largest") or {}).items():
        for by in (1, -1):
            yield (
                f"largest: by {by}",
                changed(document, (*here, "largest", name), lambda _, n=most + by: n),
            )
    for key in sorted(case.keys() & {"largest", "position"}):
        yield f"{key}: none", changed(document, (*here, key), lambda _: None)
    for i in range(len(case["conditions"])):
        yield (
            "conditions: one left out",
            changed(document, (*here, "conditions"), lambda a, i=i: without(a, i)),
        )
