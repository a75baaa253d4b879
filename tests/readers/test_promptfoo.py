"""Results of promptfoo, in the shape that its version 3 of results has."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores

Write = Callable[[str, str], str]


def results(scores: np.ndarray, labels: tuple[str, ...] = ("a", "b")) -> list[dict[str, Any]]:
    """Of questions × providers × prompts × repeats: repeats of a test case have places of their own."""
    n, m, f, k = scores.shape
    return [
        {
            "provider": {"id": "openai:gpt", "label": labels[s]},
            "prompt": {"raw": f"{p}: {{{{question}}}}", "label": f"prompt{p}"},
            "promptId": f"{p:x}",
            "vars": {"question": f"q{t}"},
            "testCase": {"vars": {"question": f"q{t}"}, "assert": [{"type": "contains", "value": "x"}]},
            "testIdx": t * k + r,
            "promptIdx": s * f + p,
            "success": bool(scores[t, s, p, r] > 0.5),
            "score": scores[t, s, p, r],
            "namedScores": {"style": 1 - scores[t, s, p, r]},
            "failureReason": 0,
            "latencyMs": 7 * t + r,
        }
        for t in range(n)
        for r in range(k)
        for s in range(m)
        for p in range(f)
    ]


def document(found: list[dict[str, Any]]) -> str:
    return json.dumps({"evalId": "eval-1", "results": {"version": 3, "results": found}, "config": {}})


@pytest.fixture
def scores() -> np.ndarray:
    return np.random.default_rng(1).random((4, 2, 1, 3)).round(3)


def test_repeats_are_runs(write: Write, scores: np.ndarray) -> None:
    found = read_scores(write("a.json", document(results(scores))))
    assert (found.systems, found.topics) == (("a", "b"), ("q0", "q1", "q2", "q3"))
    np.testing.assert_allclose(found.values, scores.mean(axis=(2, 3)))
    assert found.repeats is not None
    np.testing.assert_allclose(found.repeats.variances, scores[:, :, 0].var(axis=2, ddof=1) / 3)
    assert found.noun == "question"
    lines = "".join(json.dumps(one) + "\n" for one in results(scores))
    np.testing.assert_allclose(read_scores(write("a.jsonl", lines)).values, found.values)


def test_one_result_of_each_prompt_is_no_run(write: Write) -> None:
    given = np.random.default_rng(2).random((4, 2, 2, 1)).round(3)
    found = read_scores(write("a.json", document(results(given))))
    np.testing.assert_allclose(found.values, given.mean(axis=(2, 3)))
    assert found.facets is not None
    assert found.facets.names == ("template",)
    assert not any("run" in note for note in found.warnings)


def test_prompts_are_a_facet_or_the_systems_of_one_provider(write: Write) -> None:
    scores = np.random.default_rng(2).random((4, 2, 3, 1)).round(3)
    found = read_scores(write("a.json", document(results(scores))))
    np.testing.assert_allclose(found.values, scores.mean(axis=(2, 3)))
    assert found.facets is not None
    assert found.facets.levels == (("prompt0", "prompt1", "prompt2"),)
    alone = read_scores(write("b.json", document(results(scores[:, :1]))))
    assert alone.systems == ("prompt0", "prompt1", "prompt2")
    np.testing.assert_allclose(alone.values, scores[:, 0, :, 0])


def test_providers_of_one_name_and_answers_that_failed(write: Write, scores: np.ndarray) -> None:
    with pytest.raises(InputError, match="two providers are called 'a'; give each another label"):
        read_scores(write("a.json", document(results(scores, ("a", "a")))))
    found = results(scores)
    found[0] |= {"failureReason": 2, "score": 0, "error": "timeout"}
    notes = read_scores(write("b.json", document(found))).warnings
    assert any(note.startswith("1 result without an answer") for note in notes)
