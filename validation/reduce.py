"""What docs/methods/reducing.md says fewer topics are worth, on systems that had no part in it.

`like`: whole families are held out (30% of the systems), topics are chosen by the rest, and what that
foretold is compared with what happens. `better`: the best quarter is held out. `nothing`: scores without
structure, on which a choice cannot help. `truth`: topics drawn from a large table, whose full means are the
truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from truerank import read_scores
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.reducing import Reduction, reduce
from truerank.reducing.choosing import Places
from truerank.reducing.held_out import FOLDS, families_found, random_plain
from truerank.scores import TIE, ScoreMatrix
from validation.checks import Checks, data_folder

GALLERY = Path(__file__).parents[1] / "gallery" / "tables"

CELLS = (
    ("adhoc8_ap", 10),
    ("robust2003_ap", 20),
    ("robust2004_ap", 20),
    ("terabyte2006_ndcg", 30),
    ("web2010_p10", 10),
    ("mteb", 8),
    ("evalperf_pass", 24),
    ("alpaca_eval_2", 80),
    ("open_clip", 8),
)
"""Boards, and how many topics are kept. The last two have no part in the choice of the method."""

POPULATIONS = ("robust2004_ap", "alpaca_eval_2", "mmlu_pro")
"""Tables from which topics are drawn as if they were all there are."""

LEVELS = (0.8, 0.9, 0.95)
REPEATS = 3


@cache
def board(name: str) -> ScoreMatrix:
    """A board by name, its identical systems merged; of MMLU-Pro 2,000 questions."""
    stored = GALLERY / f"{name}.csv.gz"
    scores = read_scores(
        stored if stored.is_file() else data_folder() / "trec" / f"{name}.csv", lower_is_better=False
    )
    values = scores.values if len(scores.values) < 5_000 else scores.values[::6]
    return ScoreMatrix.build(values, systems=scores.systems).drop_identical()


def there_are() -> list[tuple[str, int]]:
    """The cells whose tables are on this machine."""
    found = [path.name.split(".")[0] for path in (*GALLERY.glob("*.gz"), *(data_folder() / "trec").iterdir())]
    return [cell for cell in CELLS if cell[0] in found]


@dataclass(frozen=True)
class Split:
    """What a reduction foretold, and what became of the systems held out.

    Attributes:
        chosen: whether the topics were chosen, not drawn.
        helps: whether it said so.
        predicted: gain over random topics with plain means.
        actual: the same on the systems held out.
        inside: whether their τ lies in the interval for one new set of families.
        covered: shares of full-board means in the intervals at each level.
        truly: shares of true means, where these are known.
        bias: mean of expected less full-board means.
        warned: share of systems for which the intervals are called not valid.
        truth_predicted: τ with the truth that was foretold; NaN where the truth is not known.
        truth_actual: what it was.
        truth_inside: whether it lies in the interval for one new set.
    """

    chosen: bool
    helps: bool
    predicted: float
    actual: float
    inside: bool
    covered: Vector
    truly: Vector
    bias: float
    warned: float
    truth_predicted: float = np.nan
    truth_actual: float = np.nan
    truth_inside: float = np.nan


def families_out(families: Places, share: float, rng: np.random.Generator) -> Places:
    """Systems of whole families, drawn until they are that share."""
    out = np.zeros(len(families), dtype=bool)
    for family in rng.permutation(families.max() + 1):
        if out.mean() < share:
            out |= families == family
    return out


def best_out(values: Matrix) -> Places:
    """The best quarter of the systems."""
    means = values.mean(axis=0)
    return means >= np.quantile(means, 0.75)


def agreement(expected: Matrix, full: Vector, families: Places) -> float:
    """Mean τ of sets × s expected means with the full ones; pairs of a family count a fifth."""
    upper = np.triu_indices(len(full), 1)
    weight = np.where(families[:, None] == families, 1 / FOLDS, 1.0)[upper]

    def order(means: Matrix) -> Matrix:
        differences = (means[..., :, None] - means[..., None, :])[..., upper[0], upper[1]]
        return np.where(np.abs(differences) <= TIE, 0, np.sign(differences))

    return float((order(expected).mean(axis=0) * order(full)) @ weight / weight.sum())


def split(
    scores: ScoreMatrix, out: Places, keep: int, purpose: str, seed: int, truth: Vector | None = None
) -> Split:
    """Hold out some systems, reduce by the others, and see."""
    families = families_found(scores.values)
    known, held = scores.select(np.flatnonzero(~out)), scores.select(np.flatnonzero(out))
    named = dict(zip(scores.systems, map(str, families.tolist()), strict=True))
    found = reduce(known, keep, for_=purpose, system_families=named, repeats=REPEATS, seed=seed)
    full, own = held.means, families[out]
    applied = [found.score(held, level=level).systems for level in LEVELS]
    expected = np.array([row.board_mean for row in applied[0]])
    rng = stream(seed, "random")
    random = np.array([rule(held.values) for rule in random_plain(keep)(held.values, own, rng)])
    tau = agreement(expected[None], full, own)
    covered = [
        np.mean([row.low <= y <= row.high for row, y in zip(rows, full, strict=True)]) for rows in applied
    ]
    more = {}
    truly = np.full(len(LEVELS), np.nan)
    if truth is not None:
        mean = truth[out]
        truly = np.array(
            [
                np.mean([row.true_low <= y <= row.true_high for row, y in zip(rows, mean, strict=True)])
                for rows in applied
            ]
        )
        actual = agreement(expected[None], mean, own)
        assert found.tau_truth is not None
        more = {
            "truth_predicted": found.tau_truth.estimate,
            "truth_actual": actual,
            "truth_inside": float(_inside(found, actual, found.tau_truth, own)),
        }
    return Split(
        chosen=found.for_ == "like",
        helps=found.gain is not None and found.gain.helps,
        predicted=0.0 if found.gain is None else found.gain.estimate,
        actual=tau - agreement(random, full, own),
        inside=_inside(found, tau, found.tau_board, own),
        covered=np.array(covered),
        truly=truly,
        bias=float(np.mean(expected - full)),
        warned=float(np.mean([not row.valid for row in applied[-1]])),
        **more,
    )


def _inside(found: Reduction, tau: float, interval, families: Places) -> bool:  # type: ignore[no-untyped-def]
    """Whether τ lies in the interval of one new set of families: wider by √(1 + F/F′)."""
    if interval is None:
        return True
    half = (interval.estimate - interval.low) * np.sqrt(1 + found.families / len(np.unique(families)))
    return abs(tau - interval.estimate) <= half


def like(name: str, keep: int, splits: int) -> list[Split]:
    """Whole families held out of a board."""
    scores = board(name)
    families = families_found(scores.values)
    return [
        split(scores, families_out(families, 0.3, stream(seed, "out", name)), keep, "like", seed)
        for seed in range(splits)
    ]


def better(name: str, keep: int, splits: int, purpose: str = "better") -> list[Split]:
    """The best quarter held out of a board; topics are drawn anew."""
    scores = board(name)
    out = best_out(scores.values)
    return [split(scores, out, keep, purpose, seed) for seed in range(splits)]


def nothing(boards: int) -> Iterator[Split]:
    """Boards of 100 × 60 on which no topic says more of the means than another."""
    for seed in range(boards):
        rng = stream(seed, "nothing")
        values = rng.normal(0.5, 0.1, (100, 1)) + rng.normal(0, 0.05, 60) + rng.normal(0, 0.2, (100, 60))
        scores = ScoreMatrix.build(values)
        yield split(scores, families_out(np.arange(60), 0.3, rng), 20, "like", seed)


def truth(name: str, splits: int, topics: int = 200, keep: int = 40) -> Iterator[Split]:
    """Topics drawn from a table, whose full means are the truth."""
    whole = board(name)
    families = families_found(whole.values)
    for seed in range(splits):
        rng = stream(seed, "truth", name)
        drawn = whole.values[rng.choice(whole.n, topics)]
        out = families_out(families, 0.3, rng)
        scores = ScoreMatrix.build(drawn, systems=whole.systems)
        yield split(scores, out, keep, "like", seed, whole.means)


def mean_of(rows: Sequence[Split], of: Callable[[Split], float]) -> tuple[float, float]:
    """Mean and standard error over splits."""
    found = np.array([of(one) for one in rows], dtype=np.float64)
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found)))


def row(name: str, rows: Sequence[Split]) -> str:
    """One row of the documentation's table."""
    gain, error = mean_of(rows, lambda one: one.actual)
    predicted = mean_of(rows, lambda one: one.predicted)[0]
    covered = np.mean([one.covered for one in rows], axis=0)
    shares = [f"{np.mean([getattr(one, key) for one in rows]):.2f}" for key in ("chosen", "helps", "inside")]
    shown = "/".join(f"{share:.2f}" for share in covered)
    return f"| {name} | {predicted:+.3f} / {gain:+.3f} ({error:.3f}) | {' | '.join(shares)} | {shown} |"


