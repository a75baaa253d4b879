"""Battles in every form that is read say the same; what cannot be read is refused in one line."""

from __future__ import annotations

import itertools
import json
import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from truerank import assess, gate, read_scores
from truerank.cli import main, run
from truerank.errors import InputError
from truerank.readers import battles as reading
from truerank.reliability.means import means_of
from truerank.reliability.means.means_of import canonical_rows
from truerank.scores import ScoreMatrix

_RANDOM = random.Random(1)
BATTLES = [
    (f"q{q}", a, b, _RANDOM.choice([1, 0, 0.5]))
    for q in range(8)
    for a, b in itertools.permutations(["A", "B", "C", "D"], 2)
]

FRAME = pd.DataFrame(BATTLES, columns=["prompt", "model_a", "model_b", "outcome"])


def table(names: str, win: str, loss: str, tie: str, rows=BATTLES) -> str:
    said = {1: win, 0: loss, 0.5: tie}
    lines = [",".join([q, a, b, said[y].format(a=a, b=b)]) for q, a, b, y in rows]
    return "\n".join([names, *lines]) + "\n"


FORMS = {
    "arena": table("question_id,model_a,model_b,winner", "model_a", "model_b", "tie (bothbad)"),
    "evalica": table("prompt,agent1,agent2,winner", "agent1", "agent2", "tie"),
    "numbers": table("prompt,model_a,model_b,outcome", "1", "0", "0.5"),
    "halves": table("topic,player_a,player_b,outcome", "1.0", "0.0", "½"),
    "names": table("query,model_1,model_2,winner", "{a}", "{b}", "tie"),
    "mirrored": table(
        "prompt,model_a,model_b,winner", "a", "b", "draw", [(q, b, a, 1 - y) for q, a, b, y in BATTLES]
    ),
    "backwards": table("prompt,model_a,model_b,winner", "model_a", "model_b", "tie", BATTLES[::-1]),
}


SAID = {1: "model_a", 0: "model_b", 0.5: "tie"}
RECORDS = [
    {"question_id": i, "prompt": q, "model_a": a, "model_b": b, "winner": SAID[y], "turns": [{"x": 1}]}
    for i, (q, a, b, y) in enumerate(BATTLES)
]
SIDES = {1: "1,0,0", 0: "0,1,0", 0.5: "0,0,1"}
FORMS |= {
    "JSON": json.dumps(RECORDS),
    "JSON lines": "\n".join(map(json.dumps, RECORDS)),
    "verdicts of a judge": table("question_id,model_a,model_b,verdict", "[[A]]", "[[B]]", "[[C]]"),
    "degrees of a judge": table("question_id,model_a,model_b,verdict", "A>>B", "B>A", "A=B"),
    "Kaggle": "id,prompt,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    + "".join(f"{k},{q},{a},{b},{SIDES[y]}\n" for k, (q, a, b, y) in enumerate(BATTLES)),
}


@pytest.fixture(scope="module")
def expected() -> ScoreMatrix:
    return read_scores(FRAME)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_holds_the_same_battles(tmp_path: Path, name: str, expected) -> None:
    path = tmp_path / "battles.txt"
    path.write_text(FORMS[name])
    assert read_scores(path).fingerprint() == expected.fingerprint()


def test_shares_of_wins_are_counted_by_hand(expected) -> None:
    scores = expected
    wins = [y if a == "A" else 1 - y for q, a, b, y in BATTLES if q == "q0" and "A" in (a, b)]
    assert np.isclose(scores.values[:, scores.systems.index("A")], np.mean(wins)).any()
    assert (scores.n, scores.battles.unit, len(scores.battles.first)) == (8, "prompt", len(BATTLES))


