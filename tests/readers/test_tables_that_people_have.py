"""Tables as people have them, by shape, with made-up names and numbers: read as meant, or asked about."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores
from validation.tables_read import RIGHT, SHAPES, check

SCORES = np.array([[0.31, 0.42], [0.55, 0.61], [0.12, 0.38], [0.74, 0.7], [0.44, 0.59], [0.26, 0.33]])


def wide(head: str, *before: str, last: str = "") -> str:
    """Six topics of the systems A and B, whose cells stand behind others."""
    rows = [
        ",".join([*(cell.format(t=t, id=17 + 3 * t, bit=t % 2) for cell in before), f"{a}", f"{b}"])
        for t, (a, b) in enumerate(SCORES)
    ]
    return "\n".join([head, *rows, *filter(None, [last]), ""])


def long(head: str, systems: str = "ABC") -> str:
    rows = [f"t{t},{name},0.{(3 * t + 2 * s) % 8 + 1}{s}" for t in range(5) for s, name in enumerate(systems)]
    return "\n".join([head, *rows, ""])


def board(head: str, row: str) -> str:
    rows = [
        row.format(n=n, s=round(0.3 + 0.1 * n, 2), w=round(9.5 - n, 1), r=87.3 + 60 * n) for n in range(5)
    ]
    return "\n".join([head, *rows, ""])


def battles(head: str, rows: list[str], times: int = 8) -> str:
    return "\n".join([head, *(rows * times), ""])


READ: dict[str, tuple[str, list[str], str]] = {
    **{
        f"ids called {name} behind a row count": (
            wide(f",{name},A,B", "{t}", "{id}"),
            [str(17 + 3 * t) for t in range(6)],
            "B",
        )
        for name in ("id", "queryid", "#", "qnum")
    },
    **{
        f"topics called {name}": (long(f"{name},model,score"), [f"t{t}" for t in range(5)], "C")
        for name in ("user_id", "case_id", "accent")
    },
    **{
        f"systems called {name}": (long(f"qid,{name},score"), [f"t{t}" for t in range(5)], "C")
        for name in ("classifier_name", "algorithm", "arm")
    },
    **{
        f"a row called {name}": (
            wide("topic,A,B", "t{t}", last=f"{name},0.4,0.5"),
            [f"t{t}" for t in range(6)],
            "B",
        )
        for name in ("Overall", "Mean:", "weighted avg", "StdDev", "25%")
    },
    "word error rates beside a throughput": (
        board("model,RTFx,License,Size (B),# Languages,AMI WER,LS WER", "m{n},{r},mit,{n}.5,1{n},{w},{w}"),
        ["AMI WER", "LS WER"],
        "m4",
    ),
    "prices, speeds and parameters": (
        board("model,nq,fiqa,price,speed,params_b", "m{n},{s},{s},1.5,{r},7"),
        ["nq", "fiqa"],
        "m4",
    ),
    "a mean over topics under a strange name": (
        wide("topic,A,B", "t{t}", last=f"Ø,{SCORES[:, 0].mean():.5f},{SCORES[:, 1].mean():.5f}"),
        [f"t{t}" for t in range(6)],
        "B",
    ),
    "ranks below the scores": (
        wide("topic,A,B", "t{t}", last="Avg rank,1.8,1.2"),
        [f"t{t}" for t in range(6)],
        "B",
    ),
    "questions in columns, some that no model answers": (
        "model,q0,q1,q2,q3,q4\ngpt,1,0,1,1,0\nllama,1,0,0,1,0\nqwen,0,0,0,1,0\n",
        [f"q{t}" for t in range(5)],
        "gpt",
    ),
}

ASKED: dict[str, tuple[str, dict[str, object], str]] = {
    "a row count before topics": (
        wide("rank,topic,A,B", "{t}", "q{t}"),
        {"ignore_columns": ["rank"]},
        "B",
    ),
    **{
        f"a column called {name} of {cell}": (
            wide(f"topic,{name},A,B", "t{t}", cell),
            {"ignore_columns": [name]},
            "B",
        )
        for name in ("epoch", "seed", "run", "weight")
        for cell in ("0", "{bit}")
    },
    "a column on another scale": (
        board("model,aa,bb,cc", "m{n},{s},{r},{s}").replace("87.3", "1087.3"),
        {"ignore_columns": ["bb"]},
        "m4",
    ),
    "columns that count from 0": (
        "model,"
        + ",".join(map(str, range(12)))
        + "\n"
        + "".join(
            f"m{n}," + ",".join(f"0.{n + 1}{k * (n + 3) % 10}" for k in range(12)) + "\n" for n in range(4)
        ),
        {"transpose": True},
        "m3",
    ),
    "resamples of data sets": (
        "dataset,0,1,2\n" + "".join(f"set {t},{a},{b},0.1\n" for t, (a, b) in enumerate(SCORES.tolist())),
        {"transpose": False},
        "1",
    ),
    "nines for a missing score": (
        wide("topic,A,B", "t{t}", last="t9,999,0.9"),
        {"missing_value": "999", "missing": "model"},
        "B",
    ),
    "-1 for a missing score": (
        wide("topic,A,B", "t{t}", last="t9,-1,0.9"),
        {"missing_value": "-1", "missing": "model"},
        "B",
    ),
}

REFUSED = {
    "a mean with bounds": board("model,score,rating_q025,rating_q975,avg_tokens", "m{n},{w},{w},{w},6{n}0"),
    "one system's metrics and times": "dataset,accuracy,time_training_seconds\n"
    + "".join(f"set {t},{a},{9 * b}\n" for t, (a, b) in enumerate(SCORES.tolist())),
    "a report on classes": ",precision,recall,f1-score,support\ncat,0.5,0.4,0.45,12\ndog,0.7,0.6,0.65,31\n",
    "questions outside, systems inside": json.dumps(
        {f"why {t}?": {"A": a, "B": b} for t, (a, b) in enumerate(SCORES.tolist())}
    ),
    "answers without scores": '{"question_id": "a", "model_id": "x", "tstamp": 17.5}\n' * 2,
    "two tables in a page": "| topic | A |\n|---|---|\n| t1 | 1 |\n\n| topic | B |\n|---|---|\n| t1 | 1 |\n",
    "thousands": 'topic,A,B\nt1,"1,234",2\nt2,"2,345",3\n',
    "an empty cell of a facet": "topic,model,prompt_id,score\n"
    + "".join(
        f"t{t},{s},p{p},{'' if (t, s, p) == (2, 'A', 1) else 0.5}\n"
        for t in range(4)
        for s in "AB"
        for p in (0, 1)
    ),
}


def leader(scores) -> str:
    return scores.systems[int(np.nanmean(scores.values, axis=0).argmax())]


@pytest.mark.parametrize("shape", READ)
def test_a_table_is_read_as_meant(write, shape):
    text, topics, best = READ[shape]
    scores = read_scores(write("a.csv", text))
    assert list(scores.topics) == topics
    assert leader(scores) == best


@pytest.mark.parametrize("shape", ASKED)
def test_what_is_uncertain_is_asked_and_the_option_works(write, shape):
    text, options, best = ASKED[shape]
    path = write("a.csv", text)
    with pytest.raises(InputError) as asked:
        read_scores(path)
    name, value = next(iter(options.items()))
    assert f"{name}={value!r}" in str(asked.value)
    assert leader(read_scores(path, **options)) == best


@pytest.mark.parametrize("shape", REFUSED)
def test_what_nothing_decides_is_refused_in_one_line(write, shape):
    with pytest.raises(InputError) as refused:
        read_scores(write("a.csv", REFUSED[shape]))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "number", "ties"),
    [
        (battles("model_a,model_b,winner", ["1,2,model_a", "2,3,model_b", "1,3,tie"]), 24, 8),
        ("model_a,model_b,wins_a,wins_b,count\nx,y,20,10,30\ny,z,17,13,30\nx,z,25,5,30\n", 90, 0),
        (
            battles(
                "model_a,model_b,winner_model_a,winner_model_b,winner_tie,winner_tie (bothbad)",
                ["x,y,1,0,0,0", "y,z,0,1,0,0", "x,z,0,0,1,0", "x,z,0,0,0,1"],
            ),
            32,
            16,
        ),
    ],
)
def test_battles_are_counted_as_they_were_fought(write, text, number, ties):
    found = read_scores(write("a.csv", text)).battles
    assert found is not None
    assert len(found.outcomes) == number
    assert int((found.outcomes == 0.5).sum()) == ties


@pytest.mark.parametrize("name", ["winner", "label", "vote"])
def test_a_side_called_0_or_1_is_asked_about(write, name):
    path = write("a.csv", battles(f"model_a,model_b,{name}", ["x,y,0", "y,z,1", "x,z,0"]))
    with pytest.raises(InputError, match="nothing says which side is which") as asked:
        read_scores(path)
    for lower, wins in ((False, {"x": 0, "y": 16, "z": 8}), (True, {"x": 16, "y": 0, "z": 8})):
        assert f"lower_is_better={lower}" in str(asked.value)
        held = read_scores(path, lower_is_better=lower).battles
        found = dict.fromkeys(range(3), 0)
        for a, b, y in zip(held.first.tolist(), held.second.tolist(), held.outcomes.tolist(), strict=True):
            found[a if y else b] += 1
        assert list(found.values()) == list(wins.values())


def test_tables_of_random_shapes_are_read_as_meant_or_asked_about():
    rng = np.random.default_rng(0)
    found = [(meant := shape(rng), check(meant)) for shape in SHAPES for _ in range(5)]
    wrong = [(meant.shape, one) for meant, one in found if one.became not in RIGHT]
    assert not wrong


# Files in other forms, and boards as repositories publish them, with made-up names and numbers.

TOPICS = [f"q{t}" for t in range(6)]
WIDE = [{"topic": topic, "A": a, "B": b} for topic, (a, b) in zip(TOPICS, SCORES.tolist(), strict=True)]
LONG = [{"topic": one["topic"], "model": name, "score": one[name]} for one in WIDE for name in "AB"]
FRAMES = {
    "wide": pd.DataFrame(WIDE),
    "named": pd.DataFrame(WIDE).set_index("topic"),
    "long": pd.DataFrame(LONG),
}
FORMS = {
    **{
        f"{name} frame, orient={orient}": frame.to_json(orient=orient)
        for name, frame in FRAMES.items()
        for orient in ("records", "table")
        if (name, orient) != ("named", "records")  # the names of the rows are lost
    }
}


@pytest.mark.parametrize("form", FORMS)
def test_a_table_in_another_form_is_the_same_table(write, form):
    scores = read_scores(write("a.txt", FORMS[form]))
    assert sorted(scores.systems) == ["A", "B"]
    order = [scores.systems.index(name) for name in "AB"]
    assert scores.values[:, order].tolist() == SCORES.tolist()


ASKED_OF_DIRECTION = {
    "ranks": "\n".join(
        ["topic,A,B,C", *(f"q{t},{t % 3 + 1},{(t + 1) % 3 + 1},{(t + 2) % 3 + 1}" for t in range(5))]
    ),
    "ranks with ties": "\n".join(["topic,A,B,C", *(f"q{t},1.5,1.5,3" for t in range(5)), ""]),
}


@pytest.mark.parametrize("shape", ASKED_OF_DIRECTION)
def test_what_only_lower_scores_explain_is_asked(write, shape):
    path = write("a.csv", ASKED_OF_DIRECTION[shape])
    with pytest.raises(InputError, match="lower_is_better=True") as asked:
        read_scores(path)
    assert "lower_is_better=False" in str(asked.value)
    down, up = (read_scores(path, lower_is_better=way) for way in (True, False))
    assert (down.values == -up.values).all()


def test_columns_that_tell_of_the_rows_are_asked_about(write):
    text = board(",Agreement,Price [$/1000 examples],# parsed", "judge {n},{s},{w},{r}")
    with pytest.raises(InputError, match="may tell of the rows") as asked:
        read_scores(write("a.csv", text))
    assert "transpose=True" in str(asked.value)
    assert "ignore_columns" in str(asked.value)


def test_names_that_unicode_writes_in_two_ways_are_one_name(write):
    text = "topic,system,score\ncaf\u00e9,A,.1\ncafe\u0301,B,.2\nb,A,.3\nb,B,.4\n"
    scores = read_scores(write("a.csv", text))
    assert scores.topics == ("caf\u00e9", "b")


def test_dashes_are_missing_bars_separate_and_answers_may_follow_their_verdict(write):
    scores = read_scores(write("a.csv", "topic|A|B\nq1|0.5|-\nq2|0.25|—\nq3|0.75|0.5\n"), missing="model")
    assert np.isnan(scores.values[:2, 1]).all()
    text = "question,[x] Answer,[y] Answer\n" + "".join(
        f'q{t},"[{"PASS" if t % 2 else "FAIL"}] yes, {t}",[PASS] no\n' for t in range(4)
    )
    assert read_scores(write("b.csv", text)).values.tolist() == [[0, 1], [1, 1], [0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "topic,A,A_std,B,B_std\n" + "".join(f"q{t},0.{t + 3},0.02,0.{8 - t},0.03\n" for t in range(5)),
            "ignore_columns=['A_std', 'B_std']",
        ),
        (
            "questions,A,B,n_questions\n" + "".join(f"c{t},0.{t + 3},0.{8 - t},{20 + t}\n" for t in range(5)),
            "ignore_columns=['n_questions']",
        ),
    ],
)
def test_columns_beside_the_scores_are_no_systems(write, text, says):
    with pytest.raises(InputError) as asked:
        read_scores(write("a.csv", text))
    assert says in str(asked.value)


@pytest.mark.parametrize(
    "text",
    [
        "AP\nq0 0.31\nq1 0.55\n",
        "model score\nGemma 2 0.31\nLlama 3 0.55\n",
        "q0 0.31 0.42 0.5\nq1 0.55 0.61 0.5\nq2 0.12 0.38 0.5\n",
        "my own scores\ntopic,A B,C\nq0,0.31 ,0.55\n",
        'topic A B\n"q0 0.31 0.42\nq1 0.55 0.61\n',
    ],
)
def test_names_with_blanks_are_not_split(write, text):
    with pytest.raises(InputError) as refused:
        read_scores(write("a.txt", text))
    assert re.search(
        "the only column is|names with blanks|first line|cells where the header has|check the quotes",
        str(refused.value),
    )


def test_an_average_in_the_first_column_shows_that_it_names_the_topics(tmp_path) -> None:
    rng = np.random.default_rng(2)
    rows = [f"{7 + 3 * t}," + ",".join(f"{x:.3f}" for x in rng.random(3)) for t in range(30)]
    path = tmp_path / "mess.csv"
    path.write_text("\n".join(["Fall,A,B,C", *rows, "Mean,0.5,0.5,0.5"]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mess\.csv:32: .*topic_column='Fall' if it names the rows"):
        read_scores(path)
    found = read_scores(path, topic_column="Fall")
    assert found.values.shape == (30, 3)


@pytest.mark.parametrize("name", ["bm25_rank_fusion", "Context-LSTM", "R"])
def test_systems_with_words_of_measures_in_their_names_are_systems(write, name):
    assert read_scores(write("a.csv", wide(f"topic,A,{name}", "t{t}"))).systems == ("A", name)
