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
    keyed = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()  # fmt: skip
    for key, value in keyed:
        yield from parts(value, (*path, key))


def plus(name, by):
    """Return what adds to a multiple in a sum."""
    return lambda s: {**s, name: s.get(name, 0) + by}


def to(value):
    return lambda _: value


def lists_without_one(document, path, kind):
    """Yield the document without each of the elements of a list."""
    part = document
    for key in path:
        part = part[key]
    for i in range(len(part)):
        yield f"{kind}: one left out", changed(document, path, lambda a, i=i: [*a[:i], *a[i + 1 :]])


def of_sums(document, path, kind):
    for below, part in parts(document, ()):
        is_sum = isinstance(part, dict) and all(type(value) is int for value in part.values())
        if below[: len(path)] != path or not is_sum:
            continue
        for by in (1, -1):
            for name in {*part, "1"}:
                yield f"{kind}: a number by 1", changed(document, below, plus(name, by))
        if kind in ("never", "predicates") and part:
            turned = {n: -m for n, m in part.items()}  # s >= 0 becomes s <= 0
            yield f"{kind}: turned", changed(document, below, to(turned))


def mutations(document):
    """Yield what was changed, and the changed certificate."""
    yield from lists_without_one(document, ("cases",), "cases")
    for c, case in enumerate(document["cases"]):
        here = ("cases", c)
        for key in TEXTS:
            yield from of_sums(document, (*here, key), key)
        for key in ("conditions", "obligations"):
            yield from lists_without_one(document, (*here, key), key)
        for o, obligation in enumerate(case["obligations"]):
            for n, location in enumerate(obligation["locations"]):
                path, size = (*here, "obligations", o, "locations", n), len(obligation["locations"])
                yield from of_location(document, path, location, size)


def of_location(document, path, location, size):
    for key in INVARIANT:
        if key in location:
            yield from of_sums(document, (*path, key), key)
    for key in ("states", "never"):
        if key in location:
            yield from lists_without_one(document, (*path, key), key)
    states = location["states"]
    for i, state in enumerate(states):
        for place, bit in enumerate(state):
            other = state[:place] + "10"[int(bit)] + state[place + 1 :]
            digit = [*states[:i], other, *states[i + 1 :]]
            yield "states: a digit", changed(document, (*path, "states"), to(digit))
            yield "states: one more", changed(document, (*path, "states"), to([*states, other]))
    if "upper" in location:
        yield "upper: another", changed(document, (*path, "upper"), lambda upper: not upper)
    for name in location.get("parities", {}):
        yield "parities: another", changed(document, (*path, "parities", name), lambda r: 1 - r)
    for name in location["orders"]:
        turned = {"equal": "less", "less": "equal"}
        yield "orders: another", changed(document, (*path, "orders", name), turned.get)
    for below, part in parts(location.get("strategy", []), (*path, "strategy")):
        if below[-1] == "to":
            others = (other for other in range(size) if other != part)
            yield from (("strategy: leads elsewhere", changed(document, below, to(n))) for n in others)  # fmt: skip
        elif below[-2:-1] == ("digits",):
            yield "strategy: a digit", changed(document, below, to(1 - part))
        elif below[-1] == "answers":
            yield "strategy: no answer", changed(document, below, to([]))


def of_texts(document):
    """Yield what was changed, and the document with another statement: of a formula one number by 1, one sign, one operator."""
    for path in (("ruleset",), ("for",), ("where",), ("relation", "formula")):
        text = document[path[0]] if len(path) == 1 else document[path[0]][path[1]]
        for match in re.finditer(r"\d+|[=<>]=|[-+*<>^]|//|\b[a-z]\b", text):
            for other in others(match.group()):
                new = text[: match.start()] + other + text[match.end() :]
                yield f"{path[-1]}: {other}", changed(document, path, to(new))
    turned = {"proved": "refuted", "refuted": "proved"}
    yield "verdict: turned", changed(document, ("verdict",), turned.get)
    for c, case in enumerate(document["cases"]):
        here = ("cases", c)
        for key in (*TEXTS, "position"):
            if case.get(key) is not None:
                yield from of_sums(document, (*here, key), key)
        for name, most in (case.get("largest") or {}).items():
            for n in (most + 1, most - 1):
                yield "largest: by 1", changed(document, (*here, "largest", name), to(n))
        for key in sorted(case.keys() & {"largest", "position"}):
            yield f"{key}: none", changed(document, (*here, key), to(None))
        yield from lists_without_one(document, (*here, "conditions"), "conditions")


def others(word):
    """Return what stands instead of a word of a formula."""
    if word.isdigit():
        return [str(int(word) + 1), str(max(int(word) - 1, 0))]
    if word.isalpha():
        return [other for other in "kxyz" if other != word]
    signs = {"==": ["!=", "<="], "<=": ["<", ">="], ">=": [">", "<="], "<": ["<="], ">": [">="]}
    signs |= {"+": ["-"], "-": ["+"], "^": ["+"], "//": ["%"], "*": ["+"], ">": [">="]}
    return signs[word]
