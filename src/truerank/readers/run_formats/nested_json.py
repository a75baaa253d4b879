"""JSON of topic → document → number: ranx's `.json` and `.lz4`, BEIR's and pytrec_eval's, MTEB 1's."""

from __future__ import annotations

import json
import re
from typing import Any

from truerank.errors import InputError, at
from truerank.readers.run_formats.run_format import Kind, RunFile
from truerank.readers.trecfiles import Qrels, Run, qrels_from, run_from

KEY = r'\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_NESTED = re.compile(r"\{" + KEY + r"\{(?:" + KEY + r"[-+.\dNI]|\s*\})")
"""An object whose first value is an object without keys, or with a number behind its first."""


class NestedJson:
    """A dictionary of dictionaries as it stands in memory, written as JSON."""

    name = "json"
    label = "JSON of topics, documents and scores"
    explanation = (
        "An object of topics, each an object from documents to scores (or relevance): ranx, BEIR, MTEB 1 "
        "with save_predictions, pytrec_eval; also packed by lz4, as ranx does."
    )

    def fits(self, file: RunFile, kind: Kind) -> bool:
        """Whether the first topic's first document has a number."""
        del kind  # one and the same for runs and judgments
        return _NESTED.match(file.head) is not None

    def run(self, file: RunFile) -> Run:
        """The run; the file says no name."""
        return run_from(load(file), at(file.source))

    def qrels(self, file: RunFile) -> Qrels:
        """The judgments."""
        return qrels_from(load(file), at(file.source))


def load(file: RunFile) -> Any:
    """What the JSON of a file says; no key may be there twice, for one of the values would be lost.

    Raises:
        InputError: broken JSON, or a key twice in one object.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise InputError(f"{at(file.source)}the key {again!r} is there twice in one object; keep one")
        return found

    try:
        return json.loads(file.text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{at(file.source, error.lineno)}broken JSON ({error.msg}); write it again"
        ) from None
    except RecursionError:
        raise InputError(f"{at(file.source)}JSON nested too deep to be a run; name another file") from None
