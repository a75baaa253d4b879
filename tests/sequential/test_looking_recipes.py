"""The recipes for pytest and inspect_ai: at most twenty lines each, and they do what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import scipy.optimize  # noqa: F401  # pytester unloads what a test loads, and parts of NumPy load only once

import truerank
from validation.docs_pages import FENCE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "recipes" / "looking.md"
FIXTURE, TESTS, HOOK = (
    match[3] for match in FENCE.finditer(PAGE.read_text(encoding="utf-8")) if match[2] == ""
)

pytest_plugins = ["pytester"]


def lines(*texts: str) -> int:
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


@pytest.mark.validation
def test_the_fixture_stops_a_session_and_goes_on(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(FIXTURE)
    module = (
        "import pytest\nTOPICS = [f'q{t}' for t in range(COUNT)]\n"
        "old_score = lambda topic: 0.5\nnew_score = lambda topic: 0.9 + 0.01 * (len(topic) % 3)\n"
    )
    pytester.makepyfile(module.replace("COUNT", "5") + TESTS)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=5, failed=1)
    assert truerank.Monitor.load(pytester.path / "monitor.json").topics == 5
    pytester.makepyfile(module.replace("COUNT", "60") + TESTS)
    outcomes = pytester.runpytest_subprocess("-p", "no:cacheprovider").parseoutcomes()
    decided = truerank.Monitor.load(pytester.path / "monitor.json")
    assert decided.verdict in ("better", "pass")
    assert 5 < decided.topics < 60
    assert outcomes == {"passed": decided.topics + 1, "skipped": 60 - decided.topics}


def test_the_hook_stops_an_evaluation(tmp_path: Path) -> None:
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.solver import solver

    @solver
    def nothing() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            return state

        return solve

    @scorer(metrics=[mean()])
    def right() -> Any:
        async def score(state: Any, target: Any) -> Score:
            return Score(value=1.0 if int(state.sample_id) % 10 else 0.0)

        return score

    names: dict[str, Any] = {}
    exec(HOOK, names)
    monitor = truerank.Monitor(margin=0.05)
    data = MemoryDataset([Sample(input="x", target="y", id=k) for k in range(1, 301)])
    baseline = {k: float(k % 2) for k in range(1, 301)}
    hook = names["StopWhenDecided"](monitor, baseline)
    task = Task(dataset=data, solver=nothing(), scorer=right(), early_stopping=hook)
    (log,) = inspect_ai.eval(task, model="mockllm/model", display="none", log_dir=str(tmp_path))
    assert log.status == "success"
    assert monitor.verdict in ("better", "pass")
    assert monitor.topics < 60
    again = truerank.Monitor(margin=0.05)
    for k in range(1, monitor.topics + 1):
        again.update(str(k), baseline[k], 1.0 if k % 10 else 0.0)
    assert again.to_json() == monitor.to_json()
