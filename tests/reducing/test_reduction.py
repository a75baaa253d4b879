"""`truerank.reduce` and `truerank reduce`: what they say, never say, refuse and write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truerank
from truerank.cli import run
from truerank.errors import InputError, TruerankError
from truerank.reducing import KnownSystem, Model, apply, load
from truerank.reducing.choosing import chosen, strata, weighted
from truerank.reducing.held_out import families_found
from truerank.reducing.reduction import _of_differences, _worth
from truerank.report.charts.curves import reduction_chart
from truerank.scores import ScoreMatrix


def board(topics: int = 60, systems: int = 24, seed: int = 1) -> ScoreMatrix:
    """Independent systems on topics that differ in how much they tell of the means."""
    rng = np.random.default_rng(seed)
    sharp = rng.gamma(1, 1, (topics, 1))
    values = rng.normal(0.5, 0.2, (topics, 1)) + sharp * rng.normal(0, 0.1, systems)
    return ScoreMatrix.build(
        values + rng.normal(0, 0.08, (topics, systems)), [f"q{t}" for t in range(topics)], measure="AP"
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    truerank.write_scores(board(), path)
    return path


def numbers(value: Any) -> Iterator[float]:
    """All numbers of a JSON document."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from numbers(item)
    elif isinstance(value, float):
        yield value


@pytest.mark.parametrize("name", ["robust2003_ap", "robust2004_ap"])
def test_the_trap_is_there_and_never_shown(data: Path, name: str) -> None:
    """On the systems that chose it a subset looks better than on families held out, by .05 and more."""
    scores = truerank.read_scores(data / "trec" / f"{name}.csv").drop_identical()
    found = truerank.reduce(scores, 20, for_="like", repeats=3)
    assert found.for_ == "like"
    expected = [one.board_mean for one in found.score(scores).systems]
    trap = truerank.tau(scores.means, expected)
    assert found.tau_board is not None
    assert trap >= found.tau_board.estimate + 0.05
    assert min(abs(trap - one) for one in numbers(found.to_dict())) > 1e-4
    page = found.to_html()
    assert page is not None
    assert f"τ = {trap:.2f}" not in page


def test_figures_of_a_new_system(data: Path) -> None:
    """The first run of TREC-6, scored by a model of the four folds without it."""
    values = truerank.read_scores(data / "trec" / "adhoc6_ap.csv").values
    families = families_found(values)
    training = families % 5 != families[0] % 5
    known = values[:, training]
    rule = weighted(known, chosen(known, strata(known, 10), 10), families[training])
    others = values[:, 1:]
    systems = zip(others.mean(axis=0).tolist(), _of_differences(others).tolist(), strict=True)
    model = Model(
        measure="AP",
        noun="topic",
        direction="",
        for_="like",
        topics=tuple(str(t) for t in rule.topics),
        weights=tuple(rule.weights.tolist()),
        intercept=rule.intercept,
        all_topics=50,
        families=34,
        error=0.028443563845194163,
        spread=float(others.var(axis=0, ddof=1).mean()),
        binary=False,
        known=tuple(KnownSystem(f"sys{s}", *one) for s, one in enumerate(systems, 2)),
    )
    row = apply(model, values[rule.topics, 0]).systems[0]
    assert row.board_mean == pytest.approx(0.185199, abs=6e-7)
    assert row.high - row.board_mean == pytest.approx(0.058714, abs=6e-7)
    assert row.true_high - row.board_mean == pytest.approx(0.080053, abs=6e-7)
    assert (row.board_rank_low, row.board_rank_high) == (13, 56)
    assert (row.rank_low, row.rank_high) == (8, 62)


def test_variances_of_differences_are_those_of_each_pair() -> None:
    values = board(20, 6).values
    plainly = [
        np.mean([np.var(values[:, j] - values[:, other], ddof=1) for other in range(6) if other != j])
        for j in range(6)
    ]
    assert _of_differences(values) == pytest.approx(plainly)


