"""What docs/methods/preferences.md says of real arenas: does one sample of prompts foretell the next?

Prompts are split at random; from one sample alone follows how its ranking agrees with that of another of the
same size (``beliefs.pair_apart``). LLMFAO is in the gallery. WMT16’s human rankings are as organizers wrote
them: the folder ``data`` of github.com/cfedermann/wmt16 (commit 4ed21ef6), in TRUERANK_WMT16.
Standard errors are from leaving out each prompt of LLMFAO, and from six language pairs of WMT16. Splits of
one arena share its sentences, so they are not independent: each arena counts once, and so few arenas need
Student's quantiles.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from truerank import read_scores
from truerank._support.seeds import stream
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.experiments.shared import simulated
from truerank.planning.beliefs import after_pilot
from truerank.reliability.means import Means, means_of
from truerank.scores import ScoreMatrix
from validation.checks import Checks, NoDataError
from validation.studies.simulated_arenas import arena_table

GALLERY = Path(__file__).resolve().parents[1] / "gallery" / "tables" / "llmfao.csv.gz"
PAIRS = ("eng-fin", "eng-rus", "rus-eng", "fin-eng", "eng-ron", "eng-tur")
SIZES = (20, 100)
SPLITS = 8
WMT16_SPLITS = 20
"""A single split of an arena is off by 0.1 to 0.2."""

GROUPS = 500
"""Groups that single battles are dealt to where each counts as independent."""


def run(checks: Checks) -> None:
    """τ between samples of prompts, and what one of them foretells: by prompt, and by battle."""
    llmfao = _by_prompts(GALLERY)
    assert llmfao.battles is not None
    prompts = int(llmfao.battles.clusters.max()) + 1
    # Two samples of six leave one of the 13 prompts out, as the jackknife does.
    without = np.array([_split(llmfao, p, prompts // 2, SPLITS) for p in range(prompts)])
    found, within = _biases(without.mean(axis=1)), _biases(without).var(axis=1, ddof=1) / SPLITS
    spread = np.sum((found - found.mean(axis=0)) ** 2 - within * (prompts - 1) / prompts, axis=0)
    errors = np.sqrt(np.maximum(spread * (prompts - 1) / prompts, within.mean(axis=0)))
    what = f"LLMFAO, 2 × {prompts // 2} of {prompts} prompts"
    _said(checks, what, without.mean(axis=(0, 1)), errors, prompts)
    folder = os.environ.get("TRUERANK_WMT16")
    if folder is None:
        raise NoDataError("the data folder of cfedermann/wmt16; name it in TRUERANK_WMT16")
    arenas = [_by_prompts(Path(folder) / f"wmt16.{pair}.csv") for pair in PAIRS]
    for size in (*SIZES, None):
        rows = []
        for pair, arena in zip(PAIRS, arenas, strict=True):
            assert arena.battles is not None
            half = (int(arena.battles.clusters.max()) + 1) // 2
            splits = _split(arena, None, size or half, WMT16_SPLITS)
            rows.append(splits.mean(axis=0))
            bias = _biases(splits)[:, 0]
            checks.note(
                f"  {pair}, {arena.m} systems, 2 × {size or half}: {rows[-1].round(3)}, by prompt "
                f"{bias.mean():+.3f}, standard deviation of a split {bias.std(ddof=1):.2f}"
            )
        errors = np.std(_biases(np.array(rows)), axis=0, ddof=1) / math.sqrt(len(rows))
        what = f"WMT16, {len(rows)} arenas, 2 × {size or 'half'}"
        _said(checks, what, np.mean(rows, axis=0), errors, len(rows))


def _biases(rows: np.ndarray) -> np.ndarray:
    """How much too high both ways foretell τ."""
    return rows[..., 1:] - rows[..., :1]


def _said(checks: Checks, name: str, found: np.ndarray, errors: np.ndarray, units: int) -> None:
    """Print τ and biases, and check that of `by prompt`: its standard error rests on so many units."""
    from scipy.stats import t as student

    biases, wide = _biases(found), student.ppf(0.975, units - 1)
    said = f"{name}: τ {found[0]:.3f}" + "".join(
        f", by {way} {value:.3f} ({bias:+.3f} ± {error:.3f})"
        for way, value, bias, error in zip(("prompt", "battle"), found[1:], biases, errors, strict=True)
    )
    holds = abs(biases[0]) <= 0.03 + wide * errors[0]
    checks.that(f"foretold within 0.03 + {wide:.2f} standard errors", holds, said)


def _by_prompts(path: Path) -> ScoreMatrix:
    """The battles by prompt alone: both samples have the same voters."""
    scores = read_scores(path)
    assert scores.battles is not None
    return replace(scores, battles=replace(scores.battles, voters=None))


def _split(scores: ScoreMatrix, without: int | None, size: int, splits: int) -> np.ndarray:
    """τ between two samples, and what each foretells by prompt and by battle, of each split."""
    battles = scores.battles
    assert battles is not None
    prompts = np.arange(int(battles.clusters.max()) + 1)
    if without is not None:
        prompts = np.delete(prompts, without)
    rng = stream(0, "halves", size, 99 if without is None else without)
    rows: list[tuple[float, float, float]] = []
    while len(rows) < splits:
        drawn = rng.permutation(prompts)
        parts = [drawn[:size], drawn[size : 2 * size]]
        try:
            one, other = (_means(scores, np.isin(battles.clusters, part)) for part in parts)
        except InputError:  # a system without a win, or on one prompt
            continue
        actual = TAU.of_swaps(simulated.against_truth(one[0].theta, other[0].theta)[2])
        rows.append((actual, _foretold([one[0], other[0]]), _foretold([one[1], other[1]])))
    return np.array(rows)


def _means(scores: ScoreMatrix, kept: np.ndarray) -> tuple[Means, Means]:
    """The strengths by some of the battles, with errors by prompt and by battle."""
    assert scores.battles is not None
    part = arena_table(scores.battles.only(kept), scores.systems)
    if part.m < scores.m:
        raise InputError("a system has no battle")
    assert part.battles is not None
    own = replace(part.battles, clusters=np.unique(part.battles.clusters, return_inverse=True)[1])
    alone = replace(own, clusters=np.arange(len(own.first)) % GROUPS, unit="battle")
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