def check_like(checks: Checks, splits: int) -> None:
    """Whole families held out of each board."""
    pooled: list[Split] = []
    for name, keep in there_are():
        rows = like(name, keep, splits)
        pooled += rows
        checks.note(row(f"{name}, {keep}", rows))
    checks.note(row("together", pooled))
    gain, error = mean_of(pooled, lambda one: one.actual)
    predicted = mean_of(pooled, lambda one: one.predicted)[0]
    checks.that("like: a gain of .02 or more", gain >= 0.02 - 2 * error, f"{gain:+.3f} (SE {error:.3f})")
    foretold = abs(predicted - gain) <= 0.015 + 2 * error
    checks.that("like: the gain is foretold within .015", foretold, f"{predicted:+.3f} foretold")
    covered, error = mean_of(pooled, lambda one: one.covered[-1])
    within = 0.93 - 2 * error <= covered <= 0.98 + 2 * error
    checks.that("like: full-board means at 95%", within, f"{covered:.3f} (SE {error:.3f})")
    inside, error = mean_of(pooled, lambda one: one.inside)
    checks.that("like: τ of a new set at 95%", inside >= 0.93 - 2 * error, f"{inside:.3f} (SE {error:.3f})")


def check_better(checks: Checks, splits: int) -> None:
    """The best quarter held out of each board; by weights all the same, they are warned of."""
    biases, weights = [], []
    for name, keep in there_are():
        rows = better(name, keep, splits)
        covered = mean_of(rows, lambda one: one.covered[-1])[0]
        biases.append(mean_of(rows, lambda one: one.bias)[0])
        checks.note(f"better: {name}, {keep}: bias {biases[-1]:+.4f}, covered {covered:.3f}")
        weights += [one for one in better(name, keep, 1, "like") if one.chosen]
    bias, error = float(np.mean(biases)), float(np.std(biases, ddof=1) / np.sqrt(len(biases)))
    checks.that("better: no bias", abs(bias) < 0.005 + 2 * error, f"{bias:+.4f} (SE {error:.4f})")
    warned = float(np.mean([one.warned for one in weights]))
    checks.that("better: weights are warned of", warned > 0.3, f"{warned:.2f} of systems")


