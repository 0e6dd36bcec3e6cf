"""All targets and decoys, or some, one after the other or shared out to processes: their scores, and the sums of these."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.finding.case import KNOWN, Case, Decoy, Target
from benchmarks.finding.scores import Score, scored
from benchmarks.finding.search import Found, run
from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue
from choco_pipeline.errors import ChocoError

ROOT = KNOWN.parent.parent


def scores(cases: Sequence[Target | Decoy], seeds: int, jobs: int) -> Iterator[Score]:
    """Yield the scores of cases; with several seeds those in which something is drawn come once for each."""
    # Cases that search the same tables follow each other, so that one search serves them all.
    asked = [(case, seed) for case in cases for seed in range(seeds if is_drawn(case) else 1)]
    groups: dict[str, list[tuple[Target | Decoy, int]]] = {}
    for case, seed in asked:
        groups.setdefault(f"{searched(case)} {seed}", []).append((case, seed))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = folder / "config" / "games"
        games.mkdir(parents=True)
        for source in (ROOT / "config" / "games", KNOWN / "games"):
            for path in sorted(source.glob("*.yaml")):
                shutil.copy(path, games)
        if jobs == 1:
            for group in groups.values():
                yield from _of_group(group, folder)
            return
        with ProcessPoolExecutor(jobs) as pool:
            for found in pool.map(_of_group, groups.values(), [folder] * len(groups)):
                yield from found


def is_drawn(case: Case) -> bool:
    """Whether something in a case differs from seed to seed."""
    return case.random is not None or (isinstance(case, Decoy) and case.permuted)


def searched(case: Case) -> str:
    """Return what a case searches: cases with the same are searched once."""
    names = {"games", "parameters", "where", "bound", "quantity", "search", "random", "box"}
    own = case.id if is_drawn(case) else ""
    return own + case.model_dump_json(include=names)


def _of_group(group: Sequence[tuple[Target | Decoy, int]], folder: Path) -> list[Score]:
    before = Path.cwd()
    os.chdir(folder)  # where games of one's own, and heights that are drawn, are read from
    try:
        first, seed = group[0]
        try:
            found: Found | ChocoError = run(first, seed, _catalogue())
        except ChocoError as error:
            found = error
        results = []
        for case, own_seed in group:
            if isinstance(found, ChocoError):
                results.append(Score(case.id, own_seed, "skipped", why=str(found)))
                continue
            start = time.process_time()
            score = scored(case, own_seed, found.document, found.notation, found.seconds, folder)
            score.read_back = round(time.process_time() - start, 2)
            results.append(score)
        return results
    finally:
        os.chdir(before)


@cache
def _catalogue() -> Catalogue:
    return load_catalogue(sorted((ROOT / "config" / "claims").glob("*.yaml")))


def summary(scored_cases: Sequence[Score], cases: Sequence[Target | Decoy]) -> dict[str, Any]:
    """Return the sums of scores.

    Recall is of targets that the language of statements can say and whose games could be read. Statements are counted
    once for each search, also where several targets share it.
    """
    targets = {case.id for case in cases if isinstance(case, Target)}
    searches = {case.id: searched(case) for case in cases}
    once = {(searches[one.id], one.seed): one for one in scored_cases if one.outcome != "skipped"}
    said = sum(one.statements for one in once.values())
    wrong = sum(len(one.false) for one in once.values())
    count = {
        outcome: sum(one.outcome == outcome for one in scored_cases)
        for outcome in (
            "found",
            "in parts",
            "missed",
            "outside",
            "skipped",
            "quiet",
            "said",
            "trapped",
        )
    }
    asked = count["found"] + count["in parts"] + count["missed"]
    ranks = [one.rank for one in scored_cases if one.rank is not None]
    decoys = [one for one in scored_cases if one.id not in targets and one.outcome != "skipped"]
    unread = sum(len(one.unread) for one in once.values())
    return {
        "targets": len(targets),
        "decoys": len(cases) - len(targets),
        **count,
        "recall": _share(count["found"], asked),
        "recall, in parts counted": _share(count["found"] + count["in parts"], asked),
        "statements": said,
        "unread": unread,
        "false": wrong,
        "false per 100": round(100 * wrong / max(1, said - unread), 2),
        "redundant share": _share(sum(len(one.redundant) for one in once.values()), said),
        "decoys with nothing false": sum(one.outcome != "trapped" for one in decoys),
        "decoys scored": len(decoys),
        "trivial on decoys": sum(len(one.trivial) for one in once.values()),
        "best within the first three": _share(sum(rank <= 3 for rank in ranks), len(ranks)),
        "seconds of search": round(sum(one.seconds for one in once.values()), 1),
        "seconds of reading back": round(sum(one.read_back for one in scored_cases), 1),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
