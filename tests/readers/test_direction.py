"""Which scores are better follows the measure's name, wherever the name comes from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from truerank.cli import run
from truerank.errors import InputError
from truerank.readers import read_scores

LOWER = [
    *(
        "WER",
        "error_rate",
        "edit_distance",
        "PAR2",
        "PAR10",
        "ce",
        "val_ce",
        "HD95",
        "95HD",
        "ASSD",
        "IGD",
        "IGD+",
        "BPC",
    ),
    *(
        "LPIPS",
        "log loss",
        "log-loss",
        "LogLoss",
        "logLoss",
        "LOGLOSS",
        "binary_logloss",
        "mlogloss",
        "XY ↓",
        "XY (↓)",
    ),
    *(
        "negative log-likelihood",
        "accuracy↓",
        "false_positive_rate",
        "false negative rate",
        "misclassification_rate",
    ),
    *(
        "miss_rate",
        "exact_mismatch",
        "num_mistakes",
        "wrong",
        "incorrect",
        "crash_rate",
        "wil",
        "PER",
        "HTER",
    ),
]
HIGHER = [
    "Tokens/s",
    "errors_fixed",
    "error_detection_rate",
    "price_performance",
    "attack_success_rate",
    "accuracy",
    "score",
    "neg_log_loss",
    "neglogloss",
    "log-likelihood",
    "XY ↑",
    "WER (↑)",
]
RNG = np.random.default_rng(4)
BEST, MIDDLE, WORST = (RNG.uniform(0.1, 0.3, 40) + shift for shift in (0, 0.1, 0.3))


def columns(heading: str, scores: np.ndarray) -> str:
    return "\n".join([f"topic,{heading}", *(f"t{k},{score:.4f}" for k, score in enumerate(scores)), ""])


def document(capsys, *words: str) -> dict:
    run([*words, "--json", "-"])
    return json.loads(capsys.readouterr().out)


def leaders(capsys, *words: str) -> list[str]:
    found = document(capsys, *words)
    return [row["system"] for row in found["systems" if words[0] == "board" else "ranking"]]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write three files of one system each under a heading, in the folder where commands run."""
    monkeypatch.chdir(tmp_path)

    def write(heading: str, folder: str = ".") -> list[str]:
        Path(folder).mkdir(exist_ok=True)
        for name, scores in (("a", WORST), ("b", MIDDLE), ("c", BEST)):
            Path(folder, f"{name}.csv").write_text(columns(heading, scores), encoding="utf-8")
        return [str(Path(folder, f"{name}.csv")) for name in "abc"]

    return write


@pytest.mark.parametrize("heading", [*LOWER, *HIGHER])
def test_the_name_of_a_column_says_which_is_better(tmp_path, heading):
    path = tmp_path / "scores.csv"
    path.write_text(f"topic,system,{heading}\nq1,a,0.5\nq1,b,0.25\nq2,a,0.75\nq2,b,0.5\n")
    scores = read_scores(path)
    np.testing.assert_array_equal(
        scores.values, np.array([[0.5, 0.25], [0.75, 0.5]]) * (-1 if heading in LOWER else 1)
    )
    assumed = [
        str(note) for note in scores.notes if note.level == "alert" and "nothing says otherwise" in str(note)
    ]
    assert bool(assumed) == (heading == "attack_success_rate")


@pytest.mark.parametrize("heading", [*LOWER[::6], *HIGHER[::3]])
def test_the_heading_of_two_files_says_which_is_better(files, capsys, heading):
    worst, _, best = files(heading)
    found = document(capsys, "gate", worst, best)
    lower = heading in LOWER
    assert found["verdict"] == ("better" if lower else "fail")
    assert found["difference"] == pytest.approx(
        (np.mean(WORST.round(4)) - np.mean(BEST.round(4))) * (1 if lower else -1), rel=1e-9
    )
    turned = document(capsys, "gate", best, worst)
    assert turned["difference"] == pytest.approx(-found["difference"], rel=1e-9)


@pytest.mark.parametrize("heading", ["WER", "XY ↓", "accuracy"])
@pytest.mark.parametrize("command", ["assess", "board"])
def test_the_heading_of_several_files_and_of_a_folder_says_which_is_better(files, capsys, heading, command):
    names = files(heading, "folder")
    order = ["a", "b", "c"] if heading == "accuracy" else ["c", "b", "a"]
    assert leaders(capsys, command, *names) == order
    assert leaders(capsys, command, "folder") == order


@pytest.mark.parametrize("named", ["{} (HD95↓)", "↓{}"])
def test_what_all_columns_are_called_says_which_is_better(tmp_path, capsys, named):
    path = tmp_path / "wide.csv"
    header = ",".join(["Case", *(named.format(name) for name in ("worst", "middle", "best"))])
    rows = [
        ",".join([f"t{k}", *map(str, row)]) for k, row in enumerate(zip(WORST, MIDDLE, BEST, strict=True))
    ]
    path.write_text("\n".join([header, *rows, ""]))
    assert leaders(capsys, "assess", str(path))[0] == named.format("best")


def test_an_error_rate_among_other_data_sets_is_refused(tmp_path):
    name, path = "Librispeech WER", tmp_path / "board.csv"
    path.write_text(f"model,ARC,MMLU,{name}\na,81.3,73.7,60\nb,55.8,86.8,69.6\nc,53.2,56.4,82.3\n")
    with pytest.raises(InputError, match=r"lower is better in .*, but not in ARC, MMLU") as refused:
        read_scores(path)
    assert f"ignore_columns=['{name}']" in str(refused.value)
    assert read_scores(path, ignore_columns=[name]).topics == ("ARC", "MMLU")


