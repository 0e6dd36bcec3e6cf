"""A browser for each module, and one report for all of them."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.answers import described_counts
from choco_pipeline.proof.games.certificate import write_certificate
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.report.task import write_pages, write_rest
from tests.browser.seen import ARGUMENTS, CHROMIUM, WIDE, opened
from tests.report.documents import an_entry
from tests.report.family_documents import certificates, proved_verdict
from tests.report.found_documents import a_document
from tests.report.small_run import LEDGER, small_run
from tests.shared import shared_folder

#: Claims that the certificates of families are said to prove.
FAMILY_CLAIMS = ("own-false", "own-other")


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def seen(browser, page_file):
    """The page that a module is about, wide and light."""
    with opened(browser, page_file, WIDE, "light") as page:
        yield page


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of a report; nobody may change it."""

    def make(folder):
        # The paths of certificates are absolute, so the folder is made where it stays.
        run = small_run(tmp_path_factory, "browser").parents[2]
        shutil.copytree(run, folder, dirs_exist_ok=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            _write_site(folder / LEDGER, folder / "results" / "certificates")

    return (shared_folder(tmp_path_factory, "browser-site", make) / LEDGER).with_name("report")


def _write_site(ledger_file, folder):
    """Write the report of a small run with certificates and found statements."""
    ledger = read_record(ledger_file)
    ledger["verdicts"] += map(proved_verdict, FAMILY_CLAIMS, certificates(folder / "families"))
    games: list[tuple[str, dict[str, int]]] = [
        (f"solid-bar(f=(x+z)//{k})", {"k": k}) for k in (1, 3, 5, 7, 11, 15, 19)
    ]
    games += [
        (f"with-pass(strip-bar(k={k}, s={s}), passes=1)", {"k": k, "s": s, "passes": 1})
        for k, s in ((2, 1), (4, 1), (4, 2), (4, 3), (6, 1))
    ]
    games += [("nim(3)", {}), ("nim(4)", {}), ("step-bar(k=2, s=0)", {})]
    for notation, parameters in games:
        relation = "grundy" if notation.startswith("step") else "p"
        proof = prove(parse_ruleset(notation), relation=relation)
        path = str(write_certificate(proof, folder))
        sweep = " and ".join(parameters) or notation
        entry = an_entry(
            notation,
            parameters,
            relation=relation,
            sweep=sweep,
            states=proof.states,
            certificate=path,
        )
        counts = [one.model_dump() for one in described_counts(proof)]
        ledger["proofs"].append({**entry, "counts": counts})
    for k in range(2, 26, 2):
        ledger["proofs"].append(
            an_entry(
                f"with-pass(solid-bar(f=min(x, z)//{k}+{k - 1}), passes=1)",
                {"k": k, "lowest": k - 1, "passes": 1},
                sweep="undecided",
                status="undecided",
                states=(),
                growth=[1, *(max(1, 8**d - d * k) for d in range(4 + k % 3))],
            )
        )
    ledger["sweeps"] |= {
        "k": "solid-bar(f=(x+z)//k)",
        "k and s and passes": "strip-bar(k=k, s=s)",
        "undecided": "solid-bar(f=min(x, z)//k+lowest)",
    }
    write_record(ledger_file, ledger)
    found = ledger_file.with_name("found.json")
    a_document().write(found)
    html = ledger_file.with_name("report") / "index.html"
    write_pages(str(ledger_file), str(html), lambda *_, **__: None)
    write_rest(str(ledger_file), str(html), str(found), lambda *_, **__: None)
