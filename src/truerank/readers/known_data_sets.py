"""Names of data sets that leaderboards are made of, by which columns and rows are told apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

BEIR = frozenset(
    (
        "msmarco",
        "trec-covid",
        "nfcorpus",
        "bioasq",
        "nq",
        "hotpotqa",
        "fiqa",
        "signal1m",
        "trec-news",
        "robust04",
        "arguana",
        "webis-touche2020",
        "cqadupstack",
        "quora",
        "dbpedia-entity",
        "scidocs",
        "fever",
        "climate-fever",
        "scifact",
    )
)
"""What BEIR calls its own data sets."""
_OTHERS = (
    "touche2020 dbpedia naturalquestions triviaqa squad webquestions popqa 2wikimultihopqa musique "
    "bamboogle bright lotte miracl mrtydi mldr nfcorpus quoraretrieval fiqa2018 treccovid robust2004 "
    "robust05 gov2 clueweb09 clueweb12 cord19 antique wikiqa trecdl2019 trecdl2020 trecdl19 trecdl20 "
    "dl19 dl20 dl21 dl22 dl23 dl2019 dl2020 trec6 trec7 trec8 msmarcodev mmlu mmlupro gsm8k math "
    "hellaswag arc arceasy arcchallenge truthfulqa winogrande boolq piqa siqa openbookqa commonsenseqa "
    "drop humaneval mbpp bbh gpqa ifeval musr narrativeqa imdb xsum cnndailymail cola sst2 mrpc stsb "
    "qqp mnli qnli rte wnli copa multirc record wic wsc banking77 massiveintentclassification "
    "massivescenarioclassification sickr biosses "
)
_KNOWN = frozenset(re.sub(r"[\W_]", "", name) for name in (*BEIR, *_OTHERS.split()))
_BESIDE = re.compile(r"(hardnegatives?|retrieval|v\d)+$")
_FAMILIES = re.compile(r"sts\d\d|cqadupstack\w+|cqad\w+|nano\w+retrieval")


def is_known(name: str) -> bool:
    """Whether a well-known data set is called so, whatever its dashes, case and version.

    >>> [is_known(name) for name in ("FiQA2018", "TREC-COVID", "SCIDOCS", "BM25")]
    [True, True, True, False]
    """
    word = re.sub(r"[\W_]", "", name.casefold())
    return bool({word, _BESIDE.sub("", word)} & _KNOWN) or _FAMILIES.fullmatch(word) is not None


def mostly_known(names: Sequence[str]) -> bool:
    """Whether more than half of the names, and two at least, are those of well-known data sets."""
    known = sum(map(is_known, names))
    return known > 1 and 2 * known > len(names)
