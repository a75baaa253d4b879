"""The pages of docs/papers/ name commands, options, experiments and Python names that exist, no others."""

from __future__ import annotations

import importlib
import re
import shlex
from dataclasses import fields
from functools import reduce
from pathlib import Path

import pytest

import truerank
from truerank.cli import PROGRAM
from truerank.cli.command import Commands
from truerank.coefficients import COEFFICIENTS
from truerank.comparison.distance import rank_distance
from truerank.comparison.significance import significant_agreement
from truerank.experiments import EXPERIMENTS
from truerank.reliability.estimators import ESTIMATORS
from truerank.scores import ScoreMatrix
from truerank.simulation import SIMULATORS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "docs" / "papers" / f"{paper}.md"
    for paper in ("urbano-marrero-2016", "bavdaz-2018", "carterette-2009", "yang-2018")
]

CHOICES = {
    "--estimator": list(ESTIMATORS),
    "--coefficient": list(COEFFICIENTS),
    "--simulator": list(SIMULATORS),
    "--resamples-file": ["FILE"],
}
"""Options of commands whose value is a name that must exist, or a place."""


def items(page):
    """The items of a paper, each as its place in the paper and all that is said of it."""
    text = page.read_text(encoding="utf-8")
    for one in re.split(r"\n(?=- \*\*)", text)[1:]:
        place, said = re.fullmatch(r"- \*\*(.+?)\*\* · (.*)", " ".join(one.split("\n\n")[0].split())).groups()
        yield place, said


def quoted(marked):
    """What stands in code quotes, in order: with the mark of what is not there yet, or without."""
    text = " ".join(said for page in PAGES for _, said in items(page))
    return [
        found.group(2)
        for found in re.finditer(r"(\*not yet\* )?`([^`]+)`", text)
        if bool(found.group(1)) == marked and found.group(2).startswith(("truerank", "python -m"))
    ]


def trouble(command):
    """What is wrong with a command, or nothing."""
    words = shlex.split(command)[1:]
    found = PROGRAM
    while words and isinstance(found, Commands):
        name = words.pop(0)
        if name not in found.names:
            return f"no command {name!r}"
        found = found.find(name)
    known = {name: option for option in found.parameters for name in option.flags}
    if found.name == "experiment run":
        if words[0] not in EXPERIMENTS:
            return f"no experiment {words[0]!r}"
        parameters = EXPERIMENTS[words[0]].parameters
        known |= {"--" + field.name.replace("_", "-"): None for field in fields(parameters)}
    for place, word in enumerate(words):
        if word.startswith("-") and word not in known:
            return f"no option {word}"
        if word.startswith("--") and known[word] is not None:
            value = words[place + 1] if place + 1 < len(words) else ""
            if word in CHOICES and value not in CHOICES[word]:
                return f"{word} has no {value!r}"
    return ""


def resolves(name):
    """Whether a dotted Python name can be imported or looked up."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        try:
            reduce(getattr, parts[end:], module)
        except AttributeError:
            return False
        return True
    return False


def test_the_page_covers_the_papers():
    wanted = (
        "eq. 1; eq. 2; eq. 3, 4; eq. 5–7; eq. 8, 9; eq. 10; Figure 1; Figure 2",
        "§4.2.4; Figure 5.1; Figure 5.2; Figure 5.3; Figures 5.4, 5.5; Figures 5.6, 5.7; Figure 5.8",
        "eq. 1; eq. 2, Algorithm 1; Algorithm 2; Figure 1; Figure 2; Figure 3; Figure 4a–c; "
        "Table 1a; Table 1b; Table 2; theorem 1; theorem 2; theorem 3",
        "Algorithm 1; Algorithm 2; eq. 1, Algorithm 3; Algorithm 4; Figure 1; Figure 2; "
        "Table 1, row 1; Table 1, row 2; Table 1, row 3",
    )
    for page, places in zip(PAGES, wanted, strict=True):
        there = " ; ".join(place for place, _ in items(page))
        for place in places.split("; "):
            assert place in there, (page.name, place)
        # Each says what is to be run, or what is done here instead.
        assert all(" - run: " in said or " - here: " in said for _, said in items(page))


def test_every_command_and_name_exists():
    named = quoted(marked=False)
    assert len(named) > 60
    for text in named:
        if text.startswith("truerank "):
            assert not trouble(text), f"{text}: {trouble(text)}"
        elif text.startswith("truerank"):
            assert resolves(text), text
        else:
            module, _, job = text.removeprefix("python -m ").partition(" ")
            assert (ROOT / module / f"{job}.py").is_file(), text


def test_the_figures_that_experiments_are_said_to_write_are_written():
    """Names in brackets behind an experiment are those of its files, as its source spells them."""
    studies = (ROOT / "src" / "truerank" / "experiments" / "studies").glob("*.py")
    source = "\n".join(study.read_text(encoding="utf-8") for study in studies)
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    found = re.findall(r"`truerank experiment run (\S+)[^`]*` \(`(?:figures|tables)/([^`]+)`\)", text)
    assert len(found) > 8
    for name, file in found:
        made = "coverage-{c}-{kind}-{dependence}" if file.startswith("coverage-") else file
        assert f'"{made}' in source, (name, file)


def test_the_example_of_carterettes_section_3_1():
    scores = ScoreMatrix.build(
        [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]],
        systems="ABC",
    )
    printed = {  # τ, discriminative power, distance; two distances other than the paper's 4.88
        "ABC": (-1, 0, 4.88),
        "ACB": (-1 / 3, 0, 4.88),
        "BAC": (-1 / 3, 1 / 2, 4.45),
        "CAB": (1 / 3, 1 / 2, 4.83),
        "BCA": (1 / 3, 1, 0.65),
        "CBA": (1, 1, 0),
    }
    for ranking, (tau, power, distance) in printed.items():
        y = [-ranking.index(system) for system in scores.systems]
        assert truerank.tau(scores.means, y) == pytest.approx(tau)
        assert significant_agreement(scores, y) == pytest.approx(power)
        assert rank_distance(scores, y).distance == pytest.approx(distance, abs=5e-3)
