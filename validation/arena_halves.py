"""What docs/methods/preferences.md says of real arenas: does one sample of prompts foretell the next?

Prompts are split at random; from one sample alone follows how its ranking agrees with that of another of the
same size (``beliefs.pair_apart``). LLMFAO is in the gallery. WMT16’s human rankings are as organizers wrote
them: the folder ``data`` of github.com/cfedermann/wmt16 (commit 4ed21ef6), in TRUERANK_WMT16.
Standard errors are from leaving out each prompt of LLMFAO, and from six language pairs of WMT16.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truerank import read_scores
from truerank._support.seeds import stream
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.experiments.shared import simulated
from truerank.planning.beliefs import after_pilot
from truerank.reliability.means import Means, means_of
from truerank.scores import ScoreMatrix
from truerank.simulation.arenas import arena_table
from validation.checks import Checks, NoDataError

Units = NDArray[np.intp]

GALLERY = Path(__file__).resolve().parents[1] / "gallery" / "tables" / "llmfao.csv.gz"
PAIRS = ("eng-fin", "eng-rus", "rus-eng", "fin-eng", "eng-ron", "eng-tur")
SIZES = (20, 100)
SPLITS = 60


def run(checks: Checks) -> None:
    """τ between samples of prompts, and what one of them foretells: by prompt, and by battle."""
    llmfao = _by_prompts(GALLERY)
    assert llmfao.battles is not None
    prompts = int(llmfao.battles.clusters.max()) + 1
    found = _samples(llmfao, np.arange(prompts), prompts // 2, 4 * SPLITS)
    without = [
        _samples(llmfao, np.delete(np.arange(prompts), p), prompts // 2, SPLITS // 2) for p in range(prompts)
    ]
    scale = (prompts - 1) / math.sqrt(prompts)
    errors = scale * np.std(_biases(np.array(without)), axis=0)
    _said(checks, f"LLMFAO, 2 × {prompts // 2} of {prompts} prompts", found, errors)
    folder = os.environ.get("TRUERANK_WMT16")
    if folder is None:
        raise NoDataError("the data folder of cfedermann/wmt16; name it in TRUERANK_WMT16")
    arenas = [_by_prompts(Path(folder) / f"wmt16.{pair}.csv") for pair in PAIRS]
    for size in (*SIZES, None):
        rows = []
        for pair, arena in zip(PAIRS, arenas, strict=True):
            assert arena.battles is not None
            prompts = int(arena.battles.clusters.max()) + 1
            rows.append(_samples(arena, np.arange(prompts), size or prompts // 2, SPLITS))
            checks.note(
                f"  {pair}, {arena.m} systems, 2 × {size or prompts // 2} of {prompts}: {rows[-1].round(3)}"
            )
        errors = np.std(_biases(np.array(rows)), axis=0, ddof=1) / math.sqrt(len(rows))
        _said(
            checks, f"WMT16, mean of {len(rows)} arenas, 2 × {size or 'half'}", np.mean(rows, axis=0), errors
        )


def _biases(rows: np.ndarray) -> np.ndarray:
    """How much too high both ways foretell τ."""
    return rows[..., 1:] - rows[..., :1]


def _said(checks: Checks, name: str, found: np.ndarray, errors: np.ndarray) -> None:
    biases = _biases(found)
    said = f"{name}: τ {found[0]:.3f}" + "".join(
        f", by {way} {value:.3f} ({bias:+.3f} ± {error:.3f})"
        for way, value, bias, error in zip(("prompt", "battle"), found[1:], biases, errors, strict=True)
    )
    checks.that("foretold within 0.03 + 2 standard errors", abs(biases[0]) <= 0.03 + 2 * errors[0], said)


def _by_prompts(path: Path) -> ScoreMatrix:
    """The battles by prompt alone: both samples have the same voters."""
    scores = read_scores(path)
    assert scores.battles is not None
    return replace(scores, battles=replace(scores.battles, voters=None))


def _samples(scores: ScoreMatrix, prompts: Units, size: int, splits: int) -> np.ndarray:
    """Means over splits: τ between two samples, and what each foretells by prompt and by battle."""
    return np.mean(list(_split(scores, prompts, size, splits)), axis=0)


def _split(
    scores: ScoreMatrix, prompts: Units, size: int, splits: int
) -> Iterator[tuple[float, float, float]]:
    battles = scores.battles
    assert battles is not None
    rng = stream(0, "halves", len(prompts), int(size))
    for _ in range(splits):
        drawn = rng.permutation(prompts)
        parts = [drawn[:size], drawn[size : 2 * size]]
        try:
            both = [_means(scores, np.isin(battles.clusters, part)) for part in parts]
        except InputError:  # a system without a win, or on one prompt
            continue
        one, other = both
        actual = TAU.of_swaps(simulated.against_truth(one[0].theta, other[0].theta)[2])
        yield actual, _foretold([x[0] for x in both]), _foretold([x[1] for x in both])


def _means(scores: ScoreMatrix, kept: np.ndarray) -> tuple[Means, Means]:
    """The strengths by some of the battles, with errors by prompt and by battle."""
    assert scores.battles is not None
    part = arena_table(scores.battles.only(kept), scores.systems)
    if part.m < scores.m:
        raise InputError("a system has no battle")
    assert part.battles is not None
    own = replace(part.battles, clusters=np.unique(part.battles.clusters, return_inverse=True)[1])
    alone = replace(own, clusters=np.arange(len(own.first)) % 2_000, unit="battle")
    return means_of(replace(part, battles=own)), means_of(replace(part, battles=alone))


def _foretold(both: list[Means]) -> float:
    """τ with another sample of the same size, from one alone; the mean over the two."""
    found = []
    for means in both:
        ranked = means.select(np.argsort(-means.theta, kind="stable"))
        assert ranked.known is not None
        whole = replace(ranked.known, degrees=np.clip(np.round(ranked.known.degrees), 1, 100))
        beliefs = after_pilot(replace(ranked, known=whole))  # whole degrees, for which tables are kept
        found.append(1 - 2 * float(np.mean(beliefs.pair_apart(ranked.effective))))
    return float(np.mean(found))
