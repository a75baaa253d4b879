"""What decides the reading of a table is said, in JSON always and in one line where it was not certain."""

from __future__ import annotations

import json

import pytest

from truerank.cli import run
from truerank.readers.roles import lower_is_better

LOWER = """
error MAPE sMAPE MASE logloss test_error classification_error FID EER DER RMSLE CRPS duration time
mean_rank WER% latencyMs eval_metrics/MASE[0.5] eval_metrics/sMAPE WER[clean] avg(wer)
mean(log_loss) perplexity,none word_error_rate brier_score 1-accuracy neg_accuracy
time_to_first_token cost_per_task train_time_seconds bits_per_byte crossentropy edit_distance -F1
latency(s) log-loss
""".split()  # noqa: SIM905

HIGHER = """
neg_mean_squared_error -WER 1-WER 100-WER neg_log_loss neg-MAE non_error_rate non_hallucination_rate
WER_improvement error_reduction cost_improvement cost_adjusted_score win_minus_loss time_saved RTFx
rank-1 tokens_per_second mean_reciprocal_rank rank_correlation accuracy f1_score AP nDCG@10 acc,none
exact_match ERR pass@1 1-shot_accuracy P_10 score main_score map
""".split()  # noqa: SIM905


@pytest.mark.parametrize(
    ("names", "lower"), [(LOWER, True), (HIGHER, False), (["answer", "Anteil der Treffer"], None)]
)
def test_the_direction_follows_from_the_name_or_is_unknown(names, lower):
    assert [name for name in names if lower_is_better(name) is not lower] == []


def long(measure: str) -> str:
    scores = ((12, 40), (31, 70), (11, 45), (25, 60), (14, 33))
    rows = [
        f"q{t},{system},{score}"
        for t, pair in enumerate(scores)
        for system, score in zip("ab", pair, strict=True)
    ]
    return "\n".join([f"qid,system,{measure}", *rows, ""])


@pytest.mark.parametrize(
    ("measure", "direction", "certain"),
    [("MAPE", "lower is better", True), ("zeal", "higher is better", False)],
)
@pytest.mark.parametrize(
    "command", ["assess --drop-bottom 0", "gate --baseline a --candidate b", "significance"]
)
def test_every_result_says_how_it_was_read(write, capsys, command, measure, direction, certain):
    rows = [f"q{t},c,{20 + t}" for t in range(5)]
    path = write("a.csv", long(measure) + "\n".join(rows) + "\n")
    name, *more = command.split()
    assert run([name, path, *more, "--quiet", "--json", "-"]) in (0, 1, 4)
    document = json.loads(capsys.readouterr().out)
    assert document["reading"] == {
        "topics": "column 'qid'",
        "systems": "column 'system'",
        "scores": f"column {measure!r}",
        "direction": direction,
        "certain": certain,
    }
    assert any("as nothing says otherwise" in note for note in document["warnings"]) is not certain


@pytest.mark.parametrize("command", ["assess F", "import auto F -o out.csv", "compare F F --resamples 50"])
def test_each_command_says_how_scores_were_read_where_names_decide(
    write, capsys, tmp_path, monkeypatch, command
):
    monkeypatch.chdir(tmp_path)
    rows = [f"q{t},c,0.{20 + 7 * t}" for t in range(5)]
    write("a.csv", long("accuracy").replace("qid", "question") + "\n".join(rows) + "\n")
    assert run([*command.replace("F", "a.csv").split(), "--quiet"]) in (0, 1, 4)
    assert (
        "Questions are read from column 'question', systems from column 'system', scores from column "
        "'accuracy'; higher is better."
    ) in " ".join(capsys.readouterr().out.split())
