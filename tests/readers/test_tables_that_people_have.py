"""Tables as people have them, by shape, with made-up names and numbers: read as meant, or asked about."""

from __future__ import annotations

import re

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores

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
        for name in (
            "id",
            "num",
            "topicid",
            "queryid",
            "queries",
            "questions",
            "index",
            "#",
            "qnum",
            "topics",
        )
    },
    **{
        f"topics called {name}": (long(f"{name},model,score"), [f"t{t}" for t in range(5)], "C")
        for name in (
            "user_id",
            "seg_id",
            "session_id",
            "utterance_id",
            "case_id",
            "doc_id",
            "accent",
            "language",
        )
    },
    **{
        f"systems called {name}": (long(f"qid,{name},score"), [f"t{t}" for t in range(5)], "C")
        for name in (
            "classifier",
            "classifier_name",
            "algorithm",
            "framework",
            "approach",
            "arm",
            "extractor",
        )
    },
    **{
        f"a row called {name}": (
            wide("topic,A,B", "t{t}", last=f"{name},0.4,0.5"),
            [f"t{t}" for t in range(6)],
            "B",
        )
        for name in ("Overall", "Avg.", "Mean:", "macro avg", "weighted avg", "Grand total", "StdDev", "25%")
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
    "a training time": (
        board("model,nq,fiqa,time_training_seconds", "m{n},{s},{s},{r}"),
        ["nq", "fiqa"],
        "m4",
    ),
    "a mean under a strange name": (
        "model,x1,x2,x3,zz\na,0.1,0.25,0.4,0.25\nb,0.3,0.2,0.7,0.4\nc,0.6,0.5,0.1,0.4\nd,0.9,0.3,0.9,0.7\n",
        ["x1", "x2", "x3"],
        "d",
    ),
}

ASKED: dict[str, tuple[str, dict[str, object], str]] = {
    **{
        f"a column called {name} of {cell}": (
            wide(f"topic,{name},A,B", "t{t}", cell),
            {"ignore_columns": [name]},
            "B",
        )
        for name in ("epoch", "seed", "trial", "fold", "run", "attempt", "turn", "weight")
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
    "-1 for a missing score": (
        wide("topic,A,B", "t{t}", last="t9,-1,0.9"),
        {"missing_value": "-1", "missing": "model"},
        "B",
    ),
    "-1 that is a score": (wide("topic,A,B", "t{t}", last="t9,-1,0.9"), {"missing_value": "none"}, "B"),
}

REFUSED = {
    "a mean with bounds": board("model,score,rating_q025,rating_q975,avg_tokens", "m{n},{w},{w},{w},6{n}0"),
    "a mean with votes": board("model,score,lower,upper,votes", "m{n},{w},{w},{w},6{n}0"),
    "winners of 0 and 1": battles("model_a,model_b,winner", ["x,y,0", "y,z,1", "x,z,1"]),
    "thousands": 'topic,A,B\nt1,"1,234",2\nt2,"2,345",3\n',
    "digits of another script": "topic,A,B\nt1,0.1,٠.٢\nt2,0.3,0.4\n",
    "names that differ in form": "topic,model,score\nt1,café,0.1\nt1,x,0.2\nt2,cafe\u0301,0.3\nt2,x,0.1\n",
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
        (battles("winner,loser,tie", ["x,y,0", "y,z,0", "x,z,1"]), 24, 8),
        (battles("winner,loser,is_tie", ["x,y,False", "y,z,False", "x,z,True"]), 24, 8),
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


def test_messages_print_few_characters_of_a_cell(write):
    with pytest.raises(InputError) as refused:
        read_scores(write("a.csv", "topic,A,B\nt1,0.2," + "x" * 500 + "7\nt2,0.3,0.4\n"))
    assert max(map(len, re.findall("x+", str(refused.value)))) <= 80