def test_arrows_in_both_directions_are_refused(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("topic,A (X↓),B (Y↑)\nq1,0.5,0.2\nq2,0.25,0.4\n")
    with pytest.raises(InputError, match="arrows lower is better in some systems and higher in others"):
        read_scores(path)


def test_the_heading_of_a_ranking_says_which_is_better(files, capsys):
    names = files("WER", "folder")
    Path("ranking.csv").write_text("system,WER\na,0.9\nb,0.4\nc,0.2\n", encoding="utf-8")
    assert document(capsys, "compare", "folder", "ranking.csv")["tau"] == 1
    assert names


@pytest.mark.parametrize(
    ("name", "best"),
    [
        *((name, "b") for name in ("WER", "p95_latency_ms", "asr_wer", "librispeech.wer", "my_error_rate")),
        *(
            (name, "b")
            for name in ("TER", "ppl", "brier", "nll", "runtime", "time", "cost", "latency_s", "fid")
        ),
        *(
            (name, "b")
            for name in ("eer", "ece", "errors", "mean_rank", "hallucination_rate", "nq_latency_s")
        ),
        *((name, "a") for name in ("time_series", "cost_model", "rank_fusion", "my_time", "RankSVM")),
        *((name, "a") for name in ("error_analysis", "nDCG", "weight_loss", "neg_log_loss")),
    ],
)
def test_the_name_of_a_file_says_that_lower_is_better(tmp_path, capsys, name, best):
    path = tmp_path / f"{name}.csv"
    path.write_text("topic,a,b,c\n" + "".join(f"q{t},0.{t + 5},0.{t + 1},0.{t + 3}\n" for t in range(4)))
    assert leaders(capsys, "assess", str(path))[0] == best
    assert leaders(capsys, "assess", str(path), "--higher-is-better")[0] == "a"


def test_the_name_of_a_folder_says_that_lower_is_better(files, capsys):
    names = files("score", "wer")
    assert leaders(capsys, "assess", *names) == ["c", "b", "a"]
    assert leaders(capsys, "assess", "wer") == ["c", "b", "a"]
    assert leaders(capsys, "assess", "wer", "--higher-is-better") == ["a", "b", "c"]


def test_a_direction_where_no_measure_is_named_has_the_option_for_all_scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b,c\nq1,0.5,0.2,0.1\nq2,0.25,0.4,0.3\n")
    with pytest.raises(InputError, match="no measure is named here; give lower_is_better=True"):
        read_scores(path, direction=["WER=lower"])


def test_a_missing_error_is_never_counted_as_zero(tmp_path, capsys):
    path = tmp_path / "errors.csv"
    path.write_text(
        "topic,a WER,b WER\n" + "".join(f"q{t},0.{t + 2},0.{t + 3}\n" for t in range(5)) + "q9,0.5,\n"
    )
    assert run(["gate", str(path), "--missing", "zero"]) == 2
    assert (
        "lower is better here, so a missing score that counts as 0 is not the worst"
        in capsys.readouterr().err
    )
    assert run(["gate", str(path)]) == 2
    message = capsys.readouterr().err
    assert "use --missing common" in message
    assert "zero" not in message
    with pytest.raises(InputError, match="some scores are below 0"):
        read_scores([[0.5, -0.1], [0.2, float("nan")], [0.4, 0.3]], missing="zero")


@pytest.mark.parametrize("out", [["wer.csv"], ["wer.tsv"], ["long.csv", "--long"]])
def test_scores_that_were_written_with_a_minus_sign_are_not_negated_again(tmp_path, capsys, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    rows = [f"t{k},{name},{x:.4f}" for k in range(40) for name, x in (("old", WORST[k]), ("new", BEST[k]))]
    Path("in.csv").write_text("\n".join(["topic,system,wer", *rows, ""]), encoding="utf-8")
    assert run(["import", "auto", "in.csv", "-o", *out]) == 0
    assert run(["import", "auto", out[0], "-o", "again.csv"]) == 0
    pair = ["--baseline", "old", "--candidate", "new"]
    capsys.readouterr()
    found = [document(capsys, "gate", path, *pair) for path in ("in.csv", out[0], "again.csv")]
    assert [one["verdict"] for one in found] == ["better"] * 3
    expected = np.mean(WORST.round(4) - BEST.round(4))
    assert [one["difference"] for one in found] == pytest.approx([expected] * 3, rel=1e-9)


def test_the_range_of_an_error_measure_is_what_its_file_holds(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"t{k},{WORST[k]:.4f},{BEST[k]:.4f}" for k in range(40)]
    Path("wer.csv").write_text("\n".join(["topic,old,new", *rows, ""]), encoding="utf-8")
    for more in (["--guarantee"], ["--sequential"]):
        gate = ["gate", "wer.csv", "--baseline", "old", "--margin", "0.1", *more]
        assert document(capsys, *gate, "--range", "0,1")["verdict"] in ("pass", "better")
        assert run([*gate, "--range", "0,0.2"]) == 2
        assert f"the score {WORST.max():.3f}"[:15] in (error := capsys.readouterr().err)
        assert "is outside of 0 to 0.2" in error
    assert run(["simulate", "fit", "wer.csv", "-o", "model.json"]) == 2
    assert "write 1 − wer in its place" in capsys.readouterr().err
