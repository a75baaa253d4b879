"""Facts of each note as the code passes them: one case of each kind."""

SIZE = {"n": 12, "given": 12, "unit": "topic", "voters": False}
DECIDING = {"bounded": True, "copies": False, "plain": True}
CELLS = {"empty": 3, "cells": 1200, "used": "least squares", "levels": None, "alone": 0, "unit": "topic"}
LEVELS = {"cells": 2, "systems": ["a"], "facets": ["prompt", "judge"]}
LEAD = {
    "leader": "a",
    "lost_to": "b",
    "without": 3,
    "of": 1000,
    "usual": 7.3,
    "topics": ["1"],
    "unit": "topic",
}
TOPICS = {
    "why": "pair",
    "pair": ["a", "b"],
    "of": 9,
    "topics": ["1"],
    "data_sets": None,
    "listed": True,
    "unit": "topic",
}
FRIEDMAN = {"statistic": 3.2, "degrees": 2, "p_value": 0.2, "ranks": [["a", 1.5]], "more": True}
MOST = {"system": "a", "battles": 1200, "total": 2000, "kind": "prompt", "name": "7"}
RIDGE = {"ridge": 0.1, "distance": 2.5, "p_value": 0.01}
IDENTICAL = {"unit": "topic", "pairs": 1, "all_pairs": 10, "groups": [["a", "b"]], "lower": []}
MISFIT = {"model": "kd", "of": 9, "beyond": 0.05, "shared": True, "means": [["a", 0.3, 0.5]]}
OTHERS = {"others": 9, "topics": 8, "both": 7, "unnamed": False, "unit": "topic"}

