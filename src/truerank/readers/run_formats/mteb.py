"""MTEB 2's predictions: subset → split → topic → document → score, under the model's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from truerank._support.wording import few
from truerank.errors import InputError, at
from truerank.readers.formats.json_text import an_object
from truerank.readers.formats.source import Source
from truerank.readers.run_formats.nested_json import KEY
from truerank.readers.run_formats.run_format import Kind
from truerank.readers.trecfiles import Qrels, Run, run_from

META = "mteb_model_meta"
_NAMED = re.compile(r'\{\s*"' + META + r'"\s*:')
_BARE = re.compile(r"\{" + KEY + r"\{" + KEY + r"\{" + KEY + r"\{(?:" + KEY + r"[-+.\dNI]|\s*\})")


class MtebPredictions:
    """`{task}_predictions.json` of `mteb.evaluate(…, prediction_folder=…)` on a retrieval task."""

    name = "mteb"
    label = "MTEB predictions"
    explanation = (
        "mteb_model_meta, and for each subset and split of a retrieval task the topics with their documents "
        "and scores; several subsets are read together where no topic is in two."
    )

    def fits(self, source: Source, kind: Kind) -> bool:
        """Whether the model's description comes first, or the first score is four objects deep."""
        return kind == "run" and (any(one.match(source.opening.lstrip()) for one in (_NAMED, _BARE)))

    def run(self, source: Source) -> Run:
        """The run, called like the model."""
        where = at(source.path)
        document = an_object(source.json, where, "the file")
        meta = document.pop(META, None)
        name = meta.get("model_name") if isinstance(meta, Mapping) else None
        run = run_from(_together(document, where), where)
        return Run(run.documents, tag=name if isinstance(name, str) else "", tied=run.tied)

    def qrels(self, source: Source) -> Qrels:
        """None: predictions hold no judgments."""
        raise InputError(f"{at(source.path)}MTEB predictions are a run, not judgments; give the task's qrels")


def _together(document: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The topics of all subsets and splits."""
    parts: dict[str, Mapping[str, Any]] = {}
    for subset, splits in document.items():
        if not isinstance(splits, Mapping):
            raise InputError(f"{where}subset {subset!r} holds no splits; give what mteb wrote, as it is")
        for split, topics in splits.items():
            if not isinstance(topics, Mapping):
                raise InputError(
                    f"{where}{subset} / {split} holds no topics with documents and scores; only predictions "
                    "of retrieval and reranking tasks are runs"
                )
            parts[f"{subset} / {split}"] = topics
    found: dict[str, Any] = {}
    for name, topics in parts.items():
        twice = next((topic for topic in topics if topic in found), None)
        if twice is not None:
            raise InputError(
                f"{where}topic {twice!r} of {name} is in another part too (there are {few(list(parts), 6)}); "
                "keep one subset and split in the file"
            )
        found |= topics
    return found
