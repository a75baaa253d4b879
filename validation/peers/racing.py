"""Installs the packages, draws the collections, has each package answer, and keeps what was measured."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np

import truerank
from truerank._support.seeds import stream
from validation.checks import Checks
from validation.peers.questions import QUESTION, Question

HERE, ROOT = Path(__file__).parent, Path(__file__).resolve().parents[2]
MEASURED = HERE / "measured.csv"
FOLDER = Path(os.environ.get("TRUERANK_PEERS", ROOT / "build" / "peers"))
COLLECTIONS, SECONDS = {"small": 200, "medium": 100, "large": 40}, 20
"""Collections at each size, and seconds that a package has for them."""
MORE = {"gate": 3, "pairs": 2}
"""How many times as many collections error rates need."""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A package of the race.

    Attributes:
        packages: its requirements; none for truerank.
        asked: settings by question.
        source: its repository where it is not on PyPI.
        r: the package of R that it is.
    """

    packages: Sequence[str]
    asked: Mapping[str, str]
    source: str = ""
    r: str = ""


@dataclass(frozen=True)
class Figure:
    """One metric of a package in one population.

    Attributes:
        question: that was asked.
        population: of the collections.
        size: small, medium or large.
        package: that answered.
        version: of the package.
        metric: what was measured.
        collections: that it is an average over.
        value: the average; of seconds the median.
        error: its standard error.
    """

    question: str
    population: str
    size: str
    package: str
    version: str
    metric: str
    collections: int
    value: float
    error: float


@dataclass(frozen=True)
class Place:
    """Where environments, collections and answers are kept."""

    folder: Path = FOLDER

    def collections(self, name: str, population: str, size: str) -> Path:
        """The file of a cell's collections, drawn where it is not there."""
        file = self.folder / "collections" / f"{name} {population} {size}.npz"
        if not file.is_file():
            question = QUESTION[name]
            count = COLLECTIONS[size] * MORE.get(name, 1)
            drawn = [
                question.draw(population, question.sizes[size], stream(1, "peers", name, population, size, k))
                for k in range(count)
            ]
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part.npz")
            np.savez_compressed(part, **{key: np.array([one[key] for one in drawn]) for key in drawn[0]})
            part.replace(file)
        return file

    def python(self, name: str) -> Path:
        """The interpreter of a package's environment, made where it is not there.

        Raises:
            subprocess.CalledProcessError: a package that cannot be installed.
        """
        peer = peers()[name]
        if not peer.packages:
            return Path(sys.executable)
        folder = self.folder / "environments" / " ".join(peer.packages).replace("/", "-")
        python = folder / "bin" / "python"
        if not (folder / ".ready").is_file():
            venv.create(folder, with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *peer.packages], check=True)
            (folder / ".ready").touch()
        if peer.source and not list(folder.glob(f"lib/*/site-packages/*{name}*")):
            copy = self.folder / "repositories" / name
            wanted = str(copy) if copy.is_dir() else f"git+https://{peer.source}"
            subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", wanted], check=True)
        return python

    def answered(self, question: str, name: str) -> dict[tuple[str, str], Path]:
        """The files of a package's answers by population and size, asked for where they are not there."""
        asked = QUESTION[question]
        cells = [(population, size) for size in asked.sizes for population in asked.populations]
        files = {cell: self.folder / "answers" / f"{question} {' '.join(cell)} {name}.npz" for cell in cells}
        left = [cell for cell in cells if not files[cell].is_file()]
        try:
            python = self.python(name) if left else None
        except subprocess.CalledProcessError:
            left = []
        if left:
            (self.folder / "answers").mkdir(parents=True, exist_ok=True)
            pairs = [(self.collections(question, *cell), files[cell]) for cell in left]
            seconds = os.environ.get("TRUERANK_PEERS_SECONDS", str(SECONDS))
            command = [
                python,
                HERE / "adapters.py",
                question,
                name,
                seconds,
                *(one for pair in pairs for one in pair),
            ]
            path = str(ROOT) if name == "truerank" else ""
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            for line in dict.fromkeys(done.stderr.strip().splitlines()[-3:]):
                print(f"  {name}: {line}", file=sys.stderr)
        return {cell: file for cell, file in files.items() if file.is_file()}


@cache
def peers() -> Mapping[str, Peer]:
    """All packages by name."""
    declared = tomllib.loads((HERE / "peers.toml").read_text(encoding="utf-8"))
    return {name: Peer(**one) for name, one in declared.items()}


def figures(place: Place, question: str, name: str) -> list[Figure]:
    """What one package's answers to a question are worth."""
    found: list[Figure] = []
    for (population, size), file in place.answered(question, name).items():
        found += _of_cell(place, file, question, population, size, name)
    return found


def _of_cell(place: Place, file: Path, question: str, population: str, size: str, name: str) -> list[Figure]:
    with np.load(file) as answered, np.load(place.collections(question, population, size)) as collections:
        answers, seconds = answered["answers"], answered["seconds"]
        version = str(answered["version"]) or (truerank.__version__ if name == "truerank" else "")
        truth = collections["truth"][: len(answers)]
    asked: Question = QUESTION[question]
    found = [
        _figure((question, population, size, name, version), metric, each)
        for metric, each in asked.score(answers, truth).items()
        if np.isfinite(each).any()
    ]
    if not found:
        return []
    speed = Figure(
        question,
        population,
        size,
        name,
        version,
        "seconds",
        len(seconds),
        float(f"{np.median(seconds):.3g}"),
        0.0,
    )
    return [*found, speed]


def _figure(of: tuple[str, str, str, str, str], metric: str, each: np.ndarray) -> Figure:
    each = each[np.isfinite(each)]
    error = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
    return Figure(*of, metric, len(each), float(f"{each.mean():.5g}"), float(f"{error:.3g}"))


def stored() -> list[Figure]:
    """What was measured so far."""
    if not MEASURED.is_file():
        return []
    types = {"collections": int, "value": float, "error": float}
    with MEASURED.open(newline="", encoding="utf-8") as file:
        return [
            Figure(**{key: types.get(key, str)(text) for key, text in row.items()})
            for row in csv.DictReader(file)
        ]


def run(checks: Checks) -> None:
    """Ask every package every question that it answers, of collections that are the same for all."""
    place = Place()
    wanted = os.environ.get("TRUERANK_PEERS_QUESTIONS", " ".join(QUESTION)).split()
    for question in wanted:
        found: list[Figure] = []
        for name in (name for name, peer in peers().items() if question in peer.asked):
            made = figures(place, question, name)
            found += made
            checks.note(f"  {question}, {name}: {len(made)} figures")
        keep([*(one for one in stored() if one.question != question), *found])


def keep(found: Sequence[Figure]) -> None:
    """Store all figures."""
    names = [one.name for one in fields(Figure)]
    with MEASURED.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(names)
        out.writerows([getattr(one, name) for name in names] for one in found)