def test_voters_count_beside_prompts_and_alone(tmp_path: Path) -> None:
    frame = FRAME.copy()
    frame["judge"] = [f"v{k % 7}" for k in range(len(frame))]
    both = read_scores(frame).battles
    assert (both.unit, both.voters.max()) == ("prompt", 6)
    alone = read_scores(frame.drop(columns="prompt")).battles
    assert (alone.unit, alone.clusters.max(), alone.voters) == ("voter", 6, None)
    frame["judge"] = ["gpt", "human"] * (len(frame) // 2)
    few = read_scores(frame)
    assert few.battles.voters is None
    assert any("only 2 voters" in note for note in few.warnings)


def test_many_prompts_are_dealt_whole(monkeypatch, expected) -> None:
    monkeypatch.setattr(reading, "MOST_UNITS", 3)
    frame = FRAME
    scores = read_scores(frame)
    assert scores.n == 3
    together = pd.DataFrame({"group": scores.battles.clusters, "prompt": frame["prompt"]})
    assert len(together.drop_duplicates()) == 8
    assert any("8 prompts were dealt at random to 3 groups" in note for note in scores.warnings)
    assert scores.battles.units == 8
    for group, name in enumerate(scores.topics):
        members = set(frame["prompt"][scores.battles.clusters == group].astype(str))
        first, _, more = name.removesuffix(" more").partition(" and ")
        assert first in members
        assert len(members) == 1 + int(more or 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (table("prompt,model_a,model_b,winner", "model_a", "perhaps", "tie"), "'perhaps' does not say who"),
        ("prompt,model_a,model_b,winner\nq,A,A,tie\n", "battles.csv:2: a battle of 'A' with itself"),
        ("prompt,model_a,model_b,winner\nq,,A,tie\n", "battles.csv:2: a battle without the name of a system"),
        ("prompt,model_a,model_b,winner,weight\nq,B,A,tie,0\n", "battles.csv:2: a battle needs a weight"),
        ("prompt,model_a,model_b,winner,count\nq,B,A,tie,1.5\n", "battles.csv:2: column 'count' holds 1.5"),
        ("prompt,model_a,model_b,winner\nq,B,A,\n", "no battle has an outcome"),
    ],
)
def test_what_is_no_battle_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "battles.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read_scores(path)


def test_columns_say_what_each_row_says(tmp_path: Path) -> None:
    rng = random.Random(2)
    cells = ["model_a", "model_b", "tie", " tie ", "", "n/a", "error", "a ", "1", "0.5"]
    rows = [
        (f"q{rng.randrange(9)}", *rng.sample(["A", " A", "B", "C ", "D"], 2), rng.choice(cells))
        for _ in range(400)
    ]
    rows = [row for row in rows if row[1].strip() != row[2].strip()]
    path = tmp_path / "arena.csv"
    path.write_text("\n".join(["question_id,model_a,model_b,winner", *map(",".join, rows)]) + "\n")
    scores = read_scores(path)
    held = scores.battles
    read = [
        (scores.topics[k], scores.systems[a], scores.systems[b], y)
        for k, a, b, y in zip(held.clusters, held.first, held.second, held.outcomes, strict=True)
    ]
    plain = [
        (q, a.strip(), b.strip(), reading.outcome(cell, a, b, "model_a", "model_b"))
        for q, a, b, cell in rows
        if cell not in ("", "n/a", "error")
    ]
    assert sorted(read) == sorted(plain)
    assert f"{len(rows) - len(plain)} battles without an outcome" in " ".join(scores.warnings)


@pytest.mark.parametrize(
    ("win", "loss", "tie"), [("A", "B", "tie"), ("[[A]]", "[[B]]", "C"), ("1", "0", "0.5")]
)
@pytest.mark.parametrize("names", ["ABCD", "012"])
def test_sides_called_like_systems_are_sides_in_every_row(tmp_path: Path, names, win, loss, tie) -> None:
    pairs = [*itertools.permutations(names, 2)] * 7
    rows = [(f"q{k}", a, b, (1, 0, 0.5)[k % 5 % 3]) for k, (a, b) in enumerate(pairs)]
    path = tmp_path / "battles.csv"
    path.write_text(table("prompt,model_a,model_b,outcome", win, loss, tie, rows))
    expected = read_scores(pd.DataFrame(rows, columns=["prompt", "agent_a", "agent_b", "outcome"]))
    plain = table("prompt,model_a,model_b,outcome", "model_a", "model_b", "tie", rows)
    assert read_scores(plain.encode()).fingerprint() == read_scores(path).fingerprint()
    assert expected.fingerprint() == read_scores(path).fingerprint()