CASES = {
    "few-topics": [
        {**SIZE, "learning": True},
        {**SIZE, "given": 2000, "voters": True, "learning": False},
        {**SIZE, "learning": True, "follows": "skewed"},
    ],
    "few-systems": [
        {"m": 3, "battles": False, "learning": True},
        {"m": 3, "battles": True, "learning": True, "follows": "skewed"},
    ],
    "skewed": [
        {"share": 0.3, "compare": True, "learning": True},
        {"share": 0.3, "compare": False, "learning": False, "follows": "skewed"},
        {"verdict": "fail", "skewness": 1.5},
        {"verdict": "pass", "skewness": -1.5},
    ],
    "few-resamples": [{"resamples": 10000, "error": 0.01}],
    "more-systems": [{"m": 30, **SIZE}, {"m": 30, **SIZE, "given": 20, "voters": True}],
    "identical": [
        IDENTICAL,
        {**IDENTICAL, "groups": [list("abcde"), ["f", "g"], ["h", "i"], ["j", "k"]], "lower": [0.1, 0.2]},
        {"tested": 1, "unit": "topic"},
        {"tested": 2000, "unit": "question"},
    ],
    "tied-means": [{"number": 2}],
    "constant": [{"unit": "topic"}],
    "verdict-contradicts": [
        {"baseline": "b", "unit": "topic", "machine": machine} for machine in (True, False)
    ],
    "alike-at-top": [{"best": 3, "m": 9, "tau_ap": 0.2, "tau": 0.1}],
    "estimator-left-out": [{"estimator": "sh", "fewest": 4, "unit": "topic"}],
    "no-estimate": [{"estimator": "sh", "coefficient": "τ"}],
    "copies": [
        *({"unit": "topic", **DECIDING, "copies": True, "bounded": bounded} for bounded in (True, False)),
        {"sequential": True, "unit": "topic"},
    ],
    "few-differ": [
        {"differing": 2, "of": 90, "unit": "topic", **DECIDING},
        {"differing": 2, "of": 90, "unit": "topic", **DECIDING, "bounded": False, "copies": True},
        {"differing": 2, "of": 90, "unit": "topic", "bounded": False, "copies": False, "plain": False},
    ],
    "constant-difference": [{"unit": "topic", "weighted": weighted} for weighted in (True, False)],
    "close-call": [{"unit": "topic"}],
    "run-share": [{"share": 0.3}],
    "runs-to-decide": [{"runs": None, "unit": "topic"}, {"runs": 1234.5, "unit": "topic"}],
    "chain-of-passes": [{"unit": "topic"}],
    "weight-of-pair": [{}],
    "topics-of-state": [{"gone": 1, "before": 2000, "unit": "topic"}],
    "nothing-new": [{"unit": "topic"}],
    "bounds-crossed": [{"unit": "topic"}],
    "sorted-topics": [{"rising": rising, "unit": "topic"} for rising in (True, False)],
    "unseen-losses": [{}],
    "other-topics": [OTHERS, {**OTHERS, "unnamed": True}],
    "ties": [{"reference": 2, "other": 2}, {"reference": 0, "other": 2}, {"reference": 2, "other": 0}],
    "rests-on-ridge": [
        {"m": 9, "n": 5, "unit": "topic", "tried": [RIDGE] * many, "least": 0.01} for many in (1, 2)
    ],
    "few-permutations": [
        {"permutations": 1000, "least": 0.001, "pairs": 1, "needed": 10000, "unit": "topic"},
        {"permutations": 1000, "least": 0.001, "pairs": 1225, "needed": None, "unit": "topic"},
    ],
    "friedman": [FRIEDMAN, {**FRIEDMAN, "more": False}],
    "omnibus-disagrees": [{"p_value": 0.2}],
    "against-means": [{"pairs": [["a", "b"], ["c", "d"]], "more": more} for more in (0, 2000)],
    "lists-without-relevant": [{"lists": 2, "of": 9}],
    "lists-all-relevant": [{"lists": 2, "of": 9}],
    "short-lists": [{"of": 9, "longest": 1000}],
    "lists-without-spread": [{"lists": 2, "of": 9, "model": "kd"}],
    "model-misfit": [MISFIT, {**MISFIT, "shared": False}],
    "copies-left-out": [
        {"groups": [["a", "b"]], "unit": "topic"},
        {"groups": [["a", "b", "c"]] * 7, "unit": "topic"},
        {"number": 3, "by_source": True},
    ],
    "experiment": [{"text": "it holds"}],
    "paper": [{"text": "it holds"}],
    "prior-only": [{}],
    "first-place-unsure": [{}],
    "far-beyond-pilot": [{"topics": 12345.6, "pilot": 50.0}],
    "stopping": [{"unit": "topic", "looks": looks} for looks in (True, False)],
    "search-limit": [{"most": 10000}],
    "model-truth": [{}],
    "no-g-study": [{"unit": "topic"}],
    "negative-variance": [{"sources": ["system", "topic"]}],
    "machine-ignored": [{"unit": "topic"}],
    "systems-left-out": [
        {"lacking": "reference"},
        {"fewest_battles": 9, "battles": 1},
        {"measure": "AP"},
        {"judge": "machine"},
        {"judge": "people"},
        {"names": ["a"], "of": 5},
    ],
    "topics-left-out": [
        TOPICS,
        {**TOPICS, "topics": ["1", "2", "3", "4"], "data_sets": [1, 3], "listed": False},
        {"why": "no run", "number": 3, "of": 50},
        {
            "why": "incomplete",
            "number": 3,
            "of": 50,
            "scores": 4,
            "data_sets": [],
            "each": False,
            "unit": "topic",
        },
        {
            "why": "incomplete",
            "number": 3,
            "of": 50,
            "scores": 4,
            "data_sets": ["s"],
            "each": True,
            "unit": "topic",
        },
        {"why": "empty", "topics": ["1"], "of": 50, "data_sets": ["s"], "each": False, "unit": "topic"},
        {"why": "unscored", "number": 3},
        {"why": "measure", "measure": "AP", "data_sets": ["s"]},
        {"why": "untried", "number": 3, "unit": "task"},
        {"why": "alone", "topic": "1", "unit": "topic"},
        {"why": "machine", "topics": ["1"], "of": 50, "unit": "topic"},
        {"why": "ideal", "measure": "nDCG", "topics": ["1"]},
        {"why": "unpaired", "topics": ["1"]},
    ],
    "battles-left-out": [{"battles": 1}],
    "few-voters": [{"voters": 3, "column": "judge"}],
    "no-prompts": [
        {"counted": counted, "unique": unique, "voters": voters}
        for counted in (True, False)
        for unique in ("", "id")
        for voters in (True, False)
    ],
    "dealt-to-groups": [{"number": 20000, "dealt": "prompt", "groups": 1000}],
    "few-battles": [{"fewest": 30, "leave": leave} for leave in (True, False)],
    "one-reference": [{}],
    "covariates": [{"read": [[["length", "lists"], "the answers"], [["style"], "columns"]]}],
    "covariates-offered": [{"columns": [["length_a", "length_b", "length"]] * 5}],
    "topics-not-judged": [{"topics": ["1"]}],
    **{
        code: [{"of": 5, "topics": {"a": 1, "b": 2000, "c": 3, "d": 4}}, {"of": 1, "topics": {"a": None}}]
        for code in ("topics-lacking", "tied-documents", "ranks-contradict", "several-tags")
    },
    "nothing-judged": [{}],
    "unjudged-documents": [{"mean": 0.123, "most": 0.4}],
    "many-unjudged": [{"runs": 2, "of": 5, "share": 0.5}],
    "nothing-relevant": [{"topics": ["1"], "level": 2}],
    "lower-is-better": [{"measure": "WER", "given": given} for given in (True, False)],
    "several-scales": [{"largest": 80.0, "others": others} for others in (1, 2)],
    "one-data-set": [{"data_set": "s", "unit": "topic"}],
    "data-sets-sampled": [{}],
    "empty-cells": [
        {**CELLS, "used": used, "levels": levels, "alone": alone}
        for used in ("least squares", "points")
        for levels in (None, LEVELS)
        for alone in (0, 1)
    ]
    + [{"empty": 3, "cells": 12, "used": "topics", "unit": "topic"}],
    "not-at-random": [
        {"lacked": 3, "mean": 0.1, "others": 0.2, "unit": "topic"},
        {"mean": 0.3, "others": 0.2, "unit": "topic"},
    ],
    "few-scores": [
        {"data_sets": ["s"], "rule": rule, "one_each": one_each}
        for rule in ("mean", "borda", "win-rate", "elo")
        for one_each in (True, False)
    ],
    "clusters-unused": [{"unit": "topic"}],
    "ranges-apart": [{"fewest": 5, "data_sets": 3.2}],
    "families-unused": [{}],
    "unequal-data-sets": [{"sizes": [3, 90], "all": 93, "smallest": "s", "effective": 12.3, "unit": "topic"}],
    "close-systems": [{"p_value": 0.3, "plan": plan, "unit": "topic"} for plan in (True, False)],
    "adaptive-board": [{}],
    "fragile-lead": [LEAD, {**LEAD, "leader": None}],
    "few-judged": [{"n": 9, "unit": "topic"}],
    "machine-useless": [{"weight": weight, "unit": "topic"} for weight in (0.02, 1.0)],
    "skewed-biases": [{"skewed": 2, "of": 9}],
    "unlike-the-rest": [
        {"mean": 0.1, "all": 0.2, "unit": "topic"},
        {"mean": None, "odd": 2, "of": 9, "unit": "topic"},
    ],
    "people-alone": [{"pair": ["a", "b"], "unit": "topic"}],
    "few-prompts": [
        {"of": 9, "fewest": 10, "largest": [MOST, {**MOST, "kind": "voter", "name": None}]},
    ],
    "rare-pairs": [{"pairs": pairs, "times": 5} for pairs in (1, 2000)],
    "direct-disagrees": [{"z": 3.21, "unit": "prompt"}],
    "facet-sampled": [{"facet": "judge", "levels": 3}],
    "few-levels": [{"facet": "judge", "levels": levels, "m": m} for levels, m in ((2, 2), (2, 5), (3, 2))],
    "level-share": [{"facets": ["judge", "prompt"], "share": 0.3}],
    "facet-matters": [{"levels": {"judge": 2, "prompt": 3}, "population": "topics"}],
    "run-share-unknown": [
        {"needs": "complete", "unit": "topic"},
        {"needs": "runs", "unit": "topic", "runs": 4, "measure": "pass@2"},
        {"needs": "other measure", "unit": "topic", "runs": 4, "measure": "best@2"},
    ],
    "runs-equal": [{}],
    "run-noise-large": [{"share": 0.5, "unit": "topic"}],
    "run-noise-borrowed": [{}],
    "runs-together-untested": [{"column": "seed", "unit": "topic"}],
    "runs-together": [{"column": "seed", "p_value": 0.01, "unit": "topic"}],
    "runs-independent": [{"column": "seed", "p_value": 0.2, "unit": "topic"}],
    "sampled-judgments": [{"documents": 1234, "of": 5678}],
    "not-a-sample": [{"higher": higher} for higher in (True, False)],
    "cells-read": [
        *(
            {"cells": cells}
            for cells in ("truth-values", "percentages", "verdicts", "grades", "minus-signs", "thousands")
        ),
        {"cells": "decimal-commas"},
        {"cells": "missing", "number": 3, "value": -1.0},
    ],
    "parts-left-out": [
        {"part": "title", "line": "My table"},
        {"part": "headers", "lines": 2},
        *(
            {"part": part, "names": ["x", "y"]}
            for part in ("unused-columns", "summary-columns", "summary-systems", "summary-rows")
        ),
        *(
            {"part": "summaries", "names": ["all"], "rows": rows, "data_sets": rows > 1, "unit": "topic"}
            for rows in (1, 2)
        ),
        {"part": "lists", "read": "rows", "names": ["other"]},
        *(
            {"part": part, "names": ["x", "y"]}
            for part in ("older-samples", "other-metrics", "task-groups", "beside-instances", "other-splits")
        ),
    ],
    "reading": [
        {"read": "all", "line": " are read from the rows", "unit": "topic"},
        *(
            {
                "read": "columns",
                "system": "s",
                "topic": topic,
                "turn": turn,
                "facets": ["f"],
                "runs": runs,
                "unit": "topic",
            }
            for topic, turn, runs in ((None, None, []), ("q", None, [None]), ("q", "turn", ["run"]))
        ),
        {"read": "data-sets", "column": "task", "names": ["a", "b"]},
        {"read": "topics", "column": "task", "unit": "topic"},
        {"read": "measure", "measure": "AP", "names": ["a.csv"]},
        {"read": "nested", "path": "a.json", "unit": "topic"},
        {"read": "rows-in-order", "unit": "topic"},
        *(
            {"read": read, "names": ["a", "b"]}
            for read in (
                "summaries-alone",
                "folders-as-systems",
                "folders-as-runs",
                "unnamed-files",
                "files-as-models",
                "files-as-tasks",
            )
        ),
        {"read": "files-of-systems"},
        {"read": "files-share-topics"},
        {"read": "runs", "number": 9, "systems_of": 3, "pattern": "pattern"},
        {"read": "documents", "languages": "en-de"},
    ],
    "names": [
        {"by": "folder", "names": ["a"]},
        {"by": "file", "kind": "name", "names": ["a"]},
        {"by": "accents"},
    ],
    "averaged": [
        *(
            {"over": over, "fewest": fewest, "most": 3, "measure": measure, **more, "unit": "topic"}
            for fewest in (2, 3)
            for measure in ("mean", "pass@2")
            for over, more in (("runs", {"column": "run"}), ("runs", {"column": ""}), ("attempts", {}))
        ),
        *({"over": "facets", "levels": {"judge": ["a", "b"]}, "runs": runs} for runs in (True, False)),
        {"over": "scores", "most": 3, "unit": "topic"},
        {"over": "answers", "most": 3},
        {"over": "splits", "splits": {"task": ["test", "dev"]}},
        {"over": "revisions", "names": ["a"]},
        {"over": "epochs", "path": "a.json", "reducers": ["mode"]},
    ],
    "counted-as-zero": [
        {"failed": "trials", "number": 2},
        {"failed": "results", "number": 2000},
        {"number": 2, "of": 2000},
    ],
    "scores-missing": [
        {"missing": "runs", "number": 1, "of": 2000},
        {"missing": "parts", "number": 1},
        *(
            {
                "missing": "samples",
                "path": "a.json",
                "measure": "match",
                "lacking": lacking,
                "of": 9,
                "epochs": epochs,
                "status": status,
            }
            for lacking, status in ((0, "error"), (2, ""), (2, "error"))
            for epochs in (1, 2)
        ),
        {"missing": "unlisted", "number": 9, "unit": "task"},
        {"missing": "untried", "names": ["a"], "unit": "task"},
        {"missing": "splits", "names": ["task"]},
    ],
    "missing-topics": [
        {"number": 3, "other": other, "there": there, "elsewhere": 0.4, "differ": differ, "unit": "topic"}
        for other in (None, "b")
        for there in (0.3, 0.5)
        for differ in (True, False)
    ],
    "runs-as-topics": [
        {"number": 3, "unit": "topic"},
        {"number": 3, "values": 9, "column": "id", "run": "run", "question": "q", "unit": "topic"},
    ],
    "runs-as-systems": [{"number": 4, "pattern": "pattern"}],
    "machine-copied": [{"n": 9, "unit": "topic"}],
    "machine-scale": [{"factor": 100.0}],
}
