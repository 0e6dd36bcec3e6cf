"""Pages of family proofs, compared with their certificates."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.games.notation import parse_ruleset
from choco_pipeline.games.ruleset import mex
from choco_pipeline.proof.family_document import read_family
from choco_pipeline.proof.uniform.affine import Affine
from choco_pipeline.report.families import (
    FOLDER,
    Case,
    FamilyProof,
    Symbols,
    family_proofs,
    write_family_pages,
)
from choco_pipeline.report.found import found_of, found_page, printed
from tests.report.documents import a_claim, whole
from tests.report.family_documents import ODD_STEP, certificates, proved_verdict
from tests.report.found_documents import a_statement, document_of


class _Typed(MathNotation):
    """The notation of the formula language, to compute a page's formulas."""

    def symbol(self, letter, index="", *, primed=False):
        return f"{letter}{'_' * bool(index)}{index}{'_of_option' * primed}"

    def sign(self, operator):
        return {"": "*", "←": "==", "⇒": "<="}.get(operator, operator)

    def minus(self):
        return "-"

    def row(self, parts):
        return " ".join(parts)

    def floor(self, numerator, denominator):
        return f"(({numerator}) // ({denominator}))"

    def modulo(self, modulus):
        return f" mod {modulus}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("families")
    certificates(folder)
    return folder


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A certificate of a formula by cases."""
    (path,) = certificates(tmp_path_factory.mktemp("odd"), [ODD_STEP])
    return path


@pytest.fixture
def ledger(folder):
    paths = sorted(folder.glob("family-*.json"))
    claims = [a_claim(f"claim-{n}", number=f"Theorem {n}") for n in range(2)]
    for claim in claims:
        claim["paper"]["title"] = "A paper & <more>"
    verdicts = [proved_verdict(c["id"], path) for c, path in zip(claims, paths, strict=True)]
    return {"run": "small_run", "claims": claims, "verdicts": verdicts}


names = ("count(x)", "legal(y)", "legal(y')", "m_k", "s")
sums = st.builds(
    Affine.total,
    st.fixed_dictionaries({"count(x)": st.integers(-2, 2), "legal(y')": st.integers(-2, 2), "m_k": st.integers(-3, 3), "s": st.integers(-2, 2)}),
    st.integers(-5, 5),
).filter(lambda total: total.terms)  # fmt: skip


@given(st.lists(st.tuples(sums, st.booleans()), min_size=1, max_size=6), st.randoms())
def test_inequalities_say_the_same_as_the_predicates(said, chance):
    condition = Affine.of("m_k") * 2 - Affine.of("s")
    symbols = Symbols(_Typed(), ("x", "y"), ("k",), ("m_k", "s"), [condition])
    shown = [parse(text) for text in symbols.inequalities(said)]
    for _ in range(30):
        m = chance.randint(0, 6)
        values = {"m_k": m, "s": chance.randint(0, 2 * m)}
        values |= {name: chance.randint(-9, 9) for name in names[:3]}
        meant = all((total.value(values) >= 0) == holds for total, holds in said)
        written = {"m": values["m_k"], "s": values["s"], "X": values["count(x)"]}
        written |= {"h_y": values["legal(y)"], "h_y_of_option": values["legal(y')"]}
        assert all(f.value({n: written[n] for n in f.names}) for f in shown) == meant


def test_counters_are_what_the_page_says_they_are(folder):
    """Each counter, computed digit by digit, is the form of the numbers."""
    chance, seen = random.Random(5), 0
    for path in sorted(folder.glob("family-*.json")):
        written = read_family(path)
        case = Case(1, written, _Typed())
        for moves, means, first, change in (
            counter for o in case.text.obligations for counter in case.counters(o)
        ):
            start, step = first.split(" == "), change.split(" == ")
            symbol = start[0]
            if symbol in ("T", "V"):
                continue
            form = means.split(" == ")[-1]
            digits = [
                name for name in parse(step[1]).names if name.endswith(("_i", "_i_of_option"))
            ]
            rest = {n: chance.randint(1, 5) for n in ("m", "s")}
            value, numbers = None, dict.fromkeys(digits, 0)
            for place in range(7):
                read = {name: chance.randint(0, 1) for name in digits}
                formula = parse(step[1] if place else start[1])
                given_ = {**rest, **read, symbol: value}
                value = int(formula.value({n: given_[n] for n in formula.names}))
                for name in digits:
                    numbers[name] = 2 * numbers[name] + read[name] if place else -read[name]
            whole = {name.replace("_i", ""): number for name, number in numbers.items()} | rest
            meant = parse(form)
            assert value == meant.value({n: whole[n] for n in meant.names}), (moves, means)
            seen += 1
    assert seen > 15


def test_strategies_on_the_page_are_those_of_the_certificate(folder):
    seen = 0
    for path in sorted(folder.glob("family-*.json")):
        written = read_family(path)
        case = Case(1, written, _Typed())
        for location in (of for o in case.text.obligations for of in o.locations if of.strategy):
            classes, _, rows = case.strategy(location)
            shown = [answer for _, row in rows for answer in row]
            answers = [a for step in location.strategy for a in step.answers]
            assert {to for _, _, to in shown} == {a.to for a in answers}
            assert len(shown) == len(classes) * len(location.strategy)
            for step, (digits, row) in zip(location.strategy, rows, strict=True):
                assert digits == "".join(map(str, step.digits.values()))
                taken = {("".join(map(str, a.digits.values())), a.to) for a in step.answers}
                assert {(chosen, to) for _, chosen, to in row} == taken
                seen += 1
    assert seen > 50


def test_pages_are_written_and_old_ones_removed(folder, ledger, tmp_path):
    old = tmp_path / FOLDER / "family-0000.html"
    old.parent.mkdir()
    old.write_text("of a certificate that is gone")
    assert write_family_pages(whole(ledger), tmp_path) == 2
    stems = [path.stem for path in folder.glob("family-*.json")]
    written = {path.name for path in (tmp_path / FOLDER).iterdir()}
    assert written == {f"{stem}.{kind}" for stem in stems for kind in ("html", "tex")}
    for path in (tmp_path / FOLDER).glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<more>" not in text, "a title became markup"
        assert "<math>" in text
        assert f'href="{path.stem}.tex"' in text
        assert "47 conditions" in text


def test_a_height_that_is_a_sum_of_quotients_is_written_as_one(ledger, tmp_path):
    relation = {"p_positions": "x ^ y ^ z == 0", "where": "x < k+2 and z < k+2"}
    family = ("solid-bar(f=x//k+z//k)", "k % 4 == 2", relation)
    (path,) = certificates(tmp_path, [family])
    ledger["verdicts"] = [proved_verdict("claim-0", path)]
    assert write_family_pages(whole(ledger), tmp_path) == 1
    text = (tmp_path / FOLDER / f"{path.stem}.tex").read_text(encoding="utf-8")
    quotients = (rf"\left\lfloor \frac{{{x}}}{{4 m + 2}} \right\rfloor" for x in "xz")
    assert rf"y \leq {' + '.join(quotients)}$" in text


def test_a_page_of_a_game_with_passes_says_what_its_proof_rests_on(ledger, tmp_path):
    end, nim_sum = "x == 0 and y == 0 and z == 0 and p % 2 == 1", "(x+s) ^ y ^ (z+s) ^ (p%2) == 0"
    condition = "k % 2 == 0 and s % 2 == 1 and s < k"
    ruleset, relation = "with-pass(strip-bar(k=k, s=s), passes=r)", f"{end} or {nim_sum}"
    (path,) = certificates(tmp_path, [(ruleset, condition, {"p_positions": relation})])
    ledger["verdicts"] = [proved_verdict("claim-0", path)]
    assert write_family_pages(whole(ledger), tmp_path) == 1
    text = (tmp_path / FOLDER / f"{path.stem}.tex").read_text(encoding="utf-8")
    assert "or $p$ by 1 if another move is possible, which is a pass; $p$ is at most $r$." in text
    assert r"follows from $(x + s) \oplus y \oplus (z + s) = 0$ for the game without passes" in text
    assert "(x, y, z, p)" in text
    page = (tmp_path / FOLDER / f"{path.stem}.html").read_text(encoding="utf-8")
    assert "has the option (0, …, 0)" in page
    assert "P = " not in page, "passes are no track"


def test_a_page_tells_upper_from_lower_digits(ledger, tmp_path):
    relation = {"grundy": "(y ^ (z+u*2**t)) - u*2**t"}
    family = ("step-bar(k=k, s=u*2**t)", "k % 2 == 0 and u < k", relation)
    (path,) = certificates(tmp_path, [family])
    ledger["verdicts"] = [proved_verdict("claim-0", path)]
    assert write_family_pages(whole(ledger), tmp_path) == 1
    text = (tmp_path / FOLDER / f"{path.stem}.tex").read_text(encoding="utf-8")
    assert text.count(", upper digits.") == text.count(", lower digits.") // 2 > 5
    for symbol in ("Z", "T", "V", "Z'"):
        assert rf"${symbol} \leftarrow {symbol} - u$" in text
    assert r"h_{y} \leftarrow h_{y} -" not in text
    assert "2^{t}" in text


def test_a_missing_certificate_and_one_of_a_claim_that_follows_have_no_page(ledger, tmp_path):
    (tmp_path / "all-1.json").write_text(json.dumps({"kind": "claim", "format": 1}))
    on_integers = (tmp_path / "all-1.json").as_posix()
    for change in (
        {"certificate": "elsewhere/family-1.json"},
        {"certificate": on_integers, "evidence": {"follows_from": {"premises": []}}},
    ):
        ledger["verdicts"][0] |= change
        assert [c.id for p in family_proofs(whole(ledger)).values() for c in p.claims] == [
            "claim-1"
        ]
    assert write_family_pages(whole(ledger), tmp_path) == 1


@pytest.mark.full
def test_options_on_the_page_have_every_smaller_number(odd):
    """For some games, by the definition of Grundy numbers."""
    case = Case(1, read_family(odd), _Typed())
    assert case.parameters == ["k == 2 * m + 1"]
    for m, s in ((1, 0), (1, 1), (1, 3), (2, 4), (3, 1)):
        rules = parse_ruleset(f"step-bar(k={2 * m + 1}, s={s})").rules
        grundy = {}
        for z in range(20):
            for y in range((z + s) // (2 * m + 1) + 1):
                options = {(y, z): grundy[y, z] for y, z in rules.options((y, z))}
                grundy[y, z] = mex(options.values())
                for g in range(grundy[y, z]):
                    names = {"y": y, "z": z, "g": g, "m": m, "s": s}
                    assert g in {options.get(option) for option in tried(case, names)}


def tried(case, names):
    """Yield the options that a page says are tried."""
    for text in case.quotients(case.text.formula):
        name, quotient = text.split(" == ")
        names = {**names, name: value_of(quotient, names)}
    for option in case.options(case.text.formula):
        changed = dict(text.split("_of_option == ") for text in option)
        yield tuple(value_of(changed.get(x, x), names) for x in ("y", "z"))


def value_of(text, names):
    formula = parse(text)
    return formula.value({name: names[name] for name in formula.names})


@pytest.mark.full
def test_what_is_told_of_products_is_on_the_page(odd):
    (written,) = read_family(odd).cases
    view = Case(1, read_family(odd), _Typed())
    assert view.products(written.formula) == [("m * d >= m", "m * d <= - m")]
    names = {"m_k": "m", "s": "s", "value()": "G", "target()": "g"}
    names |= {
        f"{of}({x})": x + "_of_option" * (of == "option")
        for of in ("position", "option")
        for x in "yz"
    }
    names |= {f"number({n})": f"q_{n}" for n in (1, 2, 3)}
    lemmas = view.lemmas(written.formula)
    shown = {"-".join([kind, *moves]): sums for kind, moves, sums in lemmas}
    values = {name: 10**n for n, name in enumerate(names.values())}
    assert shown.keys() == {name for name, sums in written.formula.lemmas.items() if sums}
    for kind, texts in shown.items():
        for text, told in zip(texts, written.formula.lemmas[kind], strict=True):
            value = sum(c * (1 if n == "1" else values[names[n]]) for n, c in told.items())
            assert value_of(text, values) == value


def test_a_page_has_the_amounts_and_the_quotients_of_a_formula(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config" / "games").mkdir(parents=True)
    game = "game: some\nparameters: {k: 3}\ncoordinates: [x]\nmoves: [{lower: [x], at_most: k}]\n"
    (tmp_path / "config" / "games" / "some.yaml").write_text(game)
    stated = {"p_positions": "x % (k+1) == 0"}
    (path,) = certificates(tmp_path, [("game(some, k=k)", "k >= 1", stated)])
    (tmp_path / "config" / "games" / "some.yaml").unlink()  # the certificate has the rules
    claims, verdicts = [a_claim("claim-0")], [proved_verdict("claim-0", path)]
    ledger = whole({"run": "small_run", "claims": claims, "verdicts": verdicts})
    assert write_family_pages(ledger, tmp_path) == 1
    page = (tmp_path / FOLDER / f"{path.stem}.tex").read_text()
    assert "The amount taken from $x$ is at most $k$." in page
    assert r"In the formula $w_{1} = \left\lfloor \frac{x}{k + 1} \right\rfloor$" in page
    assert "one of the following is an option that is claimed to be P" in page
    assert (tmp_path / FOLDER / f"{path.stem}.html").is_file()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
def test_latex_takes_it(ledger, odd, tmp_path):
    ledger["claims"].append(a_claim("claim-2"))
    ledger["verdicts"].append(proved_verdict("claim-2", odd))
    assert write_family_pages(whole(ledger), tmp_path) == 3
    for path in sorted((tmp_path / FOLDER).glob("*.tex")):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.name]
        done = subprocess.run(command, cwd=path.parent, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
        assert path.with_suffix(".pdf").stat().st_size > 10_000


def test_found_statements_that_are_proved_for_all_have_pages_and_are_theorems(folder, tmp_path):
    path = sorted(folder.glob("family-*.json"))[0].as_posix()

    def a_family(when, verdict, *certificates):
        return a_statement(
            ruleset="solid-bar(f=(x+z)//k)",
            statement="P <=> x ^ y ^ z == 0",
            when=when,
            parameters={"k": (3, 7)},
            conclusion=Conclusion(verdict, f"{verdict} for {when}", certificates),
        )

    proved = a_family("k%4 == 3", "proved", path)
    # With a pass, sentences on integers have certificates of their own.
    followed = a_family("k%8 == 7", "proved", path, "results/all-1.json")
    listed = a_family("k%8 == 3", "proved-for-listed", path)
    ledger = whole({})
    assert write_family_pages(ledger, tmp_path, [listed]) == 0
    assert write_family_pages(ledger, tmp_path, [proved, followed, listed]) == 1
    found = found_of(document_of(proved, followed, listed), ledger, tmp_path)
    page = found_page(found, ledger)
    assert f'href="{FamilyProof(path).page}"' in page
    assert "Proved for k%4 == 3" in page
    text = printed("found.tex.j2", ledger, found)
    assert (text.count(r"\begin{theorem}"), text.count(r"\begin{conjecture}")) == (2, 1)
    assert "Proved for k%4 == 3" in printed("found.md.j2", ledger, found).replace("\\", "")
