"""Clusters of topics from a file are as those from a column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truerank.cli import run
from truerank.errors import InputError
from truerank.readers import read_scores

RNG = np.random.default_rng(11)
TOPICS = [f"q{t}" for t in range(12)]
CLUSTERS = [f"c{t // 3}" for t in range(12)]
SCORES = (RNG.uniform(0, 0.5, (4, 1)).repeat(3, axis=0) + RNG.uniform(0, 0.4, (12, 3))).round(3)


def table(path: Path, clusters: bool = False) -> str:
    head = ["cluster"] if clusters else []
    lines = [",".join([*head, "topic", "A", "B", "C"])]
    for t, name in enumerate(TOPICS):
        own = [CLUSTERS[t]] if clusters else []
        lines.append(",".join([*own, name, *map(str, SCORES[t])]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def file_of_clusters(path: Path, head: str = "topic,cluster", skip: int = 0) -> str:
    rows = [f"{name},{cluster}" for name, cluster in zip(TOPICS, CLUSTERS, strict=True)][skip:]
    path.write_text("\n".join([head, *reversed(rows), "another,c9"]) + "\n", encoding="utf-8")
    return str(path)


def assessed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run(["assess", *arguments, "--json", "-"]) == 0, capsys.readouterr().err
    found = json.loads(capsys.readouterr().out)
    return found["ranking"]


def test_a_file_says_the_same_as_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    column = assessed(capsys, table(tmp_path / "with.csv", True), "--cluster", "cluster")
    plain = table(tmp_path / "without.csv")
    file = assessed(capsys, plain, "--cluster", file_of_clusters(tmp_path / "clusters.csv"))
    alone = assessed(capsys, plain)
    for one, other in zip(file, column, strict=True):
        assert one["mean_low"] == pytest.approx(other["mean_low"], rel=1e-9)
        assert one["se"] == pytest.approx(other["se"], rel=1e-9)
    assert alone[0]["se"] != pytest.approx(file[0]["se"], rel=1e-3)


def test_runs_take_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels = "".join(f"{name} 0 d{k} {int(k % 3 == 0)}\n" for name in TOPICS for k in range(9))
    (tmp_path / "qrels").write_text(qrels)
    paths = []
    for s in range(3):
        order = {name: RNG.permutation(9) for name in TOPICS}
        lines = [
            f"{name} Q0 d{k} {r + 1} {9 - r} s{s}\n" for name in TOPICS for r, k in enumerate(order[name])
        ]
        (tmp_path / f"s{s}.run").write_text("".join(lines))
        paths.append(str(tmp_path / f"s{s}.run"))
    clusters = file_of_clusters(tmp_path / "clusters.csv")
    judged = ["--qrels", str(tmp_path / "qrels"), "-m", "AP"]
    runs = assessed(capsys, *paths, *judged, "--cluster", clusters)
    assert run(["evaluate", *paths, *judged, "-o", str(tmp_path / "scores")]) == 0
    capsys.readouterr()
    scores = str(tmp_path / "scores" / "AP.csv")
    for one, other in zip(runs, assessed(capsys, scores, "--cluster", clusters), strict=True):
        assert one["se"] == pytest.approx(other["se"], rel=1e-9)
    assert one["se"] != pytest.approx(assessed(capsys, scores)[-1]["se"], rel=1e-6)


def test_what_is_wrong_with_the_file_is_said(tmp_path: Path) -> None:
    plain = table(tmp_path / "without.csv")
    for head, skip, said in (
        ("topic,cluster", 2, r"c\.csv: topic 'q0' has no cluster"),
        ("topic,group_of", 0, r"c\.csv:1: no column 'cluster'"),
    ):
        with pytest.raises(InputError, match=said):
            read_scores(plain, cluster=file_of_clusters(tmp_path / "c.csv", head, skip))
    twice = tmp_path / "twice.csv"
    twice.write_text("topic,cluster\nq0,a\nq0,b\n")
    with pytest.raises(InputError, match=r"twice\.csv:3: topic 'q0' has cluster 'b' here and 'a' above"):
        read_scores(plain, cluster=twice)
    with pytest.raises(InputError, match="nowhere"):
        read_scores(plain, cluster="nowhere.csv")