def test_intervals_of_a_random_draw_are_those_of_the_textbook() -> None:
    from scipy.stats import ttest_1samp

    found = truerank.reduce(board(), 15, repeats=1)
    own = np.random.default_rng(2).random(15)
    row = found.score(own).systems[0]
    interval = ttest_1samp(own, 0).confidence_interval(0.95)
    assert (row.true_low, row.true_high) == pytest.approx((interval.low, interval.high))
    assert row.high - row.board_mean == pytest.approx((row.true_high - row.board_mean) * np.sqrt(1 - 15 / 60))


def test_constant_scores_do_not_make_an_interval_of_no_width() -> None:
    row = truerank.reduce(board(), 15, repeats=1).score([1.0] * 15).systems[0]
    assert row.low < 0.95


@pytest.mark.parametrize(
    ("tau", "expected"),
    [(0.5, (10, "at most")), (0.75, (np.sqrt(200), "about")), (0.95, (40, "more than"))],
)
def test_worth_is_interpolated_in_the_logarithm(tau: float, expected: tuple[float, str]) -> None:
    worth, how = _worth(tau, [10, 20, 40], np.array([0.7, 0.8, 0.9]))
    assert (worth, how) == (pytest.approx(expected[0]), expected[1])


def test_the_same_seed_gives_the_same_digits() -> None:
    first, again, other = (truerank.reduce(board(), 12, for_="like", repeats=2, seed=s) for s in (3, 3, 4))
    assert first.to_dict() == again.to_dict()
    assert first.topics == other.topics  # a choice is not random
    assert first.tau_board != other.tau_board


def test_a_system_above_all_known_is_warned_of(tmp_path: Path) -> None:
    found = truerank.reduce(board(), 12, for_="like", repeats=1)
    assert found.for_ == "like"
    new = found.score(dict.fromkeys(found.topics, 2.0))
    assert [one.valid for one in new.systems] == [False]
    assert [note.code for note in new.notes if note.level == "alert"] == ["above-known"]
    found.save(tmp_path / "model.json")
    loaded = apply(tmp_path / "model.json", dict.fromkeys(found.topics, 2.0))
    assert loaded.to_dict() == new.to_dict()
    drawn = truerank.reduce(board(), 12, repeats=1).score([2.0] * 12)
    assert drawn.systems[0].valid


