"""Covariates of battles, from columns of either side, and of differences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from truerank import assess, gate, plan, read_scores
from truerank import board as leaderboard
from truerank.cli import run
from truerank.errors import InputError
from truerank.reliability.means import means_of
from truerank.reliability.pair.of_battles import direct_of

FRAME = pd.DataFrame(
    {
        "prompt": ["p", "p", "q", "q", "r", "r"],
        "model_a": ["A", "B", "C", "A", "B", "C"],
        "model_b": ["B", "C", "A", "C", "A", "B"],
        "winner": ["model_a", "tie", "model_b", "model_b", "model_a", "model_a"],
        "length_a": [10, 30, 0, 5, 8, 8],
        "length_b": [30, 10, 0, 5, 2, 4],
    }
)


def covariates(frame: pd.DataFrame, *names: str):
    return read_scores(frame, covariates=names).battles.covariates


@pytest.mark.parametrize(
    "names",
    [("length_a", "length_b"), ("lengthA", "lengthB"), ("model_a_length", "model_b_length")],
)
def test_both_sides_have_a_column(names: tuple[str, str]) -> None:
    found = covariates(
        FRAME.rename(columns=dict(zip(["length_a", "length_b"], names, strict=True))), "length"
    )
    np.testing.assert_allclose(found.values[:, 0], [-0.5, 0.5, 0, 0, 0.6, 1 / 3])
    assert found.names == ("length",)
    assert found.relative == (True,)


@pytest.mark.parametrize(("first", "second"), [("model1", "model2"), ("player_1", "player_2")])
def test_sides_are_called_as_the_systems_are(first: str, second: str) -> None:
    sides = [
        first.removeprefix("model").removeprefix("player_"),
        second.removeprefix("model").removeprefix("player_"),
    ]
    names = {
        "model_a": first,
        "model_b": second,
        "length_a": f"length_{sides[0]}",
        "length_b": f"length_{sides[1]}",
    }
    frame = FRAME.rename(columns=names)
    frame["winner"] = [first, "tie", second, second, first, first]
    np.testing.assert_allclose(covariates(frame, "length").values[:, 0], [-0.5, 0.5, 0, 0, 0.6, 1 / 3])


def test_what_never_differs_and_what_is_not_there_are_refused() -> None:
    with pytest.raises(InputError, match="'lists' is the same in both answers"):
        read_scores(FRAME.assign(lists_a=2, lists_b=2), covariates=["length", "lists"])
    with pytest.raises(InputError, match="no columns hold the covariate 'lenght'"):
        read_scores(FRAME, covariates="lenght")
    for side in ("length_a", "length_b"):
        with pytest.raises(InputError, match=f"'{side}' is of one answer only. Use covariates='length'"):
            read_scores(FRAME, covariates=side)
    with pytest.raises(InputError, match="row 3: column 'length_a' has no number"):
        read_scores(FRAME.assign(length_a=[10, 30, None, 5, 8, 8]), covariates="length")
    with pytest.raises(InputError, match="covariates='length' is for battles"):
        read_scores([[0.1, 0.2], [0.3, 0.4]], covariates="length")


def test_rows_that_stand_for_several_battles_have_their_covariate_each() -> None:
    found = covariates(FRAME.assign(count=[2, 1, 1, 1, 3, 1]), "length")
    np.testing.assert_allclose(
        found.values[:, 0], np.repeat([-0.5, 0.5, 0, 0, 0.6, 1 / 3], [2, 1, 1, 1, 3, 1])
    )


def styled(seed: int, m: int = 6, n: int = 1_500, prompts: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, 0.5, m)
    a = rng.integers(m, size=n)
    b = (a + rng.integers(1, m, n)) % m
    amounts = np.exp(rng.normal(5, 0.6, (n, 2)) + 0.8 * theta[np.stack([a, b], axis=1)]).round()
    x = (amounts[:, 0] - amounts[:, 1]) / amounts.sum(axis=1)
    y = rng.uniform(size=n) < 1 / (1 + np.exp(-(theta[a] - theta[b] + 1.5 * x)))
    names = np.array([f"s{s}" for s in range(m)])
    return pd.DataFrame(
        {
            "prompt": rng.integers(prompts, size=n),
            "model_a": names[a],
            "model_b": names[b],
            "winner": np.where(y, "model_a", "model_b"),
            "length_a": amounts[:, 0],
            "length_b": amounts[:, 1],
        }
    )


def test_an_assessment_says_what_style_is_worth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = styled(1)
    frame.to_csv(tmp_path / "battles.csv", index=False)
    out = tmp_path / "found.json"
    assert run(["assess", str(tmp_path / "battles.csv"), "--covariate", "length", "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    (effect,) = found["covariates"]
    assert effect["low"] < effect["coefficient"] < effect["high"]
    assert effect["low"] / effect["unit"] < 1.5 < effect["high"] / effect["unit"]
    share = 1 / (1 + np.exp(-effect["coefficient"] / effect["unit"] / 3))
    assert effect["win_share"] == pytest.approx(share)
    assert f"wins {share:.1%}" in " ".join(capsys.readouterr().out.split())
    plain = assess(frame, "eb", "tau", draws=100)
    without = {row.system: row.mean for row in plain.ranking}
    ranks = {row.system: row.rank for row in plain.ranking}
    for row in found["ranking"]:
        assert row["mean_without"] == pytest.approx(without[row["system"]])
        assert row["rank_without"] == ranks[row["system"]]
    assert "covariates" not in plain.to_dict()


def test_the_order_of_rows_and_sides_does_not_matter() -> None:
    frame = styled(2)
    names = {"a": "b", "b": "a"}
    other = frame.rename(
        columns={f"{one}_{s}": f"{one}_{t}" for s, t in names.items() for one in ("model", "length")}
    )
    other["winner"] = frame["winner"].map({"model_a": "model_b", "model_b": "model_a"})
    shuffled = other.sample(frac=1, random_state=1)
    first, second = (assess(one, "eb", "tau", draws=200, covariates="length") for one in (frame, shuffled))
    assert first.estimate() == second.estimate()
    assert first.covariates == second.covariates


def test_gate_plan_and_board_take_covariates() -> None:
    frame = styled(3)
    means = assess(frame, "eb", "tau", draws=100, covariates="length").means
    found = gate(frame, "s0", "s1", covariates="length").decisions[0]
    whole = assess(frame, "eb", "tau", draws=100, covariates="length", baseline="s0")
    difference = next(one.difference for one in whole.baseline if one.system == "s1")
    assert found.difference == pytest.approx(difference)
    board = leaderboard(frame, draws=100, covariates="length")
    assert [row.score for row in board.systems] == pytest.approx(means.theta.tolist())
    assert plan(frame, tau=0.9, draws=64, covariates="length").needed[0].topics > 0
    with pytest.raises(InputError, match="direct=… counts wins as they are"):
        gate(frame, "s0", "s1", covariates="length", direct=True)
    with pytest.raises(InputError, match="is for battles, and machine=… for scores"):
        assess(frame, machine=frame, covariates="length")


def test_direct_battles_disagree_by_chance_alone() -> None:
    """Over many arenas whose model is true, the disagreement has a standard deviation of about 1."""
    found = []
    for seed in range(60):
        scores = read_scores(styled(100 + seed, m=4, n=800, prompts=80), covariates="length")
        means = means_of(scores)
        there = (scores.battles.first <= 1) & (scores.battles.second <= 1)
        found.append(direct_of(scores.battles.only(there), means, 0, 1, 0.95).disagreement)
    assert abs(np.mean(found)) < 3 / np.sqrt(60)
    assert np.std(found) == pytest.approx(1, abs=3 / np.sqrt(120) + 0.05)


def shown(seed: int = 1, rows: int = 900, advantage: float = 0.5) -> pd.DataFrame:
    """Battles of systems that are 0.5 apart, in which the answer that stands first has an advantage."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, rows)
    b = (a + rng.integers(1, 4, rows)) % 4
    won = rng.uniform(size=rows) < 1 / (1 + np.exp(-0.5 * (b - a) - advantage))
    return pd.DataFrame(
        {
            "prompt": [f"q{k % 60}" for k in range(rows)],
            "model_a": [f"s{s}" for s in a],
            "model_b": [f"s{s}" for s in b],
            "winner": np.where(won, "model_a", "model_b"),
        }
    )