def test_winners_by_name_stay_names_where_sides_are_called_so(tmp_path: Path) -> None:
    rows = [(f"q{k}", a, b, k % 2) for k, (a, b) in enumerate([*itertools.permutations("ABC", 2)] * 7)]
    path = tmp_path / "battles.csv"
    path.write_text(table("prompt,model_a,model_b,winner", "{a}", "{b}", "tie", rows))
    plain = table("prompt,model_a,model_b,winner", "model_a", "model_b", "tie", rows)
    assert read_scores(path).fingerprint() == read_scores(plain.encode()).fingerprint()
    for both in ("q1,A,B,A\nq2,B,A,A\n", "q1,B,A,B\n"):  # two systems: either reading fits
        path.write_text("prompt,model_a,model_b,winner\n" + both)
        with pytest.raises(InputError, match="may mean the system or the side; write model_a, model_b"):
            read_scores(path)
    path.write_text("prompt,model_a,model_b,winner\nq1,A,D,D\nq2,C,D,B\nq3,A,B,B\n")
    with pytest.raises(InputError, match=r"battles\.csv:3: 'B' does not say who won"):
        read_scores(path)


def test_counts_stand_for_battles(tmp_path: Path) -> None:
    """Counts per pair, as outcomes with a count or as wins of either side, are the battles one by one."""
    frame = FRAME.copy()
    single = read_scores(frame.drop(columns="prompt"))
    counted = frame.groupby(["model_a", "model_b", "outcome"]).size().rename("count").reset_index()
    wins = counted.pivot_table(
        index=["model_a", "model_b"], columns="outcome", values="count", fill_value=0
    ).reset_index()
    wins.columns = ["model_a", "model_b", "wins_b", "ties", "wins_a"]
    for source in (counted, wins):
        scores = read_scores(source)
        assert scores.battles.unit == "battle"
        assert scores.fingerprint() == single.fingerprint()
    assert any("counts of wins do not say which battles" in note for note in scores.warnings)


def test_weights_are_battles_that_count_more(tmp_path: Path) -> None:
    frame = FRAME.copy()
    twice = pd.concat([frame, frame[frame["prompt"] == "q3"]])
    frame["weight"] = np.where(frame["prompt"] == "q3", 2, 1)
    found, expected = (means_of(read_scores(one)) for one in (frame, twice))
    np.testing.assert_allclose(found.theta, expected.theta, atol=1e-12)
    covariances = [one.influences.T @ one.influences for one in (found, expected)]
    np.testing.assert_allclose(*covariances, atol=1e-12)


