"""The papers' pages: printed numbers are in the papers' texts, z-scores are right, missing data is named."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run as main
from truerank.errors import InputError
from truerank.experiments import EXPERIMENTS, execution, paper, paper_view
from truerank.experiments.paper import PAPERS, Given, declarations, run_paper
from truerank.experiments.studies import simulated
from truerank.experiments.view import files_of
from truerank.report.view import Asked
from truerank.scores import ScoreMatrix

TEXTS = Path(__file__).resolve().parents[3] / "shared" / "papers"


@pytest.mark.parametrize("name", PAPERS)
def test_every_printed_number_is_in_the_text_of_its_paper(name: str) -> None:
    if not TEXTS.is_dir():
        pytest.skip("the papers are not beside the project")
    text = (TEXTS / f"{name}.txt").read_text("utf-8").replace("-0.0", "–0.0")
    for item in declarations(name)["items"]:
        for value in item.get("values", ()):
            for number in value.get("published", "").split(" to "):
                assert re.search(rf"(?<!\d){re.escape(number.removeprefix('0'))}(?!\d)", text) or (
                    number in text
                ), (item["name"], value["what"], number)


def test_numbers_of_a_printed_table_are_declared_by_row_and_column() -> None:
    """Four of the 30 distances of Table 1b, read off the paper by hand, and what an item inherits."""
    items = {item["name"]: item for item in declarations("carterette-2009")["items"]}
    printed = {value["what"]: value for value in items["Table 1b"]["values"]}
    assert len(printed) == 60
    for base, other, distance in (
        ("P@10", "AP", "14.11"),
        ("AP", "P@10", "25.44"),
        ("R-prec", "bpref", "4.73"),
        ("bpref", "RR", "23.95"),
    ):
        value = printed[f"distance from {base} to {other}"]
        assert (value["published"], value["column"], value["table"]) == (distance, "distance", "pairs")
    assert printed["p of the distance from bpref to R-prec"]["published"] == "0.14"


@pytest.mark.parametrize("name", PAPERS)
def test_declarations_name_experiments_options_and_runs_that_exist(name: str) -> None:
    declared = declarations(name)
    for run in declared["runs"].values():
        known = EXPERIMENTS.find(run["experiment"]).parameters.__dataclass_fields__
        assert {*run.get("options", {}), *run["quick"]} <= set(known)
    for item in declared["items"]:
        assert item["run"] in declared["runs"]
        for value in item["values"]:
            assert ("published" in value) != ("sign" in value)
            assert {"table", "column"} <= value.keys()


@pytest.mark.parametrize("name", PAPERS)
def test_every_figure_and_table_of_the_documentation_is_an_item_of_its_command(name: str) -> None:
    pages = Path(__file__).resolve().parents[2] / "docs" / "papers"
    entries = re.findall(r"^- \*\*(.*?)\*\*", (pages / f"{name}.md").read_text("utf-8"), re.MULTILINE)
    items = [item["name"] for item in declarations(name)["items"]]
    named = [
        f"{kind} {number}"
        for entry in entries
        for kind, numbers in re.findall(r"(Figure|Table)s? ([\d.]+[a-z]?(?:, [\d.]+)*)", entry)
        for number in numbers.split(", ")
    ]
    assert named
    for one in named:
        assert one in items or one.rstrip("abc") in items, one


@pytest.mark.parametrize(
    ("printed", "here", "error", "z"),
    [("0.80", 0.7992, 0.0, None), ("0.065", 0.0850, 0.01, 1.95), ("0.02 to 0.03", 0.015, 0.0025, -2.0)],
)
def test_z_is_the_distance_to_what_rounds_to_the_printed_number(
    printed: str, here: float, error: float, z: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pd.DataFrame({"v": [here], "e": [error]})
    monkeypatch.setattr(paper, "_rows", lambda *given: rows)
    value = {"what": "x", "table": "t", "column": "v", "se": "e", "published": printed}
    found = paper._item("Table 1", value, None)  # type: ignore[arg-type]
    assert found.z == (None if z is None else pytest.approx(z, abs=1e-4))
    assert found.note in paper.NEAR


def test_a_claim_of_every_bin_is_counted_bin_by_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mean over bins may be above where most bins are below; its error is that of the intervals."""
    rates = {"bst": [0.5, 0.1, 0.1], "kde": [0.3, 0.12, 0.11]}

    def rows(results: object, table: str, where: dict[str, str]) -> pd.DataFrame:
        rate = np.array(rates[where["model"]])
        return pd.DataFrame({"v": rate, "low": rate - 0.0196, "high": rate + 0.0196})

    monkeypatch.setattr(paper, "_rows", rows)
    value = {"what": "x", "table": "t", "column": "v", "sign": 1, "se": "interval", "count": "bins"}
    found = paper._item("Figure 2", value | {"where": {"model": "bst"}, "minus": {"model": "kde"}}, None)  # type: ignore[arg-type]
    assert found.se == pytest.approx(0.01 * 2**0.5)
    assert found.note == "as claimed; as claimed in 1 of 3 bins"