def check_nothing(checks: Checks, boards: int) -> None:
    """Boards on which a choice cannot help."""
    none = list(nothing(boards))
    said, gain = mean_of(none, lambda one: one.helps)[0], mean_of(none, lambda one: one.actual)
    most = 0.05 + 2 * np.sqrt(0.05 * 0.95 / boards)
    checks.that("nothing: “helps” in at most 5%", said <= most, f"{said:.3f}")
    checks.note(f"nothing: actual gain {gain[0]:+.4f} (SE {gain[1]:.4f})")


def check_truth(checks: Checks, splits: int) -> None:
    """Topics drawn from tables whose full means are the truth."""
    rows = [one for name in POPULATIONS if _has(name) for one in truth(name, splits)]
    foretold, was = (
        mean_of(rows, lambda one: one.truth_predicted),
        mean_of(rows, lambda one: one.truth_actual),
    )
    said = f"{foretold[0]:.3f}, was {was[0]:.3f} (SE {was[1]:.3f})"
    checks.that("truth: foretold within .03", abs(foretold[0] - was[0]) < 0.03 + 2 * was[1], said)
    inside, error = mean_of(rows, lambda one: one.truth_inside)
    checks.that("truth: τ of a new set at 95%", inside >= 0.9 - 2 * error, f"{inside:.3f} (SE {error:.3f})")
    means = np.mean([one.truly for one in rows], axis=0)
    error = mean_of(rows, lambda one: one.truly[-1])[1]
    within = 0.92 - 2 * error <= means[-1] <= 0.98 + 2 * error
    checks.that("truth: true means at 95%", within, "/".join(f"{one:.3f}" for one in means))


def _has(name: str) -> bool:
    return (GALLERY / f"{name}.csv.gz").is_file() or (data_folder() / "trec" / f"{name}.csv").is_file()


def run(checks: Checks) -> None:
    """A few splits of each board: about five minutes."""
    check_like(checks, splits=4)
    check_better(checks, splits=4)
    check_nothing(checks, boards=40)
    check_truth(checks, splits=4)
