"""Saved models, embedded models, supports, diagnostics and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from truerank import simulation
from truerank._support.seeds import stream
from truerank.cli import simulate
from truerank.errors import InputError, UnknownNameError
from truerank.readers import read_scores, write_scores
from truerank.scores import ScoreMatrix
from truerank.simulation.likeness import kolmogorov_distance, split_noise
from truerank.simulation.model import find_support

ROOT = Path(__file__).resolve().parents[2]


def sample_scores(n=30, m=5, seed=1, name="web2010-ap"):
    model = simulation.load_embedded(name)
    scores = model.sample(n, seed)
    return scores.select(np.argsort(-model.true_means)[: 4 * m : 4])


# ── saving and loading ────────────────────────────────────────────────────────────────────────────

OPTIONS = {
    "copula": {},
    "as fitted": {"means": "fitted", "margins": "truncated-normal"},
    "vine": {"copula": "vine", "truncation": 2},
    "effects": {"simulator": "effects"},
    "effects, switches": {"simulator": "effects", "normal": True, "topics": "biased", "truth": "model"},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_loaded_model_draws_the_same_digits(tmp_path, options):
    model = simulation.fit(sample_scores(), seed=3, **options)
    model.save(tmp_path / "model.json")
    again = simulation.load(tmp_path / "model.json")
    assert again.sample(50, 7).fingerprint() == model.sample(50, 7).fingerprint()
    assert again.true_means.tolist() == model.true_means.tolist()
    assert again.to_json() == model.to_json()
    assert again.origin.fingerprint == sample_scores().fingerprint()


def edited(path, change):
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


def test_a_file_that_was_tampered_with_is_noticed(tmp_path):
    model = simulation.fit(sample_scores(), margins="beta")
    path = tmp_path / "model.json"

    def mean_up(document):
        document["model"]["margins"][0]["moved"]["wanted"] += 0.1

    def no_checksum(document):
        del document["checksum"]

    for change in (mean_up, no_checksum, lambda d: d["model"]["systems"].reverse()):
        model.save(path)
        with pytest.raises(InputError, match=r"model\.json: the model was changed"):
            simulation.load(edited(path, change))
    model.save(path)
    simulation.load(path)


@pytest.mark.parametrize("text", ["topic,sys1\n1,0.5\n", "[1]", '{"format": "other"}', "[" * 9999])
def test_what_is_no_model_is_said(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=r"x\.json: this is not a simulation model"):
        simulation.load(tmp_path / "x.json")
    with pytest.raises(InputError, match="no such file"):
        simulation.load(tmp_path / "y.json")


# ── embedded models ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.validation
def test_the_embedded_models():
    folder = ROOT / "src" / "truerank" / "simulation" / "embedded"
    assert simulation.embedded_models() == ("web2010-ap", "web2010-p10")
    assert sum(file.stat().st_size for file in folder.iterdir()) < 300_000
    origin = (folder / "ORIGIN.md").read_text()
    assert "CC BY-SA 4.0" in origin
    assert "Nagler" in origin
    for name in simulation.embedded_models():
        model = simulation.load_embedded(name)
        assert {m.family for m in model.margins} <= {"truncated-normal", "beta", "beta-binomial"}
        assert model.copula.family == "gaussian"
        values = model.draw(20_000, np.random.default_rng(1))
        error = values.std(axis=0) / np.sqrt(20_000)
        assert (np.abs(values.mean(axis=0) - model.true_means) <= 4 * error).all()
    assert np.isin(np.round(values, 9), np.arange(11) / 10).all()
    with pytest.raises(UnknownNameError, match="did you mean 'web2010-ap'"):
        simulation.load_embedded("web2010ap")


# ── supports ──────────────────────────────────────────────────────────────────────────────────────


def matrix(values, measure=""):
    return ScoreMatrix.build(values, measure=measure)


def test_supports_are_found():
    rng = np.random.default_rng(1)
    tenths = rng.integers(0, 11, (40, 5)) / 10
    assert find_support(matrix(tenths)).tolist() == pytest.approx((np.arange(11) / 10).tolist())
    ranks = np.round(np.where(rng.random((60, 5)) < 0.1, 0, 1 / rng.integers(1, 6, (60, 5))), 4)
    assert find_support(matrix(ranks)).tolist() == [0, 1 / 5, 1 / 4, 1 / 3, 1 / 2, 1]
    assert find_support(matrix(rng.choice([0.123, 0.456, 0.7], (40, 5)))).tolist() == [0.123, 0.456, 0.7]
    assert find_support(matrix(rng.random((50, 5)))) is None
    # Few topics say little; the measure's name says all.
    few = rng.integers(0, 3, (3, 2)) / 2
    assert find_support(matrix(few)) is None
    assert len(find_support(matrix(few, "P@10"))) == 11
    assert find_support(matrix(few + 0.03, "P@10")) is None
    thirds = np.round(rng.integers(0, 4, (40, 5)) / 3, 4)
    assert find_support(matrix(thirds)).tolist() == [0, 1 / 3, 2 / 3, 1]


def test_a_reciprocal_rank_model_only_gives_reciprocal_ranks():
    rng = np.random.default_rng(2)
    support = np.array([0, 1 / 4, 1 / 3, 1 / 2, 1])
    values = np.round(support[rng.integers(0, 5, (60, 4))], 4)
    drawn = simulation.fit(matrix(values), margins=["discrete-kernel", "beta-binomial"]).sample(300, 1)
    assert np.isin(drawn.values, support).all()


# ── diagnostics ───────────────────────────────────────────────────────────────────────────────────


def test_diagnostics_of_a_model_that_is_right():
    model = simulation.load_embedded("web2010-ap")
    real = model.sample(100, seed=5)
    d = simulation.diagnose(model, real, topics=3_000, seed=1)
    assert d.systems[3].mean == pytest.approx(real.means[3])
    assert d.systems[3].simulated_mean == pytest.approx(model.draw(3_000, stream(1, "diagnose"))[:, 3].mean())
    # Misfits by chance: 5% of the systems, strongly correlated.
    assert sum(s.misfit for s in d.systems) < 0.25 * real.m
    # The whole error of τ_b is the real one's sampling noise, which split halves tell within a third.
    assert d.tau_b.error == pytest.approx(d.tau_b.noise, rel=0.35)
    assert [s.distance - s.chance for s in d.worst()] == sorted(
        (s.distance - s.chance for s in d.worst()), reverse=True
    )


def test_diagnostics_name_the_misfit():
    model = simulation.load_embedded("web2010-ap")
    real = model.sample(100, seed=5)
    values = real.values.copy()
    values[:, 7] = np.random.default_rng(1).random(100)
    d = simulation.diagnose(model, ScoreMatrix.build(values, None, real.systems), topics=2_000)
    assert d.worst(1)[0].system == real.systems[7]
    assert d.worst(1)[0].misfit
    json.dumps(d.to_dict(), allow_nan=False)


def test_kolmogorov_distance_by_hand():
    assert kolmogorov_distance(np.array([0.1, 0.2]), np.array([0.15, 0.2])) == 0.5
    assert kolmogorov_distance(np.array([0.1, 0.2]), np.array([0.10001, 0.2])) == 0.0


def test_split_noise_is_the_sampling_error_of_tau_b():
    rng = np.random.default_rng(3)
    tables = [rng.random((60, 8)) for _ in range(15)]
    off = np.triu_indices(8, 1)
    # Independent columns: τ_b is 0, so its mean absolute value is its sampling error.
    from truerank.simulation.copulas import kendall_matrix

    real = np.mean([np.abs(kendall_matrix(t)[off]).mean() for t in tables])
    assert np.mean([split_noise(t) for t in tables]) == pytest.approx(real, rel=0.12)
    assert np.isnan(split_noise(rng.random((5, 3))))


# ── command line ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def command(capsys):
    def call(*arguments):
        assert not simulate.COMMANDS.run([str(a) for a in arguments])
        return capsys.readouterr().out

    return call


def test_fit_sample_show(tmp_path, command):
    scores = sample_scores()
    write_scores(scores, tmp_path / "scores.csv")
    model = tmp_path / "model.json"
    out = command("fit", tmp_path / "scores.csv", "-o", model, "--margin", "beta", "--seed", 2)
    assert "5 systems, fitted to 30 topics" in out
    shown = json.loads(command("show", model, "--json", "-", "--against", tmp_path / "scores.csv", "-n", 100))
    means = {row["system"]: row["true_mean"] for row in shown["systems"]}
    assert means == pytest.approx(dict(zip(scores.systems, scores.means, strict=True)))
    assert {row["margin"] for row in shown["systems"]} == {"beta"}
    assert len(shown["diagnostics"]["systems"]) == 5

    drawn = json.loads(
        command(
            "sample",
            model,
            "--topics",
            12,
            "--collections",
            3,
            "-o",
            tmp_path / "c",
            "--seed",
            5,
            "--json",
            "-",
        )
    )
    assert [Path(f).name for f in drawn["files"]] == ["0001.csv", "0002.csv", "0003.csv"]
    assert drawn["true_means"] == means
    again = simulation.load(model)
    for k in (1, 2, 3):
        table = read_scores(tmp_path / "c" / f"{k:04}.csv")
        np.testing.assert_array_equal(table.values, again.sample(12, 5, k).values)
        assert table.systems == scores.systems
    assert (tmp_path / "c" / "0001.csv").read_text().startswith("topic,sys")
    command("sample", model, "--topics", 12, "--first", 2, "-o", tmp_path / "d", "--seed", 5)
    assert (tmp_path / "d" / "0002.csv").read_bytes() == (tmp_path / "c" / "0002.csv").read_bytes()


@pytest.mark.parametrize("shapes", ["bounded", "free"])
def test_a_saved_model_says_its_shapes(tmp_path, shapes, command):
    crowded = np.random.default_rng(3).beta(0.3, 3.0, (40, 4))
    write_scores(ScoreMatrix.build(crowded), tmp_path / "scores.csv")
    model = tmp_path / "model.json"
    out = command("fit", tmp_path / "scores.csv", "-o", model, "--margin", "beta", "--shapes", shapes)
    assert f"4 beta ({shapes} shapes)" in out
    assert json.loads(command("show", model, "--json", "-"))["shapes"] == shapes
    read = simulation.load(model)
    assert read.origin.options["shapes"] == shapes
    bases = [getattr(margin, "base", margin) for margin in read.margins]
    assert all((min(base.a, base.b) < 1) == (shapes == "free") for base in bases)
    same = simulation.fit(read_scores(tmp_path / "scores.csv"), margins="beta", shapes=shapes)
    assert same.sample(9, 1).fingerprint() == read.sample(9, 1).fingerprint()