def test_position_is_the_intercept_of_a_logistic_regression() -> None:
    sm = pytest.importorskip("statsmodels.api")
    frame = shown()
    found = assess(frame, "eb", draws=50, covariates="position")
    (effect,) = found.covariates
    design = np.ones((len(frame), 4))
    for s in range(1, 4):
        design[:, s] = (frame["model_a"] == f"s{s}") * 1.0 - (frame["model_b"] == f"s{s}")
    theirs = sm.Logit((frame["winner"] == "model_a") * 1.0, design).fit(disp=0, tol=1e-12)
    assert effect.coefficient == pytest.approx(theirs.params.iloc[0], abs=1e-8)
    assert effect.win_share == pytest.approx(1 / (1 + np.exp(-theirs.params.iloc[0])), abs=1e-8)
    strengths = np.concatenate([[0.0], theirs.params[1:]])
    means = {s.system: s.mean for s in found.ranking}
    np.testing.assert_allclose([means[f"s{s}"] for s in range(4)], strengths - strengths.mean(), atol=1e-8)
    assert effect.step == "first"
    assert "The answer that stands first wins" in found.summary()


def test_which_side_is_first_does_not_matter_to_strengths() -> None:
    frame = shown()
    turned = frame.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    turned["winner"] = np.where(frame["winner"] == "model_a", "model_b", "model_a")
    one, other = (assess(f, "eb", draws=50, covariates="position") for f in (frame, turned))
    assert one.covariates[0].coefficient == pytest.approx(-other.covariates[0].coefficient, rel=1e-9)
    assert [s.mean for s in one.ranking] == pytest.approx([s.mean for s in other.ranking], rel=1e-9)


def test_position_is_refused_where_it_is_not_known() -> None:
    frame = shown()
    turn = frame["model_a"] > frame["model_b"]
    names = frame[["model_a", "model_b"]].to_numpy()
    frame["model_a"], frame["model_b"] = np.where(turn, names[:, 1], names[:, 0]), names.max(axis=1)
    with pytest.raises(InputError, match="'position': the difference of two systems is the same in all"):
        assess(frame, covariates="position")
