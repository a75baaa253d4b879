"""`truerank gate --sequential`, `--looks`, `--state` and `--anchor`: what they say, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank._support.outputs import Outputs
from truerank.cli import run
from truerank.comparison.sequential import sequential_gate
from truerank.errors import InputError
from truerank.report.charts.style import COLUMN
from truerank.report.views import view


def table(path: Path, x: np.ndarray, names: tuple[str, ...] = ("old", "new"), first: int = 0) -> str:
    rows = [",".join([f"t{t}", *map(str, row)]) for t, row in enumerate(x.tolist(), first)]
    path.write_text("\n".join([",".join(["topic", *names]), *rows]) + "\n", encoding="utf-8")
    return str(path)


def arms(n: int = 120, shift: float = 0.0, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    old = rng.beta(2, 3, n)
    return np.column_stack([old, (old + rng.normal(shift, 0.1, n)).clip(0, 1)]).round(4)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run(["gate", *arguments, "--json", "-"]) in (0, 4)
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_the_command_is_a_monitor(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms(shift=0.06)
    found = document(capsys, table(folder / "s.csv", x), "--sequential", "--range", "0,1", "--margin", "0.05")
    monitor = truerank.Monitor(margin=0.05)
    for t, (a, b) in enumerate(x.tolist()):
        monitor.update(f"t{t}", a, b)
    assert (found["verdict"], found["low"], found["high"]) == (monitor.verdict, monitor.low, monitor.high)
    assert found["difference"] == pytest.approx(float((x[:, 1] - x[:, 0]).mean()))
    how = found["sequential"]
    assert isinstance(how, dict)
    assert (how["method"], how["looks"], how["rounds"]) == ("betting", None, 120)
    evidence = monitor.course().log_evidence()
    assert evidence is not None
    above, within, beyond, below = (2 * np.exp(-one.max()) for one in evidence)
    assert found["p_value"] == pytest.approx(min(above, below, 1))
    assert found["p_margin"] == pytest.approx(min(within, beyond, 1))
    assert found["p_adjusted"] == found["p_value"]
    assert (found["p_margin"] <= 0.05) == (monitor.verdict in ("better", "pass", "fail"))  # type: ignore[operator]


def test_a_state_goes_on_with_the_same_bytes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms(90)
    options = ["--sequential", "--range", "0,1", "--margin", "0.02"]
    whole = document(capsys, table(folder / "all.csv", x), *options, "--state", "whole.json")
    table(folder / "1.csv", x[:40])
    table(folder / "2.csv", x[:70])
    table(folder / "3.csv", x[70:], first=70)  # the new topics alone
    for name in ("1.csv", "2.csv", "2.csv", "3.csv"):
        parts = document(capsys, name, *options, "--state", "parts.json")
    assert (folder / "parts.json").read_bytes() == (folder / "whole.json").read_bytes()
    assert parts["low"] == pytest.approx(whole["low"], rel=1e-9)
    assert parts["topics"] == 90


def test_a_changed_past_is_refused_and_the_state_stays(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = arms(30)
    options = ["--sequential", "--range", "0,1", "--state", "s.json"]
    assert run(["gate", table(folder / "s.csv", x), *options]) in (0, 4)
    before = (folder / "s.json").read_bytes()
    x[7, 1] = 0.5
    capsys.readouterr()
    for scores, more, said in (
        (table(folder / "t.csv", x), [], "topic 't7' came with the scores"),
        ("s.csv", ["--margin", "0.01"], "started with margin 0, not 0.01"),
        ("s.csv", ["--looks", "10,20"], "give one"),
    ):
        assert run(["gate", scores, *options, *more]) == 2
        assert said in capsys.readouterr().err
        assert (folder / "s.json").read_bytes() == before


def test_a_state_knows_its_baseline_and_measure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms(30)
    options = ["--sequential", "--range", "0,1", "--state", "s.json"]
    assert run(["gate", table(folder / "1.csv", x), *options, "-m", "AP"]) in (0, 4)
    out = capsys.readouterr()
    assert out.err.count("s.json") == 1
    before = (folder / "s.json").read_bytes()
    weak = table(folder / "2.csv", arms(30, 0.3), names=("weak", "new"), first=30)
    same = table(folder / "3.csv", arms(30, 0.3), first=30)
    for scores, measure, message in (
        (weak, "AP", "s.json: the state was started with baseline old, not weak"),
        (same, "P@10", "s.json: the state was started with measure AP, not P@10"),
    ):
        assert run(["gate", scores, *options, "-m", measure]) == 2
        assert message in capsys.readouterr().err
        assert (folder / "s.json").read_bytes() == before
    monitor = truerank.Monitor(candidates=["new"])  # as a caller in Python may have made it
    monitor.save("s.json")
    assert run(["gate", same, *options]) == 2
    assert "started with baseline unknown, not old" in capsys.readouterr().err
    assert run(["gate", same, *options[:-1], "3.json"]) in (0, 4)
    assert run(["gate", same, *options[:-1], "3.json"]) in (0, 4)
    assert capsys.readouterr().err.splitlines() == ["truerank: wrote 3.json", "truerank: replaced 3.json"]


def test_a_state_that_another_command_changed_is_kept(folder: Path) -> None:
    (folder / "s.json").write_text("older")

    def replace() -> None:
        outputs = Outputs()
        outputs.state("s.json", "--state")
        (folder / "s.json").write_text("of another")
        outputs.add("s.json", "mine")

    with pytest.raises(InputError, match=r"^s\.json: changed since it was read"):
        replace()
    assert [(one.name, one.read_text(encoding="utf-8")) for one in folder.iterdir()] == [
        ("s.json", "of another")
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sequential"], "or write --looks 10,20,40 in place of --sequential"),
        (["--sequential", "--range", "x"], "takes numbers with commas"),
        (["--sequential", "--range", "0,0.2"], "outside of 0 to 0.2"),
        (["--looks", "100,50"], "increasing numbers"),
        (["--sequential", "--anchor", "release.csv"], "--anchor is for one look"),
        (["--sequential", "--generalize-to", "data-sets"], "leave out"),
        (["--anchor", "none.csv"], "none.csv"),
    ],
)
def test_options_that_do_not_go_together(
    arguments: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gate", table(folder / "s.csv", arms(20)), *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_sorted_topics_are_found() -> None:
    x = arms(100)
    order = np.argsort(x[:, 1] - x[:, 0])
    assert "sorted" in " ".join(sequential_gate(x[order], range=(0, 1)).decisions[0].warnings)
    assert not sequential_gate(x, range=(0, 1)).decisions[0].warnings


def test_data_sets_take_turns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = arms(50, 0.1)
    lines = ["topic,system,score,data_set"]
    for t, row in enumerate(x.tolist()):
        name = "nq" if t < 30 else "fiqa"
        lines += [f"t{t},{system},{score},{name}" for system, score in zip(("old", "new"), row, strict=True)]
    (folder / "long.csv").write_text("\n".join(lines) + "\n")
    found = document(capsys, "long.csv", "--sequential", "--range", "0,1")
    how = found["sequential"]
    assert isinstance(how, dict)
    assert (how["rounds"], how["waiting"], found["topics"]) == (20, 10, 40)
    d = x[:, 1] - x[:, 0]
    assert found["difference"] == pytest.approx((d[:20].mean() + d[30:50].mean()) / 2)


def test_an_anchor_is_the_baseline_at_its_share_of_the_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x = arms(60)
    table(folder / "release.csv", np.column_stack([x[::-1, 0], x[::-1, 0] / 2]), ("ours", "other"))
    (folder / "release.csv").write_text(
        "topic,ours,other\n" + "".join(f"t{t},{row[0]},{row[0] / 2}\n" for t, row in enumerate(x.tolist()))
    )
    (folder / "now.csv").write_text(
        "topic,ours\n" + "".join(f"t{t},{row[1]}\n" for t, row in enumerate(x.tolist()))
    )
    options = ["--anchor", "release.csv", "--baseline", "ours", "--margin", "0.05", "--level", "0.99875"]
    found = document(capsys, "now.csv", *options)
    plain = truerank.gate(x, margin=0.05, level=1 - 0.05 / 40)
    assert found["baseline"] == "ours (release.csv)"
    assert (found["low"], found["high"]) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert "no level holds for a chain of passes" in " ".join(found["warnings"])  # type: ignore[arg-type]
    assert run(["gate", "now.csv", "--anchor", "release.csv", "--baseline", "theirs"]) == 2
    assert "unknown system of the release" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("came", "counted", "said"),
    [
        (30, 30, "no bound before the first look at 40"),
        (50, 40, "10 more topics came since: they count at the next look, at 80."),
        (81, 80, "1 more topic came since: all planned looks are made, so they do not count."),
    ],
)
def test_numbers_beside_each_other_are_of_the_topics_of_the_last_look(
    came: int, counted: int, said: str
) -> None:
    x = arms(came, 0.005)
    found = sequential_gate(x, looks=(40, 80))
    (one,) = found
    means = x[:counted].mean(axis=0)
    assert (one.baseline_mean, one.candidate_mean) == pytest.approx(tuple(means))
    assert one.difference == pytest.approx(means[1] - means[0]) == found.monitor.difference
    assert (one.topics, one.sequential.rounds, one.sequential.waiting) == (counted, counted, came - counted)
    assert one.sizes.tolist() == [look for look in (40, 80) if look <= came]
    assert said in " ".join(view(found).answer)
    assert len(view(found).answer) <= 5


def test_with_a_state_topics_count_as_they_came(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A shuffled file changes nothing: topics of the state come first, in their order."""
    x = arms(60, 0.05)
    options = ["--sequential", "--range", "0,1", "--state", "s.json"]
    first = document(capsys, table(folder / "a.csv", x[:40]), *options)
    shuffled = np.random.default_rng(2).permutation(60)
    lines = (folder / "a.csv").with_name("b.csv")
    whole = Path(table(lines, x)).read_text(encoding="utf-8").splitlines()
    lines.write_text("\n".join([whole[0], *(whole[1 + t] for t in shuffled)]) + "\n", encoding="utf-8")
    assert run(["gate", str(lines), *options]) in (0, 4)
    out = " ".join(capsys.readouterr().out.split())
    assert "in the order in which they came: 40 of the state, then 20 new in the order of the file." in out
    assert first["topics"] == 40
    came = json.loads(Path("s.json").read_text(encoding="utf-8"))["topics"]
    assert [one[0] for one in came] == [
        *(f"t{t}" for t in range(40)),
        *(f"t{t}" for t in shuffled if t >= 40),
    ]
    assert run(["gate", str(lines), *options]) in (0, 4)
    assert "60 of the state, none is new." in " ".join(capsys.readouterr().out.split())


