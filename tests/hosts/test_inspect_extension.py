"""The extension of inspect_ai, found by its entry point in the real package's environment."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

TASK = '''
import random
from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import solver

@solver
def knowing(share):
    """Answers without a model, so that no network is needed."""
    async def solve(state, generate):
        right = random.Random(f"{share} {state.sample_id}").random() < share
        state.output = ModelOutput.from_content("mockllm/model", state.target.text if right else "no")
        return state
    return solve

@task
def arithmetic(share):
    samples = [Sample(id=f"q{i}", input=f"{i}+1?", target=str(i + 1)) for i in range(40)]
    return Task(dataset=samples, solver=knowing(share), scorer=match())

for name, share in (("small", 0.3), ("middle", 0.6), ("large", 0.9)):
    eval(arithmetic(share), model=f"mockllm/{name}", display="plain", log_dir="logs")
'''


@pytest.mark.packaging
@pytest.mark.validation
def test_a_run_is_compared_with_earlier_logs(tmp_path: Path) -> None:
    """One model, then a verdict on two, then an assessment of three, with the page."""
    place = tmp_path / "env"
    venv.create(place, with_pip=True)
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [python, "-m", "pip", "install", "--quiet", f"{ROOT}[plots,parquet]", "inspect_ai==0.3.285"]
    if subprocess.run(install, capture_output=True, check=False).returncode:
        pytest.skip("inspect_ai cannot be installed here")
    (tmp_path / "task.py").write_text(TASK, encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [python, "task.py"], cwd=tmp_path, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = done.stdout.split("truerank, arithmetic:")[1:]
    assert len(answers) == 3
    assert "1 model so far (mockllm/small)" in answers[0]
    assert "BETTER: mockllm/middle against mockllm/small, match, 40 questions" in answers[1]
    assert "ranking of 3 systems by match on 40 questions" in answers[2]
    assert [path.name for path in (tmp_path / "logs" / "truerank").glob("*.html")] == ["arithmetic.html"]