def test_several_files_of_battles_are_refused(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(
            table("prompt,model_a,model_b,outcome", "1", "0", "0.5", BATTLES)
        )
    for source in (tmp_path, sorted(tmp_path.iterdir())):
        with pytest.raises(InputError, match="several files of battles are not read as one"):
            read_scores(source)


OTHER_NAMES = {
    "left,right,winner": (["left", "right", "tie"], "'left' and 'right'"),
    "model_1,model_2,g1_winner,g2_winner": (
        ["model_1,tie", "model_2,tie", "tie,tie"],
        "'model_1' and 'model_2'",
    ),
}


@pytest.mark.parametrize("head", OTHER_NAMES)
def test_battles_with_other_columns_are_refused_with_those_that_are_read(tmp_path: Path, head: str) -> None:
    won, named = OTHER_NAMES[head]
    lines = [f"q{k % 8},{'ABC'[k % 3]},{'BCA'[k % 3]},{won[k % 2 + k % 5 // 4]}" for k in range(48)]
    path, records = tmp_path / "battles.csv", tmp_path / "battles.jsonl"
    path.write_text("\n".join([f"prompt,{head}", *lines]))
    frame = pd.read_csv(path)
    frame.to_json(records, orient="records", lines=True)
    for source in (path, records, frame):
        with pytest.raises(InputError) as refused:
            read_scores(source)
        assert f"these look like battles of {named}. Call these columns model_a and model_b" in str(
            refused.value
        )
        assert "\n" not in str(refused.value)


def test_winners_and_losers_and_battles_without_a_winner_are_refused(tmp_path: Path) -> None:
    lines = [f"q{k % 8},{'ABC'[k % 3]},{'BCA'[k % 3]}" for k in range(48)]
    path = tmp_path / "battles.csv"
    for names, says in (
        ("winner,loser", "'winner' and 'loser'. Call these columns model_a and model_b"),
        ("chosen,rejected", "'chosen' and 'rejected'. Call these columns model_a and model_b"),
        ("model_a,model_b", "'model_a' and 'model_b'. Add a column winner"),
    ):
        path.write_text("\n".join([f"prompt,{names}", *lines]))
        with pytest.raises(InputError, match=re.escape(says)):
            read_scores(path)


def test_prompts_and_voters_keep_their_names() -> None:
    frame = FRAME.copy()
    frame["judge"] = [f"v{k % 7}" for k in range(len(frame))]
    scores = canonical_rows(read_scores(frame))
    for c, q in enumerate(scores.topics):
        rows = scores.battles.clusters == c
        wins = sum(y if a == "A" else 1 - y for p, a, b, y in BATTLES if p == q and "A" in (a, b))
        mine = scores.battles.outcomes[rows & (scores.battles.first == 0)]  # A is first wherever it is
        assert mine.sum() == wins
    for v, name in enumerate(scores.battles.voter_names):
        assert (scores.battles.voters == v).sum() == (frame["judge"] == name).sum()


def test_a_table_of_x_and_y_that_are_scores_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("topic,x,y\nt1,0.2,0.4\nt2,0.3,0.5\nt3,0.1,0.4\n")
    assert read_scores(path).battles is None


@pytest.mark.parametrize("command", [["topics", "{}"], ["import", "auto", "{}", "-o", "{}.out.csv"]])
def test_other_commands_refuse_battles(tmp_path: Path, capsys, command: list[str]) -> None:
    path = tmp_path / "battles.csv"
    path.write_text(FORMS["arena"])
    with pytest.raises(SystemExit) as stopped:
        main([word.format(path) for word in command])
    assert stopped.value.code == 2
    message = capsys.readouterr().err
    assert "these are battles" in message
    assert len(message.strip().splitlines()) == 1
    assert not Path(f"{path}.out.csv").exists()


@pytest.mark.parametrize(
    "options",
    [{"drop_bottom": 0.2}, {"aggregate": "borda"}, {"missing": "zero"}, {"generalize_to": "data_sets"}],
)
def test_what_battles_have_no_answer_to_is_refused(tmp_path: Path, options) -> None:
    path = tmp_path / "battles.csv"
    path.write_text(FORMS["arena"])
    with pytest.raises(InputError):
        assess(path, **options)


def test_the_command_takes_how_battles_count(tmp_path: Path, capsys) -> None:
    path = tmp_path / "battles.csv"
    path.write_text(FORMS["arena"])
    options = ["--pairs-alike", "--draw-prior", "1", "--scale", "elo", "--draws", "100", "--json", "-"]
    assert run(["board", str(path), *options]) == 0
    board = json.loads(capsys.readouterr().out)
    expected = assess(path, "eb", draws=100, pairs_alike=True, draw_prior=1.0, scale="elo").ranking
    assert [row["score"] for row in board["systems"]] == pytest.approx([one.mean for one in expected])
    assert board["rule"] == "bradley-terry"


def test_options_of_battles_are_refused_of_scores() -> None:
    table = [[0.1, 0.2, 0.3], [0.2, 0.4, 0.1], [0.3, 0.1, 0.5]]
    for options in ({"pairs_alike": True}, {"draw_prior": 1.0}, {"scale": "elo"}):
        with pytest.raises(InputError, match="is for battles, and these are scores"):
            assess(table, **options)
    frame = FRAME.copy()
    with pytest.raises(InputError, match="draw_prior=… takes a number of 0 or more"):
        assess(frame, draw_prior=-1)


def test_a_table_of_wins_is_no_table_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "wins.csv"
    path.write_text(",A,B,C\nA,0,3,4\nB,2,0,5\nC,1,6,0\n")
    with pytest.raises(InputError, match=r"wins.csv:1: rows and columns have the same names.*wins_a"):
        read_scores(path)
    path.write_text("model_a,model_b,a_wins,b_wins\nA,B,3,2\nA,C,4,1\nB,C,5,6\n")
    assert len(read_scores(path).battles.first) == 21


def test_ids_that_occur_once_are_no_prompts_and_a_note_says_so() -> None:
    frame = FRAME.assign(prompt=[f"id{k}" for k in range(len(FRAME))])
    scores = read_scores(frame)
    assert scores.battles.unit == "battle"
    assert scores.reading.topics == "the rows"
    assert any(
        "every value of 'prompt' occurs once, so each battle counts as independent" in note
        for note in scores.warnings
    )
    by_voter = read_scores(frame.assign(judge=[f"v{k % 7}" for k in range(len(frame))]))
    assert by_voter.battles.unit == "voter"
    assert by_voter.reading.topics == "column 'judge'"
    assert read_scores(FRAME).reading.topics == "column 'prompt'"
    assert any("so errors allow for voters alone" in note for note in by_voter.warnings)


NEWCOMERS = pd.DataFrame(
    # E has won all of its 13 battles, 10 of them against F, which has no others.
    [("q0", "E", "F", 1.0)] * 10 + [("q0", "E", "A", 1.0)] * 3,
    columns=FRAME.columns,
)


def test_systems_with_few_battles_are_left_out_until_all_have_enough(tmp_path: Path, capsys) -> None:
    frame = pd.concat([FRAME, NEWCOMERS])
    scores, expected = read_scores(frame, min_battles=11), read_scores(FRAME)
    assert scores.systems == ("A", "B", "C", "D")  # without F, E has 3
    assert scores.fingerprint() == expected.fingerprint()
    assert any("2 systems with fewer than 11 battles left out, and with them 13 battles: E, F" in n
               for n in scores.warnings)  # fmt: skip
    path = tmp_path / "battles.csv"
    frame.to_csv(path, index=False)
    assert run(["assess", str(path), "--min-battles", "11", "--draws", "50", "--json", "-"]) == 0
    assert len(json.loads(capsys.readouterr().out)["ranking"]) == 4
    with pytest.raises(InputError, match="'E' has fewer than 11 battles"):
        gate(scores, baseline="A", candidate="E")
    with pytest.raises(InputError, match="no two systems have 1,000 battles each"):
        read_scores(frame, min_battles=1000)
    with pytest.raises(InputError, match="min_battles=2 is for battles, and these are scores"):
        read_scores([[0.1, 0.2], [0.3, 0.4]], min_battles=2)
    with pytest.raises(InputError, match="takes a number of at least 1"):
        read_scores(frame, min_battles=0)


def test_voters_keep_their_names_when_systems_are_left_out() -> None:
    frame = pd.concat(
        [NEWCOMERS.assign(judge="v0"), FRAME.assign(judge=[f"v{1 + k % 7}" for k in range(len(FRAME))])]
    )
    scores = read_scores(frame, min_battles=11)
    assert scores.battles.voter_names == tuple(f"v{k}" for k in range(1, 8))
    assert len(scores.battles.voter_names) == scores.battles.voters.max() + 1


def test_the_first_error_of_a_newcomer_names_the_remedy_that_works() -> None:
    frame = pd.concat([FRAME, NEWCOMERS])
    with pytest.raises(
        InputError, match=r"'E', 'F' have battles on fewer than two prompts; .*min_battles=14"
    ):
        assess(frame, "eb", draws=50)
    assert assess(read_scores(frame, min_battles=14), "eb", draws=50).scores.m == 4
    more = NEWCOMERS.assign(prompt="q1")
    with pytest.raises(InputError, match=r"'F' never won or tied against .*min_battles=…"):
        assess(pd.concat([frame, more]), "eb", draws=50)
    rare = read_scores(pd.concat([*[FRAME] * 5, NEWCOMERS[10:]]))
    assert any("min_battles=50 leaves it out" in note for note in rare.warnings)
    with pytest.raises(InputError, match="leave out those with few battles with min_battles="):
        assess(FRAME, drop_bottom=0.25)


def test_the_drawn_battles_that_the_error_names_are_enough(tmp_path, capsys) -> None:
    """Ten battles a system, one of which never won."""
    rng, lines = random.Random(1), ["prompt,model_a,model_b,winner"]
    for prompt, (one, other) in enumerate(list(itertools.combinations("abcde", 2)) * 2):
        winner = "model_a" if other == "e" else rng.choice(["model_a", "model_b"])
        lines.append(f"q{prompt % 8},{one},{other},{winner}")
    (tmp_path / "battles.csv").write_text("\n".join(lines))
    arguments = ["assess", str(tmp_path / "battles.csv"), "--quiet"]
    assert run(arguments) == 2
    named = re.search(r"--draw-prior \d+", capsys.readouterr().err)
    assert named is not None
    assert run([*arguments, *named[0].split(), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["ranking"][-1]["system"] == "e"
