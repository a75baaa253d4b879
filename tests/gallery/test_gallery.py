"""The gallery: what is stored is what the tables give, and the pages say what is stored."""

from __future__ import annotations

import csv
import gzip
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import truerank
from gallery.boards import BOARDS, DECLARED, TABLES
from gallery.pages import contenders, overview, page_of, separated
from gallery.results import RESULTS, compute, stored, text_of

RANKED = [key for key, board in BOARDS.items() if board.ranked]


def table_of(key: str) -> list[dict[str, str]]:
    with gzip.open(TABLES / BOARDS[key].table, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.validation
@pytest.mark.parametrize("key", ["wmt20-ende", "tau-bench"])
def test_a_page_is_computed_again(key: str) -> None:
    assert text_of(compute(BOARDS[key])) == (RESULTS / f"{key}.json").read_text("utf-8")


@pytest.mark.parametrize("key", [key for key in RANKED if key not in ("llmfao", "evalperf")])
def test_stored_scores_are_the_means_of_the_table(key: str) -> None:
    rows = table_of(key)
    first = next(iter(rows[0]))
    if "attempts" in rows[0]:
        systems = {row["system"] for row in rows}
        shares = [(row["system"], int(row["successes"]) / int(row["attempts"])) for row in rows]
        means = {name: np.mean([share for system, share in shares if system == name]) for name in systems}
    else:
        systems = [name for name in rows[0] if name not in (first, "cluster")]
        means = {name: np.mean([float(row[name]) for row in rows]) for name in systems}
    ranking = stored(BOARDS[key])["ranking"]
    assert [row["system"] for row in ranking] == sorted(means, key=lambda name: -round(means[name], 10))
    assert [row["mean"] for row in ranking] == pytest.approx(
        [means[row["system"]] for row in ranking], abs=1e-4
    )


@pytest.mark.parametrize("key", RANKED)
def test_what_a_page_counts(key: str) -> None:
    board, result = BOARDS[key], stored(BOARDS[key])
    text, first, ranges = page_of(board, result), contenders(board, result), result["ranking"]
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] for row in ranges)
    lasting = [max(row["rank_high"] for row in ranges[: k + 1]) for k in range(len(ranges))]
    assert separated(result) >= sum(
        last < row["rank_low"] for last, row in zip(lasting, ranges[1:], strict=False)
    )
    rivals = [row for row in ranges if row["system"] not in board.aside]
    assert first[0] == rivals[0]["system"]
    # Who is left out has a range wholly below that of some other rival, or below the places that are theirs.
    for row in rivals:
        below = any(other["rank_high"] < row["rank_low"] for other in rivals)
        assert (row["system"] in first) == (not below and row["rank_low"] <= 1 + len(board.aside))
    assert (f"**{len(first)} of the {len(rivals)} systems may be first.**" in text) == (len(first) > 1)
    assert ("of this part may be first" in text) == (len(first) == 1 and bool(board.part))
    assert f"**τ = {result['tau']['estimate']:.2f}" in text
    assert f"| [{board.title}]({key}.md){' (part)' * bool(board.part)} | {len(ranges)} on " in overview()


def test_a_board_names_its_source_and_is_small() -> None:
    for board in BOARDS.values():
        assert board.license
        assert board.left_out
        assert board.cautions
        assert not board.repository or (len(board.commit) == 40 and date.fromisoformat(board.date))
        assert (TABLES / board.table).stat().st_size <= 1e6
    kept_back = {board.table for board in DECLARED.values() if not board.shown}
    tables = [path for path in TABLES.iterdir() if path.name not in kept_back]
    declared = {name for board in BOARDS.values() for name in (board.table, board.costs) if name}
    assert {path.name for path in tables} == declared
    assert sum(path.stat().st_size for path in tables) <= 6e6


def test_data_for_non_commercial_use_is_neither_shown_nor_kept() -> None:
    """A table that somebody made for themselves stays out of the repository."""
    bound = {key for key, board in DECLARED.items() if "NC" in board.license}
    assert bound == {key for key, board in DECLARED.items() if not board.shown}
    ignored = (TABLES.parents[1] / ".gitignore").read_text("utf-8").splitlines()
    for key in bound:
        assert not (RESULTS / f"{key}.json").exists()
        assert any(Path(f"/gallery/tables/{DECLARED[key].table}").match(line) for line in ignored)


def test_run_noise_of_one_system_is_what_an_assessment_finds(tmp_path: Path) -> None:
    """Systems that always fail add no noise: they divide the variance by runs and that by tasks alike."""
    rows = table_of("tau-bench")
    lines = [
        f"{row['question']},{system},{row['run']},{float(row['reward']) * (system == 'gpt-4o')}"
        for row in rows
        for system in ("gpt-4o", "fails", "fails too")
    ]
    path = tmp_path / "runs.csv"
    path.write_text("question,system,run,reward\n" + "\n".join(lines) + "\n", "utf-8")
    [found] = truerank.assess(path, "eb", draws=100).noise.sources
    [source] = stored(BOARDS["tau-bench"])["noise"]["sources"]
    assert source["share"] == pytest.approx(found.share, rel=1e-5)
    assert (source["low"], source["high"]) == pytest.approx((found.low, found.high), rel=1e-5)


def test_the_observed_frontier_is_that_of_the_tables() -> None:
    """A system is on it unless another is at least as good and costs no more, one of the two strictly."""
    board, found = BOARDS["open-clip"], stored(BOARDS["open-clip"])
    with gzip.open(TABLES / board.costs, "rt", encoding="utf-8") as file:
        costs = {row["system"]: float(row["GFLOPs"]) for row in csv.DictReader(file)}
    rows = table_of("open-clip")
    means = {name: np.mean([float(row[name]) for row in rows]) for name in rows[0] if name != "data_set"}
    assert set(means) <= set(costs)
    frontier = {
        one
        for one in means
        if not any(
            means[other] >= means[one] - 1e-12
            and costs[other] <= costs[one]
            and (means[other] > means[one] + 1e-12 or costs[other] < costs[one])
            for other in means
        )
    }
    assert set(found["pareto"]["observed"]) == frontier
    assert frontier <= set(found["pareto"]["systems"])
    assert {row["system"]: row["value"] for row in found["pareto"]["rows"]} == {
        name: pytest.approx(costs[name], rel=1e-5) for name in found["pareto"]["systems"]
    }
    page = page_of(board, found)
    assert "## Which of them for how many GFLOPs" in page
    assert f"**{len(found['pareto']['systems'])} may be on the true one**" in page


def test_separated_pairs_are_those_of_the_one_rule() -> None:
    """Counted from letters for the page; here from the probabilities."""
    key = "wmt20-ende"
    found = truerank.assess(TABLES / BOARDS[key].table, seed=1)
    assert stored(BOARDS[key])["pairs"] == {"count": 45, "separated": int(np.count_nonzero(found.above))}


def test_what_the_front_page_says_of_a_board_is_what_was_found() -> None:
    result = stored(BOARDS["mteb"])
    first = len(contenders(BOARDS["mteb"], result))
    said = f"of {result['systems']} embedding models on MTEB, {first} may be first"
    assert said in (TABLES.parents[1] / "README.md").read_text("utf-8")
