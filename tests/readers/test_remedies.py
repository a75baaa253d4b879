"""Forty files that people give by mistake: the message names a remedy, the test pastes it, and it works."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

import pytest

from truerank.cli import run
from truerank.errors import InputError
from truerank.readers import read_scores
from validation.tables_read import offers

# What the messages may be told to do; `--name value` is pasted as it stands.
_OPTION = re.compile(
    r"(--(?:topic|system|score|data-set|run|ignore)-column[ =](?:'[^']*'|[^\s,.;]+)|--(?:no-)?transpose"
    r"|--(?:lower|higher)-is-better|-m (?:'[^']*'|[^\s,;]+)|--missing \w+|--format \w+)"
)


def options(message: str, most: int) -> list[str]:
    """The first options that a message names."""
    found = list(dict.fromkeys(_OPTION.findall(message)))[:most]
    return [word for one in found for word in shlex.split(one)]


def rows(head: str, *lines: str) -> str:
    return "\n".join([head, *lines, ""])


def long(head: str, row: Callable[[int, str, int], str], topics: int = 4, systems: str = "ab") -> str:
    return rows(head, *(row(t, name, s) for t in range(topics) for s, name in enumerate(systems)))


def wide(head: str, row: Callable[[int], str], topics: int = 4) -> str:
    return rows(head, *map(row, range(topics)))


def score(t: int, s: int) -> float:
    return (3 * t + 5 * s) % 7 / 8


PLAIN = wide("topic,a,b", lambda t: f"q{t},{score(t, 0)},{score(t, 1)}")

# name: (file, what the message says, how many options to paste at a time)
BY_OPTION: dict[str, tuple[str, str, int]] = {
    **{
        f"ids called {head}": (
            wide(f"{head},a,b", lambda t: f"{t},{score(t, 0)},{score(t, 1)}"),
            "like ids of topics",
            1,
        )
        for head in ("example", "row", "no", "nr", "number")
    },
    "ids with gaps": (
        wide("Fall,a,b", lambda t: f"{7 * t + 3},{score(t, 0)},{score(t, 1)}"),
        "like ids of topics",
        1,
    ),
    "latency behind the systems": (
        wide("topic,a,b,latency", lambda t: f"q{t},{score(t, 0)},{score(t, 1)},{t + 0.7}"),
        "may tell of the rows",
        1,
    ),
    **{
        f"{head} among the systems": (
            wide(f"topic,a,b,{head}", lambda t: f"q{t},{score(t, 0)},{score(t, 1)},{score(t, 2)}"),
            f"{head} {says}",
            1,
        )
        for head, says in {
            "confidence": "may tell of the rows",
            "bleu_rank": "may tell of the rows",
            "WER": "may tell of the rows or be measures",
            "F1 score": "may tell of the rows or be measures",
        }.items()
    },
    "systems under a foreign name": (
        long("topic,Wer,score", lambda t, n, s: f"q{t},{n},{score(t, s)}"),
        "no column is called like systems",
        3,
    ),
    "a table of rows with an id each": (
        long("id,Vorgang,model,score", lambda t, n, s: f"{9 * t + s},f{t},{n},{score(t, s)}"),
        "differs in every row",
        3,
    ),
    **{
        f"several runs, told by {name}": (
            rows(
                f"question,model,{name},score",
                *(
                    f"q{t},{'ab'[s]},{values[r]},{score(t, s)}"
                    for r in range(2)
                    for t in range(4)
                    for s in range(2)
                ),
            ),
            f"column '{name}' distinguishes them",
            1,
        )
        for name, values in {
            "version": ("first", "second"),
            "timestamp": ("2025-01-01T10:00", "2025-01-02T11:00"),
            "tstamp": ("1690000000.5", "1690000100.25"),
            "temperature": ("0.0", "0.7"),
        }.items()
    },
    "a subject in the column called topic": (
        rows(
            "topic,nummer,model,score",
            *(f"{'xy'[t % 2]},n{t},{'ab'[s]},{score(t, s)}" for t in range(4) for s in range(2)),
        ),
        "column 'nummer' distinguishes them",
        1,
    ),
    "two measures": (
        long("topic,system,f1,em", lambda t, n, s: f"q{t},{n},{score(t, s)},{s}"),
        "2 measures (f1, em)",
        1,
    ),
    "a missing score": (PLAIN.replace("q1,0.375", "q1,"), "has no score on topic 'q1'", 1),
    "text among the numbers": (
        wide("topic,a,b,notes", lambda t: f"q{t},{score(t, 0)},{score(t, 1)},{'x' if t else '3'}"),
        "where a number belongs",
        1,
    ),
    "systems in rows, with measures": (
        rows("model,q1,q2,q3", "org/a,0.5,0.25,0.75", "org/b,0.25,0.5,0.5").replace("q1,q2,q3", "em,f1,bleu"),
        "transpose it with --transpose",
        1,
    ),
    "JSON lines, foreign names": (
        "\n".join(
            f'{{"Vorgang": "f{t}", "Wer": "{"ab"[s]}", "Punkte": {score(t, s)}}}'
            for t in range(4)
            for s in range(2)
        ),
        "was already given",
        0,
    ),
}

EDITS: dict[str, tuple[str, str, Callable[[str], str]]] = {
    "rows that are copies": (
        PLAIN + "q1,0.375,0.125\n",
        "no column distinguishes the rows: remove copies",
        lambda text: text.rsplit("\n", 2)[0] + "\n",
    ),
    "two scores and nothing to tell them apart": (
        long("topic,system,score", lambda t, n, s: f"q{t},{n},{score(t, s)}") + "q0,a,0.75\n",
        "which takes them in their order",
        lambda text: "\n".join(
            f"{line},{'run' if k == 0 else k}" for k, line in enumerate(text.strip().splitlines())
        ),
    ),
    **{
        name: (spoiled, says, lambda text, a=a, b=b: text.replace(a, b, 1))
        for name, spoiled, says, a, b in (
            ("a ragged row", PLAIN + "q9,0.5\n", "give every row one cell", "q9,0.5", "q9,0.5,1"),
            ("an infinite score", PLAIN.replace("0.375", "inf"), "must be finite", "inf", "0.375"),
            ("two systems of one name", PLAIN.replace("a,b", "a,a"), "give each another name", "a,a", "a,b"),
            ("an empty topic", PLAIN.replace("q2", ""), "fill the cell", "\n,", "\nq2,"),
            ("no names of systems", PLAIN.split("\n", 1)[1], "line with the systems", "", "topic,a,b\n"),
        )
    },
}

ONE_LINE = {
    "battles": (
        rows("model_a,model_b,winner", "x,y,model_a", "y,z,tie"),
        "at least three are needed, dozens are better",
    ),
    "preferences": (
        rows("instruction,generator_1,generator_2,preference", "a,x,y,1", "b,x,y,2"),
        "'2' does not say who won",
    ),
    "battles that nobody wins": (
        rows("model_a,model_b,their_winner", "x,y,model_a", "y,z,tie"),
        "Add a column winner (model_a, model_b or tie)",
    ),
    "costs": (rows("model,cost_usd,latency", "x,0.5,3", "y,0.25,4"), "one mean each by a measure"),
    "means with standard errors": (
        rows("model,score,stderr", "x,0.5,0.01", "y,0.25,0.02"),
        "compare two of them with truerank gate",
    ),
    "means and errors by several measures": (
        rows("model,MMLU,MMLU_stderr,ARC,ARC_stderr", "x,0.5,0.01,0.6,0.01", "y,0.25,0.02,0.3,0.02"),
        "--baseline x --candidate y -m MMLU",
    ),
    "documents": (rows("qid,docno,score", "q1,d1,0.5"), "evaluate runs with qrels"),
}


@pytest.mark.parametrize("name", BY_OPTION)
def test_the_option_that_the_message_names_works(write, capsys, tmp_path, name):
    text, says, most = BY_OPTION[name]
    command = ["import", "auto", write("a.csv", text), "-o", str(tmp_path / "out.csv"), "--missing", "error"]
    assert run(command) == 2
    message = capsys.readouterr().err
    assert says in message
    assert len(message.strip().splitlines()) == 1
    if most == 0:
        command += ["--topic-column", "Vorgang", "--system-column", "Wer", "--score-column", "Punkte"]
    for _ in range(3):  # one column is asked about at a time
        if most:
            pasted = options(message, most)
            assert pasted, message
            command = (
                [word for word in command if word not in ("--missing", "error")]
                if "--missing" in pasted
                else command
            )
            command += pasted
        code = run(command)
        message = capsys.readouterr().err
        if code == 0:
            break
    assert code == 0, message
    table = read_scores(tmp_path / "out.csv", missing="model")
    assert table.m == 2
    assert 2 <= table.n <= 8


PROMPTED = {
    ("topic", "prompt"): [{"facet": "prompt"}, {"run_column": "prompt"}],
    ("case_id", "prompt"): [{"topic_column": "case_id", "facet": "prompt"}, {"run_column": "case_id"}],
    ("topic", "tone"): [{"facet": "tone"}, {"run_column": "tone"}, {"data_set_column": "tone"}],
    ("topic", "prompt", "run"): [{"facet": "prompt"}],
}


@pytest.mark.parametrize("head", PROMPTED)
@pytest.mark.parametrize("is_wide", [False, True])
def test_prompts_that_all_topics_share_are_a_facet(write, head, is_wide):
    """The data say what a column is not: neither topics nor data sets. All offers read the table."""
    runs = "01" if "run" in head else ""
    cells = [
        (",".join([f"q{t}", p, *[r] * bool(r)]), [(t + 2 * s) % 7 / 8 for s in range(4)])
        for t in range(8)
        for p in ("plain", "cot", "json")
        for r in runs or [""]
    ]
    if is_wide:
        lines = [f"{of},{','.join(map(str, scores))}" for of, scores in cells]
    else:
        lines = [f"{of},s{s},{score}" for of, scores in cells for s, score in enumerate(scores)]
    names = "s0,s1,s2,s3" if is_wide else "model,score"
    path = write("a.csv", rows(f"{','.join(head)},{names}", *lines))
    if is_wide and runs:  # the runs are asked about first
        with pytest.raises(InputError, match="run_column='run'"):
            read_scores(path)
    given = {"run_column": "run"} if is_wide and runs else {}
    with pytest.raises(InputError, match="distinguishes them") as asked:
        read_scores(path, **given)
    ways = [
        {**way, **({"facet": way["facet"][0]} if "facet" in way else {})} for way in offers(str(asked.value))
    ]
    assert ways[: len(PROMPTED[head])] == PROMPTED[head]
    for way in PROMPTED[head]:
        table = read_scores(path, **given, **way)
        expected = {"data_set_column": (24, 3), "run_column": (3 if head[0] == "case_id" else 8, 1)}
        assert (table.n, table.k) == expected.get(next(iter(way)), (8, 1))


@pytest.mark.parametrize("name", EDITS)
def test_the_edit_that_the_message_names_works(write, capsys, tmp_path, name):
    text, says, edited = EDITS[name]
    out = ["-o", str(tmp_path / "out.csv")]
    assert run(["import", "auto", write("a.csv", text), *out]) == 2
    message = capsys.readouterr().err
    assert says in message
    command = ["import", "auto", write("b.csv", edited(text)), *out, *options(message, 1)]
    assert run(command) == 0, capsys.readouterr().err
    assert read_scores(tmp_path / "out.csv", missing="model").m == 2


@pytest.mark.parametrize("name", ONE_LINE)
def test_what_is_no_table_of_scores_is_called_what_it_is(write, capsys, name):
    text, says = ONE_LINE[name]
    assert run(["assess", write("a.csv", text)]) == 2
    message = capsys.readouterr().err
    assert says in message
    assert len(message.strip().splitlines()) == 1


@pytest.mark.parametrize("head", ["my case", "it's", "-x", "`x`"])
def test_any_name_can_be_pasted(write, capsys, tmp_path, head):
    quoted = '"' + head.replace('"', '""') + '"'
    path = write("a.csv", wide(f"{quoted},a,b", lambda t: f"{t},{score(t, 0)},{score(t, 1)}"))
    command = ["import", "auto", path, "-o", str(tmp_path / "out.csv")]
    assert run(command) == 2
    message = capsys.readouterr().err
    start = message.index("--topic-column")
    words = shlex.split(message[start : message.index(" if they are")])
    assert run([*command, *words]) == 0
    assert read_scores(tmp_path / "out.csv").systems == ("a", "b")