def test_a_paper_is_run_resumed_and_set_beside_published_estimates(
    table: ScoreMatrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The published estimates are made here: z-scores are those of a second computation."""
    small = declarations("urbano-marrero-2016")
    small["runs"]["main"]["options"] |= {"topics": [10, 20], "estimators": ["ml", "sh-w"], "drop_bottom": 0.0}
    small["runs"]["main"]["quick"] = {"trials": 6}
    monkeypatch.setattr(paper, "declarations", lambda name: small)
    source = tmp_path / "made_ap.csv"
    truerank.write_scores(table, source)
    rng = np.random.default_rng(1)
    rows = [("made", n, t, *rng.uniform(0.5, 1, 3)) for n in (10, 20) for t in range(30)]
    published = pd.DataFrame(rows, columns=["collection", "n_t", "trial", "actual", "ML", "SHw"])
    for stem in ("made_tau", "made_tauAP"):
        published.to_csv(tmp_path / f"{stem}.csv", index=False)
    options: dict[str, Any] = {"published": str(tmp_path), "quick": True, "workers": 1}
    found = run_paper("urbano-marrero-2016", [str(source)], tmp_path / "out", **options)
    own = found.runs["main"].to_frame("estimates")
    cell = own[(own["topics"] == 20) & (own["estimator"] == "sh-w") & (own["coefficient"] == "tau_ap")].iloc[
        0
    ]
    item = next(one for one in found.items if one.what == "bias, made_ap, τ_AP, 20 topics, sh-w")
    off = (published["SHw"] - published["actual"])[published["n_t"] == 20]
    total = np.hypot(off.std(ddof=1) / len(off) ** 0.5, cell["bias_se"])
    assert item.published == pytest.approx(off.mean())
    assert item.z == pytest.approx((cell["bias"] - off.mean()) / total)
    # Cells without the estimators of the paper say so, and nothing is computed twice.
    assert any(one.note == paper.NOT_HERE for one in found.items)
    rows_of = (tmp_path / "out" / "runs").rglob
    before = {path: path.stat().st_mtime_ns for path in rows_of("*.parquet")}
    again = run_paper("urbano-marrero-2016", [str(source)], tmp_path / "out", **options)
    assert again.items == found.items
    assert {
        path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "runs").rglob("*.parquet")
    } == before
    shown = paper_view.view(found, Asked())
    assert [section.title for section in shown.sections] == ["Figure 1", "Figure 2"]
    # A note that all rows share stands below the table; others are a column.
    alike = replace(found, items=[replace(one, note="of other runs") for one in found.items])
    for of, below in ((found, False), (alike, True)):
        sections = paper_view.view(of, Asked()).sections
        made = [one for section in sections for one in section.tables if one.name.endswith("-published")]
        assert any("In all rows: of other runs." in one.note for one in made) == below
        assert any(column.key == "note" for one in made for column in one.columns) != below
    written = files_of(shown)
    assert {"figures/figure-1-error.pdf", "tables/figure-2-published.csv"} <= written.keys()


def test_what_cannot_be_used_is_refused_before_any_work(table: ScoreMatrix, tmp_path: Path) -> None:
    source, odd = tmp_path / "a_ap.csv", tmp_path / "published"
    truerank.write_scores(table, source)
    odd.mkdir()
    for given, options, message in (
        ([str(source)], {}, "two measures"),
        ([str(tmp_path / "no.csv")], {}, "no.csv"),
        ([str(source)] * 2, {}, "two sources are named 'a_ap'"),
        ([str(source)], {"qrels": "no.txt"}, "no.txt: no such file"),
        ([str(source)], {"qrels": str(source)}, "judgments without runs"),
        ([str(source)], {"published": "no"}, "no: no such folder"),
        ([str(source)], {"published": str(odd)}, "no published estimates"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            run_paper("yang-2018", given, tmp_path / "out", workers=1, **options)
    (odd / "adhoc6_tau.csv").write_text("n_t,ML\n10,0.5\n")
    with pytest.raises(InputError, match="needs columns n_t, actual"):
        run_paper("yang-2018", [str(source)], tmp_path / "out", published=str(odd))
    assert not (tmp_path / "out").exists()


def test_a_paper_that_was_stopped_goes_on_by_the_same_command(
    table: ScoreMatrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Stopped by Ctrl-C, or killed with some of the rows or with none; other folders stay refused."""
    sources = [str(tmp_path / f"{measure}.csv") for measure in ("ap", "p10")]
    for source in sources:
        truerank.write_scores(table, source)
    out = tmp_path / "out"
    words = ["experiment", "paper", "yang-2018", *sources, "--quick", "--workers", "1", "-q", "-o"]

    def stopped(*given: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(execution, "_computed", stopped)
        assert main([*words, str(out)]) == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert main([*words, str(out)]) == 0, capsys.readouterr().err
    written = {path: path.read_bytes() for path in out.glob("*/*.csv")}
    rows = list(out.glob("runs/*/rows/*"))
    assert written
    assert len(rows) == 2
    kept = rows[0].stat().st_mtime_ns
    rows[1].unlink()
    for path in [*out.glob("tables/*"), *out.glob("figures/*"), out / "index.html"]:
        path.unlink()
    assert main([*words, str(out)]) == 0, capsys.readouterr().err
    assert rows[0].stat().st_mtime_ns == kept
    assert {path: path.read_bytes() for path in written} == written
    (tmp_path / "begun" / "runs" / "raw").mkdir(parents=True)
    assert main([*words, str(tmp_path / "begun")]) == 0, capsys.readouterr().err
    for place in ("other/notes.txt", "other2/runs/input.gz", "other3/raw/manifest.json"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("mine")
        assert main([*words, str(tmp_path / place.split("/")[0])]) == 2
        assert "the folder is not empty" in capsys.readouterr().err
        assert (tmp_path / place).read_text() == "mine"


def test_tables_and_runs_are_told_apart_and_each_run_gets_its_own(data: Path) -> None:
    trec, robust = data / "trec", data / "robust03"
    files = [trec / "terabyte2006_ap.csv", trec / "robust2004_ap.csv", trec / "robust2004_p10.csv"]
    sources = [*map(str, files), str(robust / "runs")]
    given = Given.read(sources, str(robust / "robust03_qrels.txt.gz"))
    declared = declarations("carterette-2009")
    wanted = {key: given.of(run, declared) for key, run in declared["runs"].items()}
    assert list(wanted["random"][0]) == ["terabyte2006_ap"]
    assert list(wanted["measures"][0]) == ["robust2004_ap", "robust2004_p10"]
    assert wanted["pools"] == ([str(robust / "runs")], {"qrels": str(robust / "robust03_qrels.txt.gz")})


def test_the_thesis_has_the_distinct_systems_of_each_year(data: Path) -> None:
    """bavdaz-2018 §5.1: 76 systems of 2010 and 58 of 2011, in the tables of both measures."""
    options = declarations("bavdaz-2018")["runs"]["intervals"]["options"]
    parameters = EXPERIMENTS.find("intervals").parameters(drop_identical=options["drop_identical"])
    names = ("web2010_ap", "web2010_p10", "web2011_ap", "web2011_p10")
    found = simulated.load([str(data / "trec" / f"{name}.csv") for name in names], parameters)
    assert [item.given.m for item in found.values()] == [76, 76, 58, 58]
