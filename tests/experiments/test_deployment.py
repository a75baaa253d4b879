"""The files in `deploy/`: no engine runs them here, so their commands, paths and options are checked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def documents(name: str) -> list[Any]:
    yaml = pytest.importorskip("yaml")
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def accepted(words: list[str]) -> None:
    """Parse a command line as its program would, without doing what it says."""
    if words[0] == "dask":
        distributed = {
            "scheduler": pytest.importorskip("distributed.cli.dask_scheduler").main,
            "worker": pytest.importorskip("distributed.cli.dask_worker").main,
        }
        distributed[words[1]].make_context(words[1], words[2:])
    else:
        from truerank.cli.experiment import COMMANDS

        assert words[:2] == ["truerank", "experiment"]
        command: Any = COMMANDS.find(words[2])
        command.values(*command.split(words[3:]))


def commands() -> Iterator[list[str]]:
    """Every command line of the files."""
    services = documents("compose.yaml")[0]["services"]
    for service in services.values():
        yield [*service.get("entrypoint", []), *service["command"]]
    for document in documents("kubernetes.yaml"):
        for container in pods([document]):
            yield [*container["command"], *container.get("args", [])]
    script = (DEPLOY / "slurm.sh").read_text().replace("\\\n", " ")
    for line in re.findall(r"^(?:srun --output=\S+ )?(dask .*?)(?: 2>.*)? &$", script, re.MULTILINE):
        yield shlex.split(line)
    run = re.search(r"^truerank .*$", script, re.MULTILINE)
    assert run is not None
    yield shlex.split(run[0].replace('"$@"', "estimators adhoc6_ap.csv -o results"))
    for line in re.findall(r"run --rm client \\\n#\s+(.*)", (DEPLOY / "compose.yaml").read_text()):
        yield ["truerank", *shlex.split(line)]


def pods(found: list[Any]) -> list[Any]:
    """The containers of pods."""
    templates = [one["spec"]["template"]["spec"] for one in found if "template" in one["spec"]]
    return [container for pod in templates for container in pod["containers"]]


def test_every_command_line_is_one_that_its_program_takes() -> None:
    lines = list(commands())
    assert len(lines) == 10
    for line in lines:
        accepted(line)


def test_what_the_image_copies_is_there_and_let_through() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    copied = [word for line in re.findall(r"^COPY (.*)$", text, re.MULTILINE) for word in line.split()[:-1]]
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    assert copied == ["pyproject.toml", "constraints.txt", "README.md", "LICENSE", "src"]
    assert all((ROOT / path).exists() for path in copied)
    assert [line[1:] for line in ignored if line.startswith("!")] == copied
    users = re.findall(r"^USER (\d+)$", text, re.MULTILINE)
    assert users == ["10001"]  # a number, so that Kubernetes sees that it is not root
    assert re.findall(r"^FROM (.*)$", text, re.MULTILINE) == ["python:3.12-slim"]
