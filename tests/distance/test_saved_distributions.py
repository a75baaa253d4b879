"""Bootstrap distributions to choose from: a file, a folder, or one that comes with the package."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import tomllib
from pathlib import Path

import numpy as np
import pytest
from plain_distance import AP

import truerank
from truerank import simulation
from truerank.cli import run
from truerank.comparison.distance import Reference, find_distribution, rank_distance_test
from truerank.comparison.distance.bootstrap import (
    bootstrap_distribution,
    embedded_distributions,
    load_embedded_distribution,
    rounded_fingerprint,
)
from truerank.errors import InputError, UnknownNameError
from truerank.readers import write_scores
from truerank.scores import ScoreMatrix

ROOT = Path(__file__).resolve().parents[2]
EMBEDDED = ROOT / "src" / "truerank" / "comparison" / "distance" / "embedded"


@pytest.fixture
def folder(tmp_path):
    """Distributions of the example and of other scores, and a file that is none."""
    place = tmp_path / "saved"
    place.mkdir()
    example = ScoreMatrix.build(AP, systems="ABC", measure="AP")
    bootstrap_distribution(Reference.of(example), 20, exact=False).save(place / "few.json")
    bootstrap_distribution(Reference.of(example)).save(place / "many.json")
    bootstrap_distribution(Reference.of(example, 0.1)).save(place / "other-lambda.json")
    bootstrap_distribution(Reference.of(np.array(AP) ** 2)).save(place / "others.json")
    (place / "note.json").write_text("{}")
    (place / "readme.txt").write_text("what is here")
    return place


@pytest.fixture
def reference(tmp_path):
    write_scores(ScoreMatrix.build(AP, systems="ABC", measure="AP"), tmp_path / "ap.csv")
    (tmp_path / "other.txt").write_text("B\nC\nA\n")
    return str(tmp_path / "ap.csv")


def test_what_is_neither_file_nor_folder_nor_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for wrong in ("web2010", "", "no/such.json"):
        with pytest.raises(InputError, match=r"no such file, nor .* \(web2010-ap, web2010-p10\)"):
            find_distribution(wrong, Reference.of(AP))
    with pytest.raises(UnknownNameError, match="did you mean 'web2010-ap'"):
        load_embedded_distribution("web2010ap")
    with pytest.raises(
        InputError, match=r"web2010-ap \(of what `truerank simulate sample web2010-ap --topics 150"
    ):
        find_distribution("web2010-ap", Reference.of(AP))


def test_python_takes_the_same_words(folder):
    example = ScoreMatrix.build(AP, systems="ABC", measure="AP")
    y = {"A": 1, "B": 3, "C": 2}
    assert truerank.compare(example, y, distribution=folder / "many.json").distance.p_value == 54 / 256
    assert rank_distance_test(example, y, distribution=folder / "few.json").resamples == 20
    # A ranking of fewer systems needs a distribution of these.
    four = ScoreMatrix.build([[*row, 0.1] for row in AP], systems="ABCD", measure="AP")
    with pytest.raises(InputError, match="other scores"):
        truerank.compare(four, {"A": 1, "B": 2, "D": 3}, distribution=folder / "many.json")
    with pytest.raises(InputError, match="is a folder; name one file"):
        truerank.compare(example, y, distribution=folder)


def test_the_command_takes_a_file_and_says_which(folder, reference, tmp_path, capsys):
    other = str(tmp_path / "other.txt")
    assert run(["compare", reference, other, "-m", "AP", "--resamples-file", str(folder / "many.json")]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "all 256 resamples of the topics, from " in printed
    assert "many.json" in printed.replace(" ", "")  # a long path is wrapped anywhere
    assert run(["compare", reference, other, "--resamples-file", str(tmp_path / "nothing")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "nor a bootstrap distribution that comes along" in error


def test_rounded_fingerprints_see_names_and_scores_but_no_bits():
    scores = simulation.load_embedded("web2010-ap").sample(20, 3)
    rng = np.random.default_rng(1)
    noisy = np.clip(scores.values + rng.uniform(-1, 1, scores.values.shape) * 1e-15, 0, 1)
    near = ScoreMatrix.build(noisy, scores.topics, scores.systems)
    assert rounded_fingerprint(near) == rounded_fingerprint(scores)
    assert near.fingerprint() != scores.fingerprint()
    moved = scores.values.copy()
    moved[0, 0] += 1e-6
    assert rounded_fingerprint(
        ScoreMatrix.build(moved, scores.topics, scores.systems)
    ) != rounded_fingerprint(scores)
    renamed = ScoreMatrix.build(scores.values, scores.topics, [f"x{s}" for s in scores.systems])
    assert rounded_fingerprint(renamed) != rounded_fingerprint(scores)


# ── what comes along ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.validation
def test_the_script_makes_the_distributions_that_are_shipped():
    spec = importlib.util.spec_from_file_location("bootstraps", ROOT / "scripts/make_embedded_bootstraps.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert embedded_distributions() == simulation.embedded_models()
    for name in embedded_distributions():
        made, shipped = script.make(name), load_embedded_distribution(name)
        facts = (
            "resamples",
            "exact",
            "seed",
            "ridge",
            "regularize",
            "fingerprint",
            "measure",
            "topics",
            "systems",
        )
        assert [getattr(made, f) for f in facts] == [getattr(shipped, f) for f in facts]
        # Another processor may end a distance some bits away, and so round it the other way.
        repeated = [np.repeat(d.distances, d.counts) for d in (made, shipped)]
        np.testing.assert_allclose(*repeated, atol=1.01e-4)


def test_they_are_small_and_packed():
    files = [path for path in EMBEDDED.iterdir() if path.name != "ORIGIN.md"]
    assert {path.name for path in files} == {f"{name}.json.gz" for name in embedded_distributions()}
    assert "CC BY-SA 4.0" in (EMBEDDED / "ORIGIN.md").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in files) < 50_000
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    packed = {path for pattern in patterns["truerank"] for path in (ROOT / "src/truerank").glob(pattern)}
    assert packed >= {*files, EMBEDDED / "ORIGIN.md"}


def test_the_commands_of_the_page_and_its_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "methods" / "rank-distance.md").read_text(encoding="utf-8")
    section = page.split("## Saved distributions")[1].split("\n## ")[0]
    (commands,) = re.findall(r"```bash\n(.*?)```", section, re.DOTALL)
    rows = re.findall(r"^\| (\.\d+) \| ([\d.]+) \| ([\d.]+) \|$", section, re.MULTILINE)
    assert len(rows) == 8
    printed = []
    for line in commands.splitlines():
        assert run(shlex.split(line)[1:]) == 0
        printed.append(capsys.readouterr().out)
    for column, output in enumerate(printed[2:], 1):
        shown = re.findall(r"^ *(\.\d+) +(\d+\.\d{4})$", output, re.MULTILINE)
        assert shown == [(row[0], row[column]) for row in rows]
        assert (
            f"10,000 resamples of the topics, seed 0, from {embedded_distributions()[column - 1]}"
            in " ".join(output.split())
        )

    # What comes along is what would have been computed.
    found = []
    for extra in ([], ["--resamples-file", "web2010-ap"], ["--resamples-file", "web2010-ap", "-m", "AP"]):
        assert run(["compare", "ap/0001.csv", "p10/0001.csv", "--json", "-", *extra]) == 0
        found.append(json.loads(capsys.readouterr().out))
    for other in found[1:]:
        # The distances that come along are rounded: one resample may change its side.
        assert other["p_value"] == pytest.approx(found[0]["p_value"], abs=2e-4)
        assert (other["resamples"], other["seed"]) == (found[0]["resamples"], found[0]["seed"]) == (10_000, 0)
        for ours, theirs in zip(other["critical_values"], found[0]["critical_values"], strict=True):
            assert ours == pytest.approx(theirs, abs=5.01e-5)