def test_new_topics_alone_take_the_range_of_their_state(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of the new ones may be right or wrong by chance; what the state was started with holds."""
    halves = table(folder / "a.csv", np.random.default_rng(1).integers(0, 3, (30, 2)) / 2)
    answers = table(
        folder / "b.csv", np.random.default_rng(2).integers(0, 2, (30, 2)).astype(float), first=30
    )
    options = ["--sequential", "--state", "s.json"]
    document(capsys, halves, *options, "--range", "0,2")
    assert document(capsys, answers, *options)["sequential"]["range_high"] == 2  # type: ignore[index]
    other = [*options[:-1], "t.json"]
    assert document(capsys, answers, *other)["sequential"]["range_high"] == 1  # type: ignore[index]
    assert document(capsys, halves, *other)["topics"] == 60


@pytest.mark.parametrize("words", [("True", "False"), ("1", "0"), ("true", "false")])
def test_right_and_wrong_answers_have_a_range(words: tuple[str, str], folder: Path) -> None:
    """However they are written, and in the means of several runs or prompts too."""
    rng = np.random.default_rng(3)
    rows = [
        f"q{t},{system},{run},{words[int(rng.random() < 0.5)]}"
        for t in range(40)
        for system in ("old", "new")
        for run in range(3)
    ]
    Path("s.csv").write_text("\n".join(["question,model,run,score", *rows]) + "\n", encoding="utf-8")
    Path("f.csv").write_text("\n".join(["question,model,prompt,score", *rows]) + "\n", encoding="utf-8")
    assert sequential_gate(truerank.read_scores("s.csv")).monitor.range == (0, 1)
    of_prompts = truerank.read_scores("f.csv", facet="prompt")
    assert not np.isin(of_prompts.values, (0, 1)).all()
    assert sequential_gate(of_prompts).monitor.range == (0, 1)


@pytest.mark.parametrize(
    ("n", "shift", "looks"),
    [(90, 0.1, None), (90, -0.2, (12, 37, 60, 90, 300))],
)
def test_the_picture_has_the_bounds_of_every_look_and_where_the_verdict_fell(
    n: int, shift: float, looks: tuple[int, ...] | None
) -> None:
    """They are those of a gate on so many topics, and the verdict came at the first that had one."""
    x = arms(n, shift)
    (one,) = sequential_gate(x, margin=0.05, range=(0, 1), looks=looks)
    assert one.verdict != "undecided"
    decided = one.sequential.decided
    assert decided is not None
    for t in {12, 37, decided - 1, decided, n}:
        (then,) = sequential_gate(x[:t], margin=0.05, range=(0, 1), looks=looks).decisions
        assert (then.verdict == one.verdict) == (t >= decided)
        if t in one.sizes:
            place = one.sizes.tolist().index(t)
            ends = sorted([then.low, -0.05, 0.0]), sorted([then.high, -0.05])
            assert one.lows[place] == pytest.approx(then.low) or one.lows[place] in pytest.approx(ends[0])
            assert one.highs[place] == pytest.approx(then.high) or one.highs[place] in pytest.approx(ends[1])
    assert decided in one.sizes
    spec = view(sequential_gate(x, margin=0.05, range=(0, 1), looks=looks)).figures[0].draw(COLUMN)
    assert f'"said": "{one.verdict} after {decided:,}"' in json.dumps(spec)


def test_the_remedies_of_scores_without_a_range_work(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = table(folder / "s.csv", arms(60) * 10)
    assert run(["gate", scores, "--sequential", "--margin", "0.5"]) == 2
    said = capsys.readouterr().err
    assert "Give them with --range LOW,HIGH, or write --looks 30,60,120 in place of --sequential" in said
    assert run(["gate", scores, "--looks", "30,60,120", "--margin", "0.5"]) in (0, 4)
    assert run(["gate", scores, "--sequential", "--range", "0,10", "--margin", "0.5"]) in (0, 4)