def test_without_enough_families_nothing_is_chosen() -> None:
    few = board(systems=10)
    families = {name: str(place // 2) for place, name in enumerate(few.systems)}
    found = truerank.reduce(few, 12, for_="like", system_families=families)
    assert (found.for_, found.asked, found.tau_board) == ("better", "like", None)
    assert {note.code for note in found.notes} >= {"no-held-out", "not-chosen"}
    some = board(systems=16)
    families = {name: str(place % 8) for place, name in enumerate(some.systems)}
    found = truerank.reduce(some, 12, for_="like", system_families=families, repeats=1)
    assert (found.for_, found.gain, found.families) == ("better", None, 8)
    assert found.tau_board is not None


def test_identical_systems_count_once_and_two_are_enough_for_a_draw() -> None:
    values = board(systems=4).values
    found = truerank.reduce(np.column_stack([values, values]), 10)
    assert found.systems == 4
    assert truerank.reduce(values[:, :2], 10).systems == 2


def test_of_several_sizes_the_fewest_that_reach_a_target() -> None:
    sizes = (6, 12, 24, 48)
    found = truerank.reduce(board(), sizes, tau=0.8, repeats=2)
    reached = [one.keep for one in found.sizes if one.tau >= 0.8]
    assert found.keep == min(reached) == len(found.topics)
    missed = truerank.reduce(board(), sizes[:2], tau=0.999, repeats=1)
    assert missed.keep == 12
    assert "target-missed" in {note.code for note in missed.notes}
    assert reduction_chart(found)["layer"]


WRONG = [
    ({"keep": 2}, "at least 3"),
    ({"keep": 60}, "59"),
    ({"keep": []}, "no number"),
    ({"keep": 10, "tau": 3}, "between 0 and 1"),
    ({"keep": 10, "for_": "all"}, "better"),
    ({"keep": 10, "system_families": {"sys1": "a"}}, "sys2"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_what_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(TruerankError, match=said):
        truerank.reduce(board(), **arguments)


def test_empty_cells_and_averages_of_data_sets_are_refused() -> None:
    scores = board()
    values = scores.values.copy()
    values[3, 4] = np.nan
    with pytest.raises(InputError, match="empty"):
        truerank.reduce(ScoreMatrix.build(values, holes=True), 10)
    sets = ScoreMatrix.build(scores.values, data_sets=["a", "b"] * 30)
    with pytest.raises(InputError, match="data set"):
        truerank.reduce(sets, 10)
    one_each = ScoreMatrix.build(scores.values, data_sets=[f"set{t}" for t in range(60)])
    assert truerank.reduce(one_each, 10, repeats=1).topics[0].startswith("set")


def test_choose_and_apply(capsys: pytest.CaptureFixture[str], tmp_path: Path, table: Path) -> None:
    """The folder, the files cut to it, and new systems scored by it; topics beyond are ignored."""
    qrels, questions, folder = tmp_path / "qrels.txt", tmp_path / "q.jsonl", tmp_path / "reduced"
    qrels.write_text("".join(f"q{t} 0 d{d} 1\n" for t in range(60) for d in range(2)))
    questions.write_text("".join(json.dumps({"text": "x", "qid": f"q{t}"}) + "\n" for t in range(60)))
    cuts = ["--cut", str(qrels), "--cut", str(questions)]
    command = ["reduce", "choose", str(table), "--keep", "12", "--repeats", "1", "-o", str(folder), *cuts]
    assert run([*command, "--for", "like", "--json", str(tmp_path / "r.json")]) == 0
    document = json.loads((tmp_path / "r.json").read_text())
    topics = (folder / "topics.txt").read_text().split()
    assert topics == document["topics"]
    assert document["for"] == "like"
    assert len((folder / "qrels.txt").read_text().splitlines()) == 24
    assert {json.loads(line)["qid"] for line in (folder / "q.jsonl").read_text().splitlines()} == {*topics}
    assert "<html" in (folder / "index.html").read_text()
    capsys.readouterr()
    model = str(folder / "model.json")
    assert run(["reduce", "apply", model, str(table), "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["systems"]
    found = truerank.reduce(table, 12, for_="like", repeats=1)
    assert [row["board_mean"] for row in rows] == pytest.approx(
        [one.board_mean for one in found.score(board()).systems]
    )


def test_what_apply_refuses(capsys: pytest.CaptureFixture[str], tmp_path: Path, table: Path) -> None:
    folder = tmp_path / "reduced"
    assert run(["reduce", "choose", str(table), "--keep", "12", "-o", str(folder), "--repeats", "1"]) == 0
    model, new = folder / "model.json", tmp_path / "new.csv"
    topics = (folder / "topics.txt").read_text().split()
    new.write_text("topic,new\n" + "".join(f"{topic},0.5\n" for topic in topics[1:]))
    assert run(["reduce", "apply", str(model), str(new)]) == 2
    assert topics[0] in capsys.readouterr().err
    document = json.loads(model.read_text())
    document["model"]["intercept"] = 1.0
    model.write_text(json.dumps(document))
    with pytest.raises(InputError, match="damaged"):
        load(model)
    with pytest.raises(InputError, match="not a model"):
        load(new)
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "absent.json")
    assert run(["reduce", "choose", str(table), "--keep", "12,x", "-o", str(folder)]) == 2


@pytest.mark.parametrize("names", [("a/qrels.txt", "b/qrels.txt"), ("a/topics.txt",)])
def test_no_file_of_the_folder_is_written_over_another(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, table: Path, names: tuple[str, ...]
) -> None:
    command = ["reduce", "choose", str(table), "--keep", "12", "-o", str(tmp_path / "reduced")]
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"q{t} 0 d 1\n" for t in range(60)))
        command += ["--cut", str(path)]
    assert run(command) == 2
    assert "rename" in capsys.readouterr().err
    assert not (tmp_path / "reduced").exists()


def test_lower_is_better_is_not_mixed_up(tmp_path: Path) -> None:
    found = truerank.reduce(board(), 12, repeats=1)
    lower = replace(found.model, direction="lower is better")
    path = tmp_path / "new.csv"
    path.write_text("topic,new\n" + "".join(f"{topic},0.5\n" for topic in found.topics))
    with pytest.raises(InputError, match="higher is better"):
        apply(lower, path)
