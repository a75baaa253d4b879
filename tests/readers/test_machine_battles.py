"""People's battles joined to a machine's: what is matched, left out and refused; and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run
from truerank.errors import InputError, UnknownNameError
from truerank.readers import read_scores, with_machine

SYSTEMS = ["A", "B", "C", "D"]


def tables(prompts: int = 60, human: int = 20, each: int = 12) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Battles by people on the last prompts, and by a machine, which likes system B, on all."""
    rng = np.random.default_rng(5)
    own = rng.normal(0, 0.8, (prompts, 4)) + np.linspace(0.6, -0.6, 4)
    found = []
    for at, first in ((own, prompts - human), (own + np.array([0, 1.6, 0, 0]), 0)):
        t = np.repeat(np.arange(first, prompts), each)
        a, b = np.array([rng.permutation(4)[:2] for _ in t]).T
        won = rng.uniform(size=len(t)) < 1 / (1 + np.exp(at[t, b] - at[t, a]))
        sides = {"model_a": np.array(SYSTEMS)[a], "model_b": np.array(SYSTEMS)[b]}
        who = np.where(won, "model_a", "model_b")
        found.append(pd.DataFrame({"prompt": [f"q{k}" for k in t]} | sides | {"winner": who}))
    return found[0], found[1]


PEOPLE, MACHINE = tables()


def test_prompts_are_matched_by_name_and_no_battle_is_lost() -> None:
    both = with_machine(PEOPLE, MACHINE)
    assert both.machine is not None
    assert both.machine.battles is not None
    assert both.battles is not None
    assert (both.n, both.m, both.machine.count, both.noun) == (20, 4, 60, "prompt")
    assert [both.machine.topics[t] for t in both.machine.matched] == list(both.topics)
    for frame, battles, names in (
        (PEOPLE, both.battles, both.topics),
        (MACHINE, both.machine.battles, both.machine.topics),
    ):
        said = {1.0: "model_a", 0.0: "model_b", 0.5: "tie"}
        held = [
            (names[c], both.systems[a], both.systems[b], said[y])
            for c, a, b, y in zip(
                battles.clusters, battles.first, battles.second, battles.outcomes, strict=True
            )
        ]
        assert sorted(held) == sorted(map(tuple, frame.to_numpy().tolist()))


def test_a_system_of_one_judge_alone_goes_with_its_battles() -> None:
    people = pd.concat([PEOPLE, PEOPLE.head(40).assign(model_a="E", model_b="A")])
    machine = pd.concat([MACHINE, MACHINE.head(30).assign(model_a="F", model_b="G")])
    found, plain = with_machine(people, machine), with_machine(PEOPLE, MACHINE)
    assert found.fingerprint() == plain.fingerprint()
    assert [note for note in found.warnings if "left out" in note] == [
        "1 system left out, not among the machine’s battles: E",
        "2 systems left out, not among the human battles: F, G",
    ]
    with pytest.raises(InputError, match="the machine did not judge system 'E'"):
        truerank.assess(people, "eb", machine=machine, baseline="E")
    with pytest.raises(UnknownNameError):
        truerank.assess(people, "eb", machine=machine, baseline="nobody")


def test_few_prompts_may_be_missing_and_many_are_refused() -> None:
    found = with_machine(PEOPLE, MACHINE[MACHINE["prompt"] != "q59"])
    assert found.n == 19
    assert found.topics == with_machine(PEOPLE[PEOPLE["prompt"] != "q59"], MACHINE).topics
    assert any("1 of the 20 prompts that people judged left out" in note for note in found.warnings)
    with pytest.raises(InputError, match="the machine lacks 10 of the 20 prompts that people judged"):
        with_machine(PEOPLE, MACHINE[~MACHINE["prompt"].isin([f"q{k}" for k in range(50, 60)])])
    one = with_machine(PEOPLE, MACHINE[MACHINE["prompt"].isin([f"q{k}" for k in range(39, 60)])])
    assert one.machine is not None
    assert one.machine.count == 20
    assert "prompt 'q39' left out" in " ".join(one.warnings)


def test_prompts_of_one_battle_each_are_matched_too() -> None:
    people, machine = (one.drop_duplicates("prompt") for one in tables(400, 150, 1))
    both = with_machine(people, machine)
    assert (both.n, both.machine.count) == (150, 400)
    found = truerank.assess(people, "eb", machine=machine, draws=200)
    assert found.machine is not None
    assert (found.machine.human_topics, found.machine.machine_topics) == (150, 400)


