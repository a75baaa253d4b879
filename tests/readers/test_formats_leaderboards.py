"""One score per system and data set: mteb and summaries of lm-eval, in files that the tools wrote."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from truerank.cli import run
from truerank.errors import InputError
from truerank.readers import read_scores

FIXTURES = Path(__file__).parent / "fixtures"
MTEB, LM_EVAL = (FIXTURES / name for name in ("mteb_results", "lm_eval"))


def table(scores) -> pd.DataFrame:
    """Data sets × systems, by name."""
    assert scores.data_sets == scores.topics
    frame = pd.DataFrame(scores.values, index=scores.topics, columns=scores.systems)
    return frame.sort_index().sort_index(axis=1)


def same(ours, theirs) -> None:
    pd.testing.assert_frame_equal(
        table(ours), theirs.sort_index().sort_index(axis=1), check_names=False, rtol=0, atol=1e-12
    )


def refusal(source, *args, error=InputError, **kwargs) -> str:
    with pytest.raises(error) as caught:
        read_scores(source, *args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def theirs() -> pd.DataFrame:
    """What mteb itself makes of its result folder: tasks × models."""
    return pd.read_csv(MTEB / "wide.csv").drop(columns="is_public").set_index("task_name")


@pytest.fixture
def copy(tmp_path):
    def copy(folder: Path) -> Path:
        return Path(shutil.copytree(folder, tmp_path / folder.name))

    return copy


# mteb


def test_folders_of_mteb_have_the_scores_of_its_frame(theirs):
    scores = read_scores(MTEB / "results")
    same(scores, theirs)
    assert scores.measure == ""
    notes = " ".join(scores.warnings)
    assert "MassiveIntentClassification (test de, test en, test fr), SciFact (test, train)" in notes
    assert "results of several revisions together make one model: other/base" in notes
    same(read_scores(sorted(map(str, (MTEB / "results").rglob("*[A-Z]*.json")))), theirs)
    same(read_scores(MTEB / "results", "ndcg_at_10"), theirs)


@pytest.mark.parametrize("name", ["wide.csv", "long.csv", "models_as_rows.csv"])
def test_frames_of_mteb_have_its_scores(theirs, name):
    frame = pd.read_csv(MTEB / name)
    for source in (str(MTEB / name), frame):
        scores = read_scores(source)
        same(scores, theirs)
        assert any("is_public" in note for note in scores.warnings) == (name != "models_as_rows.csv")


def test_two_revisions_of_mteb_are_refused(copy):
    folder = copy(MTEB / "results")
    shutil.copy(folder / "org__small/aaa/SciFact.json", folder / "other__base/ccc/SciFact.json")
    message = refusal(folder)
    assert "other__base/ddd/SciFact.json: results of 'other/base' on 'SciFact', as in" in message
    assert "ccc/SciFact.json; keep one of the two" in message
    shutil.rmtree(folder / "other__base/ddd")
    assert read_scores(folder).m == 3


def test_faults_of_mteb(copy):
    folder = copy(MTEB / "results")
    path = folder / "org__large/bbb/FiQA2018.json"
    document = json.loads(path.read_text())
    path.write_text(path.read_text()[:-60])
    assert f"{path}:" in refusal(folder)
    assert "the JSON breaks off here" in refusal(folder)
    path.write_text(json.dumps({**document, "scores": {}}))
    assert "system 'org/large' has no score on data set 'FiQA2018'" in refusal(folder)
    path.write_text(json.dumps({**document, "scores": {"test": [{"hf_subset": "default"}]}}))
    lacks = f"{path}: this is read as a result file of mteb, but it lacks 'main_score'"
    assert lacks in refusal(folder)
    path.write_text(json.dumps({"mteb_dataset_name": "FiQA2018", "test": {"main_score": 0.5}}))
    assert "results of mteb before 1.11" in refusal(folder)
    path.write_text("[]")
    assert "system 'org/large' has no score on data set 'FiQA2018'" in refusal(folder)
    path.unlink()
    assert "system 'org/large' has no score on data set 'FiQA2018'" in refusal(folder)
    assert read_scores(folder, missing="common").k == 3


# lm-eval


def test_groups_of_lm_eval_do_not_count_twice_and_lower_is_no_score(write):
    def results(model, number):
        return json.dumps(
            {
                "results": {
                    "board": {"acc,none": 0.1, "alias": "board"},
                    "one": {"acc,none": number, "acc_stderr,none": 0.1, "word_perplexity,none": 20.0},
                    "two": {"acc,none": number / 2, "word_perplexity,none": 30.0},
                },
                "group_subtasks": {"board": ["one", "two"], "one": [], "two": []},
                "higher_is_better": {
                    task: {"acc": True, "word_perplexity": False} for task in ("one", "two")
                },
                "versions": {},
                "config": {},
                "model_name": model,
            }
        )

    paths = [write("results_a.json", results("a", 0.5)), write("results_b.json", results("b", 0.75))]
    scores = read_scores(paths, "acc")
    assert scores.data_sets == ("one", "two")
    assert scores.values.tolist() == [[0.5, 0.75], [0.25, 0.375]]
    assert any("groups of tasks" in note and "board" in note for note in scores.warnings)
    assert read_scores(paths, "word_perplexity").values.max() < 0


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([str(MTEB / "results")], None),
        ([str(MTEB / "results"), "--generalize-to", "topics"], "one score per system and data set shows"),
        ([*map(str, LM_EVAL.glob("*/results_*")), "-m", "acc"], "one score per system, so nothing shows"),
    ],
)
def test_aggregates_answer_for_new_data_sets_or_are_refused(args, says, capsys):
    status = run(["assess", *args, "--quiet", "--json", "-"])
    out, err = capsys.readouterr()
    if says is None:
        assert status == 0
        assert json.loads(out)["generalize_to"] == "data_sets"
    else:
        assert status == 2
        assert says in err
        assert len(err.strip().splitlines()) == 1
        assert out == ""
