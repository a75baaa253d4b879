"""Every public name is on one page of the API, and constants have examples that run too."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections import Counter
from typing import Any

import griffe
import pytest
from written import PAGES, ROOT, text_of

import truerank
from scripts.site.api import DIRECTIVE
from scripts.site.docstrings import DOCTEST, ROLE, Docstrings
from truerank.reliability.estimators import ESTIMATORS

HIDDEN = ("truerank._support", "truerank.cli", "truerank.experiments.studies", "truerank.report.charts")
"""Packages whose names users do not import."""


def public() -> dict[int, str]:
    """What is public, by its identity: one thing may have several names."""
    found = {}
    packages = [
        module.name for module in pkgutil.walk_packages(truerank.__path__, "truerank.") if module.ispkg
    ]
    for package in ("truerank", *packages):
        if not package.startswith(HIDDEN):
            module = importlib.import_module(package)
            for name in getattr(module, "__all__", ()):
                found[id(getattr(module, name))] = f"{package}.{name}"
    return found


def documented() -> list[str]:
    return [name for page in PAGES if page.startswith("api/") for name in DIRECTIVE.findall(text_of(page))]


def thing(path: str) -> Any:
    found, parts = truerank, path.split(".")
    for place, name in enumerate(parts[1:], 2):
        if not hasattr(found, name):
            importlib.import_module(".".join(parts[:place]))
        found = getattr(found, name)
    return found


DOCUMENTED = documented()


def test_every_public_name_is_on_one_page() -> None:
    known = public()
    pages = Counter(id(thing(name)) for name in DOCUMENTED)
    assert [name for key, name in known.items() if pages[key] == 0] == []
    assert [name for key, name in known.items() if pages[key] > 1] == []
    assert {name.removeprefix("truerank.") for name in dir(truerank)} <= {
        *(name.removeprefix("truerank.") for name in DOCUMENTED),
        *(name for name in dir(truerank) if inspect.ismodule(getattr(truerank, name))),
    }


@pytest.fixture(scope="module")
def read() -> griffe.Module:
    """The package as the site reads it."""
    extensions = griffe.load_extensions(Docstrings)
    return griffe.load("truerank", search_paths=[ROOT / "src"], extensions=extensions, resolve_aliases=True)


def test_what_is_no_function_has_an_example_that_runs(read, monkeypatch) -> None:
    monkeypatch.setattr(ESTIMATORS, "_things", dict(ESTIMATORS))
    for name in DOCUMENTED:
        if inspect.isclass(thing(name)) or inspect.isfunction(inspect.unwrap(thing(name))):
            continue  # tests/test_docstrings.py runs theirs
        docstring = read[name.removeprefix("truerank.")].docstring
        assert docstring, name
        assert ">>>" in docstring.value, name
        said: list[str] = []
        test = doctest.DocTestParser().get_doctest(docstring.value, {}, name, None, 0)
        assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


def test_docstrings_are_written_in_markdown(read) -> None:
    """No role is left, and no example that Markdown would take for a quotation."""
    for name in DOCUMENTED:
        found = read[name.removeprefix("truerank.")]
        for one in (found, *found.members.values()):
            if one.docstring:
                assert not ROLE.search(one.docstring.value), one.path
                outside = one.docstring.value.replace("```pycon\n>>>", "")
                assert not DOCTEST.search(outside), one.path
