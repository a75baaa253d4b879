"""Facts of each sentence of a note, beside its case, as the code passes them."""

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
TOPICS = {"pair": ["a", "b"], "of": 9, "topics": ["1"], "data_sets": None, "listed": True, "unit": "topic"}
LOST = {"data_sets": ["s"], "each": False, "unit": "topic"}
SUMMARIES = {"names": ["all"], "unit": "topic"}
COLUMNS = {"system": "s", "facets": ["f"], "unit": "topic"}
FRIEDMAN = {"statistic": 3.2, "degrees": 2, "p_value": 0.2, "ranks": [["a", 1.5]], "more": True}
MOST = {"system": "a", "battles": 1200, "total": 2000, "kind": "prompt", "name": "7"}
IDENTICAL = {"unit": "topic", "pairs": 1, "all_pairs": 10, "groups": [["a", "b"]], "lower": []}
MISFIT = {"model": "kd", "of": 9, "beyond": 0.05, "shared": True, "means": [["a", 0.3, 0.5]]}
OTHERS = {"others": 9, "topics": 8, "both": 7, "unnamed": False, "few": False, "unit": "topic"}

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
    "few-resamples__limit": [{"resamples": 10000, "error": 0.01}],
    "more-systems__dependence": [{"m": 30, **SIZE}, {"m": 30, **SIZE, "given": 20, "voters": True}],
    "identical__pairs": [
        IDENTICAL,
        {**IDENTICAL, "groups": [list("abcde"), ["f", "g"], ["h", "i"], ["j", "k"]], "lower": [0.1, 0.2]},
        {"tested": 1, "unit": "topic"},
        {"tested": 2000, "unit": "question"},
    ],
    "ties__means": [{"number": 2}],
    "constant": [{"unit": "topic"}],
    "verdict-contradicts": [
        {"baseline": "b", "unit": "topic", "machine": machine} for machine in (True, False)
    ],
    "alike-at-top": [{"best": 3, "m": 9, "tau_ap": 0.2, "tau": 0.1}],
    "not-computed__split-half": [{"estimator": "sh", "coefficient": "τ"}],
    "identical__copies": [
        *({"unit": "topic", **DECIDING, "copies": True, "bounded": bounded} for bounded in (True, False)),
        {"sequential": True, "unit": "topic"},
    ],
    "few-differ": [
        {"differing": 2, "of": 90, "unit": "topic", **DECIDING},
        {"differing": 2, "of": 90, "unit": "topic", **DECIDING, "bounded": False, "copies": True},
        {"differing": 2, "of": 90, "unit": "topic", "bounded": False, "copies": False, "plain": False},
    ],
    "unseen-losses__constant": [{"unit": "topic", "weighted": weighted} for weighted in (True, False)],
    "close-call": [{"unit": "topic"}],
    "unpaired": [{}],
    "run-noise__share": [{"share": 0.3}],
    "run-noise__to-decide": [{"runs": None, "unit": "topic"}, {"runs": 1234.5, "unit": "topic"}],
    "repeated-looks__chain": [{"unit": "topic"}],
    "weight-of-pair": [{}],
    "topics-of-state__gone": [{"gone": 1, "before": 2000, "unit": "topic"}],
    "topics-of-state__none-new": [{"unit": "topic"}],
    "topic-order__bounds": [{"unit": "topic"}],
    "topic-order__trend": [{"rising": rising, "unit": "topic"} for rising in (True, False)],
    "unseen-losses__planned": [{}],
    "other-topics": [
        OTHERS,
        {**OTHERS, "both": 0, "few": True},
        {**OTHERS, "unnamed": True, "few": True},
        {**OTHERS, "topics": 9, "unnamed": True, "few": True},
    ],
    "ties__rankings": [
        {"reference": 2, "other": 2},
        {"reference": 0, "other": 2},
        {"reference": 2, "other": 0},
    ],
    "more-systems__ridge": [{"m": 9, "n": 5, "unit": "topic"}],
    "few-resamples__permutations": [
        {"permutations": 1000, "least": 0.001, "pairs": 1, "needed": 10000, "unit": "topic"},
        {"permutations": 1000, "least": 0.001, "pairs": 1225, "needed": None, "unit": "topic"},
    ],
    "friedman": [FRIEDMAN, {**FRIEDMAN, "more": False}],
    "tests-disagree__f-test": [{"p_value": 0.2}],
    "tests-disagree__means": [{"pairs": [["a", "b"], ["c", "d"]], "more": more} for more in (0, 2000)],
    "lists__none-relevant": [{"lists": 2, "of": 9}],
    "lists__all-relevant": [{"lists": 2, "of": 9}],
    "lists__short": [{"of": 9, "longest": 1000}],
    "lists__no-spread": [{"lists": 2, "of": 9, "model": "kd"}],
    "model-misfit": [MISFIT, {**MISFIT, "shared": False}],
    "identical__left-out": [
        {"groups": [["a", "b"]], "unit": "topic"},
        {"groups": [["a", "b", "c"]] * 7, "unit": "topic"},
        {"number": 3, "by_source": True},
    ],
    "experiment": [{"text": "it holds"}],
    "plan-assumes__past": [{}],
    "first-place-unsure": [{}],
    "far-beyond-pilot": [
        {"topics": 12345.6, "pilot": 50.0, "what": what, "target": 0.9, "sure": sure, "unit": "topic"}
        for what, sure in (("tau", None), ("winner", 0.975), ("width", 0.975), ("relative", None))
    ],
    "repeated-looks__plan": [{"unit": "topic", "looks": looks} for looks in (True, False)],
    "plan-assumes__limit": [{"most": 10000}],
    "plan-assumes__model": [{}],
    "not-computed__g-study": [{"unit": "topic"}],
    "negative-variance": [{"sources": ["system", "topic"]}],
    "no-effect__machine": [{"unit": "topic"}],
    "parts-left-out__battles": [{"battles": 1}],
    "battles-copied": [
        {"copies": 1, "of": 90, "row": "battles.csv:5"},
        {"copies": 40, "of": 9000, "row": "battles.csv:5"},
    ],
    "clear-cycles": [{"clear": clear, "circle": ["a", "b", "c"]} for clear in (1, 2, 3)],
    "decides-alone": [{"kind": "voter", "name": "v7", "share": 0.35}],
    "few-voters": [{"voters": 3, "column": "judge"}],
    "no-prompts": [
        {"counted": counted, "unique": unique, "voters": voters}
        for counted in (True, False)
        for unique in ("", "id")
        for voters in (True, False)
    ],
    "dealt-to-groups": [{"number": 20000, "dealt": "prompt", "groups": 1000}],
    "few-battles": [{"fewest": 30, "leave": leave} for leave in (True, False)],
    "offered__scores": [{}],
    "offered__position": [{"column": "position"}],
    "reading__covariates": [{"read": [[["length", "lists"], "the answers"], [["style"], "columns"]]}],
    "topics-left-out__unjudged": [{"topics": ["1"]}],
    **{
        code: [{"of": 5, "each": {"a": 1, "b": 2000, "c": 3, "d": 4}}, {"of": 1, "each": {"a": None}}]
        for code in ("counted-as-zero__topics", "run-files__ties", "run-files__ranks")
    },
    "unjudged-documents__all": [{}],
    "unjudged-documents__top": [{"each": {"a": 0.123, "b": 0.4}, "of": 5}],
    "unjudged-documents__runs": [{"each": {"a": 0.6, "b": 0.7}, "of": 5, "share": 0.5}],
    "nothing-sampled": [{"measure": "infAP"}],
    "nothing-relevant": [{"topics": ["1"], "level": 2}],
    "lower-is-better": [
        {"measure": "WER", "given": given, "negated": negated}
        for given, negated in ((True, False), (False, False), (False, True))
    ],
    "of-whole-run": [{"measure": "BLEU", "unit": "topic"}],
    "several-scales__data-sets": [{"largest": 80.0, "others": others, "data_set": "nq"} for others in (1, 2)],
    "several-scales__systems": [{"largest": 80.0, "others": others} for others in (1, 2)],
    "reading__one-data-set": [{"data_set": "s", "unit": "topic"}],
    "data-sets-sampled": [{}],
    "empty-cells__cells": [
        {**CELLS, "used": used, "levels": levels, "alone": alone}
        for used in ("least squares", "points")
        for levels in (None, LEVELS)
        for alone in (0, 1)
    ]
    + [{"empty": 3, "cells": 12, "used": "topics", "unit": "topic"}],
    "missing-topics__not-at-random": [{"mean": mean, "others": 0.2, "unit": "topic"} for mean in (0.1, 0.3)],
    "empty-cells__data-sets": [
        {"data_sets": ["s"], "rule": rule, "one_each": one_each}
        for rule in ("mean", "borda", "win-rate", "elo")
        for one_each in (True, False)
    ],
    "no-effect__clusters": [{"unit": "topic"}],
    "ranges-apart": [{"fewest": 5, "data_sets": 3.2}],
    "no-effect__families": [{}],
    "unequal-data-sets": [{"sizes": [3, 90], "all": 93, "smallest": "s", "effective": 12.3, "unit": "topic"}],
    "close-systems": [{"p_value": 0.3, "plan": plan, "unit": "topic"} for plan in (True, False)],
    "nearly-equal": [{"weight": weight} for weight in (0.02, 0.2, 0.7)],
    "adaptive-board": [{}],
    "fragile-lead": [LEAD, {**LEAD, "leader": None}],
    "few-judged": [{"n": 9, "unit": "topic"}],
    "machine-useless__all": [{"weight": weight, "unit": "topic"} for weight in (0.02, 1.0)],
    "skewed-biases": [{"skewed": 2, "of": 9}],
    "not-a-sample__topics": [
        {"mean": 0.1, "all": 0.2, "unit": "topic"},
        {"mean": None, "odd": 2, "of": 9, "unit": "topic"},
    ],
    "machine-useless__pair": [{"pair": ["a", "b"], "unit": "topic"}],
    "few-prompts": [{"of": 9, "fewest": 10, "largest": [MOST, {**MOST, "kind": "voter", "name": None}]}],
    "rare-pairs": [{"pairs": pairs, "times": 5} for pairs in (1, 2000)],
    "direct-disagrees": [{"z": 3.21, "unit": "prompt"}],
    "facet-levels__sampled": [{"facet": "judge", "levels": 3}],
    "few-levels": [{"facet": "judge", "levels": levels, "m": m} for levels, m in ((2, 2), (2, 5), (3, 2))],
    "run-noise__levels": [{"facets": ["judge", "prompt"], "share": 0.3}],
    "facet-levels__fixed": [{"levels": {"judge": 2, "prompt": 3}, "population": "topics"}],
    "run-noise__unknown": [
        {"needs": "complete", "unit": "topic"},
        {"needs": "runs", "unit": "topic", "runs": 4, "measure": "pass@2"},
        {"needs": "other measure", "unit": "topic", "runs": 4, "measure": "best@2"},
    ],
    "run-noise__none": [{}],
    "run-noise__large": [{"share": 0.5, "unit": "topic"}],
    "run-noise__borrowed": [{}],
    "runs-independent__untested": [{"column": "seed", "unit": "topic"}],
    "runs-together": [
        {"column": "seed", "p_value": 0.01, "unit": "topic", "command": command, "few": few}
        for command, few in (("", False), ("", True), ("test", False))
    ],
    "runs-independent__tested": [{"column": "seed", "p_value": 0.2, "unit": "topic"}],
    "reading__sampled-judgments": [{"documents": 1234, "of": 5678}],
    "not-a-sample__documents": [{"higher": higher} for higher in (True, False)],
    "missing-topics__of-system": [
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
    "several-scales__machine": [{"factor": 100.0}],
    "systems-left-out__reference": [{"lacking": "reference"}],
    "systems-left-out__few-battles": [{"fewest_battles": 9, "battles": 1}],
    "systems-left-out__no-score": [{"measure": "AP"}],
    "systems-left-out__judge": [{"judge": "machine"}, {"judge": "people"}],
    "systems-left-out__incomplete": [{"names": ["a"], "of": 5}],
    "topics-left-out__pair": [
        TOPICS,
        {**TOPICS, "topics": ["1", "2", "3", "4"], "data_sets": [1, 3], "listed": False},
    ],
    "topics-left-out__incomplete": [
        {"number": 3, "of": 50, "scores": 4, **LOST, "data_sets": []},
        {"number": 3, "of": 50, "scores": 4, **LOST, "each": True},
    ],
    "topics-left-out__empty": [{"topics": ["1"], "of": 50, **LOST}],
    "topics-left-out__unscored": [{"number": 3}],
    "topics-left-out__no-score": [{"measure": "AP", "data_sets": ["s"]}],
    "topics-left-out__untried": [{"number": 3, "unit": "task"}],
    "topics-left-out__alone": [{"topic": "1", "unit": "topic"}],
    "topics-left-out__machine": [{"topics": ["1"], "of": 50, "unit": "topic"}],
    "topics-left-out__ideal": [{"measure": "nDCG", "topics": ["1"]}],
    "topics-left-out__unpaired": [{"topics": ["1"]}],
    "topics-left-out__no-run": [{"number": 3, "of": 50}],
    **{
        f"cells-read__{case}": [{}]
        for case in ("truth-values", "percentages", "verdicts", "grades", "minus-signs")
    },
    "cells-read__decimal-commas": [{}],
    "cells-read__missing": [{"number": number, "value": -1.0} for number in (1, 3)],
    "parts-left-out__title": [{"lines": ["My table"]}, {"lines": ["My table", "May 2026"]}],
    "parts-left-out__headers": [{"lines": 2}],
    **{
        f"parts-left-out__{case}": [{"names": ["x", "y"]}]
        for case in (
            *(
                "unused-columns",
                "summary-columns",
                "summary-rows",
                "older-samples",
                "beside-tables",
            ),
            *("other-metrics", "task-groups", "beside-instances", "other-splits"),
        )
    },
    "parts-left-out__summary-systems": [{"names": names} for names in (["x"], ["x", "y"])],
    "parts-left-out__summaries": [{**SUMMARIES, "rows": rows, "data_sets": rows > 1} for rows in (1, 2)],
    "reading__all": [{"line": " are read from the rows", "unit": "topic"}],
    "reading__columns": [
        {**COLUMNS, "topic": topic, "runs": runs}
        for topic, runs in ((None, []), ("q", [None]), ("q", ["run"]))
    ],
    "reading__data-sets": [{"column": "task", "names": ["a", "b"]}],
    "reading__cluster-column": [{"column": "cluster"}],
    "reading__topics": [{"column": "task", "unit": "topic"}],
    "reading__measure": [{"measure": "AP", "names": ["a.csv"]}],
    "reading__nested": [{"path": "a.json", "unit": "topic"}],
    "reading__rows-in-order": [{"unit": "topic"}],
    **{
        f"reading__{case}": [{"names": ["a", "b"]}]
        for case in (
            *("summaries-alone", "folders-as-systems", "unnamed-files"),
            *("folders-as-runs", "files-as-runs", "names-by-folder"),
        )
    },
    "reading__names-by-file": [{"kind": "name", "names": ["a"]}],
    "reading__files-of-systems": [{}],
    "reading__runs": [{"number": 9, "systems_of": 3, "pattern": "pattern"}],
    "reading__documents": [{"languages": "en-de"}],
    **{
        f"averaged__{case}": [
            {"fewest": fewest, "most": 3, "measure": measure, **more, "unit": "topic"}
            for fewest in (2, 3)
            for measure in ("mean", "pass@2")
            for more in columns
        ]
        for case, columns in (("runs", [{"column": "run"}, {"column": ""}]), ("attempts", [{}]))
    },
    "averaged__facets": [{"levels": {"judge": ["a", "b"]}, "runs": runs} for runs in (True, False)],
    "averaged__scores": [{"most": 3, "unit": "topic"}],
    "averaged__answers": [{"most": 3}],
    "averaged__splits": [{"splits": {"task": ["test", "dev"]}}],
    "averaged__revisions": [{"names": ["a"]}],
    "averaged__epochs": [{"path": "a.json", "reducers": ["mode"]}],
    "counted-as-zero__cells": [{"each": {"a": 2}, "of": 20, "cells": 100}],
    "counted-as-zero__trials": [{"number": 2}],
    "counted-as-zero__results": [{"number": 2000}],
    "scores-missing__runs": [{"number": 1, "of": 2000}],
    "scores-missing__parts": [{"number": 1}],
    "scores-missing__samples": [
        {
            "path": "a.json",
            "measure": "match",
            "lacking": lacking,
            "of": 9,
            "epochs": epochs,
            "status": status,
        }
        for lacking, status in ((0, "error"), (2, ""), (2, "error"))
        for epochs in (1, 2)
    ],
    "scores-missing__unlisted": [{"number": 9, "unit": "task"}],
    "scores-missing__untried": [{"names": ["a"], "unit": "task"}],
    "scores-missing__splits": [{"names": ["task"]}],
}