def voted(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(user=[f"u{k % 9}" for k in range(len(frame))])


WHOLE = truerank.ScoreMatrix.build(np.random.default_rng(1).random((20, 4)), systems=SYSTEMS)
SURE = MACHINE[~((MACHINE["winner"] == "model_b") & (MACHINE["model_b"] == "A"))]
SURE = SURE[~((SURE["winner"] == "model_a") & (SURE["model_a"] == "A"))]


@pytest.mark.parametrize(
    ("people", "machine", "said"),
    [
        (PEOPLE.drop(columns="prompt"), MACHINE, "that people judged have no prompts.*topic_column"),
        (PEOPLE, MACHINE.drop(columns="prompt"), "that the machine judged have no prompts"),
        (voted(PEOPLE), MACHINE, "that people judged are those of many voters.*ignore_columns=\\['user'\\]"),
        (PEOPLE, voted(MACHINE), "that the machine judged are those of many voters"),
        (MACHINE, PEOPLE, "among the \\d+ that people judged. If the files are the wrong way around"),
        (PEOPLE, WHOLE, "the machine’s are scores, and the human ones battles; give both alike"),
        (WHOLE, MACHINE, "the machine’s are battles, and the human ones scores"),
        (PEOPLE.assign(prompt="x" + PEOPLE["prompt"]), MACHINE, "judged none of the prompts that people"),
        (PEOPLE[PEOPLE["prompt"].isin(["q58", "q59"])], MACHINE, "people judged 2 prompts only"),
        (PEOPLE.replace(dict.fromkeys(SYSTEMS, "x")).assign(model_b="y"), MACHINE, "share no system"),
        (PEOPLE, SURE, "on the prompts that people judged too, 'A' never won or tied"),
        (
            PEOPLE,
            pd.concat([MACHINE[MACHINE["prompt"].isin(PEOPLE["prompt"])], SURE[SURE["prompt"] < "q4"]]),
            "on the prompts that people did not judge, 'A' never won or tied",
        ),
    ],
)
def test_what_cannot_be_joined_is_refused_in_one_line(people: Any, machine: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        truerank.assess(people, "eb", machine=machine, draws=64)
    assert "\n" not in str(error.value)
    assert "draw_prior" not in str(error.value)


def test_voters_left_out_by_name_are_no_matter() -> None:
    people = read_scores(voted(PEOPLE), ignore_columns=["user"])
    assert with_machine(people, MACHINE).fingerprint() == with_machine(PEOPLE, MACHINE).fingerprint()


def test_gates_plans_and_comparisons_take_no_two_judges_of_battles() -> None:
    both = with_machine(PEOPLE, MACHINE)
    refused = "takes no battles by a machine beside people's; leave the machine's out, or use"
    with pytest.raises(InputError, match=f"a gate {refused}"):
        truerank.gate(both, "A", "B")
    with pytest.raises(InputError, match=f"a plan {refused}"):
        truerank.plan(both)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    voted(PEOPLE).to_csv(tmp_path / "voted.csv", index=False)
    PEOPLE.drop(columns="prompt").to_csv(tmp_path / "bare.csv", index=False)
    MACHINE.to_csv(tmp_path / "machine.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_says_what_the_machine_adds(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = ["--html", "page.html", "--json", "out.json", "--csv", "tables", "--quiet"]
    asked = ["assess", "people.csv", "--machine", "machine.csv", "--estimator", "eb", "--draws", "200"]
    assert run([*asked, *written]) == 0
    assert run([*asked, "--details"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    found = truerank.assess("people.csv", "eb", machine="machine.csv", draws=200)
    judge = found.machine
    assert judge is not None
    assert "in 240 battles on 20 prompts judged by people and 480 on 40 more judged by a machine is" in text
    assert f"The machine’s battles make 20 human prompts count as {judge.effective_topics:.0f}" in text
    assert f"weight λ is {judge.scale:.2f}" in text
    assert "B" in [one.system for one in judge.over_scored]
    assert "Bias: the machine’s strength minus people’s, on 20 prompts" in text
    document = json.loads((files / "out.json").read_text())
    assert document["machine"]["lambda"] == pytest.approx(judge.scale, abs=1e-12)
    assert (document["machine"]["human_topics"], document["machine"]["machine_topics"]) == (20, 60)
    assert document["arena"]["battles"] == 240
    page = (files / "page.html").read_text()
    assert "prompts with battles judged by a machine" in page
    assert 'id="machine"' in page
    ranked = {one.system: one.win_rate for one in found.ranking}
    theta = {one.system: one.mean for one in found.ranking}
    for one in SYSTEMS:
        others = [1 / (1 + np.exp(theta[two] - theta[one])) for two in SYSTEMS if two != one]
        assert ranked[one] == pytest.approx(np.mean(others))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["assess", "bare.csv"], "bare.csv: the battles that people judged have no prompts"),
        (["assess", "voted.csv"], "--ignore-column"),
        (["assess", "people.csv", "--pairs-alike"], "--pairs-alike is not for battles beside a machine's"),
        (["gate", "people.csv", "--baseline", "A", "--candidate", "B"], "people.csv: a gate takes no"),
        (["plan", "people.csv", "--tau", "0.9"], "people.csv: a plan takes no battles by a machine"),
        (["compare", "people.csv"], "people.csv: these are battles"),
    ],
)
def test_the_commands_refuse_in_one_line(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run([*arguments, "--machine", "machine.csv"]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_voters_can_be_ignored_on_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--machine", "machine.csv", "--estimator", "eb", "--draws", "64", "--json", "-"]
    found = []
    for file, more in (("people.csv", []), ("voted.csv", ["--ignore-column", "user"])):
        assert run(["assess", file, *asked, *more]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["ranking"] == found[1]["ranking"]


def test_a_board_has_the_strengths_of_the_assessment() -> None:
    both = with_machine(PEOPLE, MACHINE)
    found, board = truerank.assess(both, "eb", draws=500), truerank.board(both, draws=500)
    shown = [(one.system, one.score, one.rank_low, one.rank_high) for one in board.systems]
    assert shown == [(one.system, one.mean, one.rank_low, one.rank_high) for one in found.ranking]
