"""The tables that the golden comparison reads besides what truerank's own commands make."""

from __future__ import annotations

import json
import math
import random
import shutil
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[1] / "tests/readers/fixtures"
TOOLS = ("helm", "inspect_ai", "ir_measures", "lm_eval", "mteb_results", "py_irt", "pyterrier", "pytrec_eval")
TOOLS += ("ranx", "tau_bench", "trec_eval")

Scores = dict[str, dict[str, float]]


def grid(systems: list[str], topics: list[str], seed: int, bias: float = 0.0, step: float = 0.03) -> Scores:
    """Scores by topic and system: a step per system, an ease per topic, and noise."""
    draw, found = random.Random(seed), {}
    for topic in topics:
        ease = draw.gauss(0.35 + bias, 0.12)
        exact = [ease + step * place + draw.gauss(0, 0.09) for place in range(len(systems))]
        found[topic] = {s: round(min(1.0, max(0.0, x)), 4) for s, x in zip(systems, exact, strict=True)}
    return found


def write_rows(path: Path, rows: list[list[Any]], separator: str = ",") -> None:
    """A table."""
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in rows), encoding="utf-8")


def write_json(path: Path, document: Any) -> None:
    """A JSON document, in folders that are made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


def write_battles(folder: Path) -> None:
    """Battles on prompts by voters with the lengths of both answers, and without voters."""
    draw, systems = random.Random(30), [*"ABCDEF"]
    prompts = [[draw.gauss(0.35 * place, 0.5) for place in range(6)] for _ in range(60)]
    voters = [[draw.gauss(0, 0.3) for _ in systems] for _ in range(30)]
    for name, columns in (("arena", 7), ("battles", 4)):
        head = ["question_id", "model_a", "model_b", "winner", "judge", "length_a", "length_b"]
        rows: list[list[Any]] = [head[:columns]]
        for _ in range(900):
            prompt, voter = draw.randrange(60), draw.randrange(30)
            (one, other), lengths = draw.sample(range(6), 2), [draw.randrange(50, 900) for _ in "ab"]
            lead = prompts[prompt][one] - prompts[prompt][other] + voters[voter][one] - voters[voter][other]
            won = draw.random() < 1 / (1 + math.exp(-lead - 0.3 * math.log(lengths[0] / lengths[1])))
            winner = "tie" if draw.random() < 0.15 else "model_a" if won else "model_b"
            row = [f"q{prompt}", systems[one], systems[other], winner, f"user{voter}", *lengths]
            rows.append(row[:columns])
        write_rows(folder / f"{name}.csv", rows)


def write_repeats(folder: Path) -> None:
    """Runs of each system on each question, templates and judges, and a release with the same topics."""
    draw, systems, right = random.Random(31), [*"ABCDEF"], [0.35, 0.4, 0.5, 0.58, 0.66, 0.7]
    runs: list[list[Any]] = [["question", "model", "run", "score"]]
    cells: list[list[Any]] = [["question", "model", "template", "judge", "score"]]
    moves = {(t, s): draw.gauss(0, 0.05) for t in ("plain", "cot", "json", "list") for s in systems}
    for q in range(40):
        for name, mean in zip(systems, right, strict=True):
            own = mean + draw.gauss(0, 0.2)
            runs += [[f"q{q}", name, k, int(draw.random() < own)] for k in range(3)]
            cells += [
                [f"q{q}", name, template, judge, round(own + move + draw.gauss(0, 0.15) + 0.04 * place, 4)]
                for (template, system), move in moves.items()
                for place, judge in enumerate(("kestrel", "lark", "owl"))
                if system == name
            ]
    write_rows(folder / "runs.csv", runs)
    write_rows(folder / "facets.csv", cells)


def write_tools(folder: Path) -> None:
    """Results of tools: fixtures of the tests, and small ones in the shapes that other tools write."""
    for name in TOOLS:
        shutil.copytree(FIXTURES / name, folder / name)
    draw = random.Random(32)
    for agent, chance in (("one", 0.4), ("two", 0.6), ("three", 0.8)):
        solved = [[draw.random() < chance for _ in range(8)] for _ in range(2)]
        for run, outcomes in enumerate(solved):
            results = [
                {"id": f"{run}-{k}", "trial_name": f"t{k}.1", "task_id": f"task{k}", "is_resolved": outcome}
                for k, outcome in enumerate(outcomes)
            ]
            place = folder / "terminal_bench" / agent / f"run{run}"
            write_json(place / "results.json", {"id": f"{agent}{run}", "results": results})
            about = {"agent_name": agent, "model_name": "gpt", "dataset_name": "core"}
            write_json(place / "run_metadata.json", about)
            for k, outcome in enumerate(outcomes):
                trial = {
                    "id": f"{agent}-{run}-{k}",
                    "task_name": f"task{k}",
                    "trial_name": f"task{k}__{run}",
                    "agent_info": {"name": agent, "version": "1", "model_info": {"name": "gpt"}},
                    "verifier_result": {"rewards": {"reward": float(outcome)}},
                    "exception_info": None,
                }
                write_json(folder / "harbor" / agent / f"task{k}__{run}/result.json", trial)
        write_json(
            folder / "harbor" / agent / "result.json", {"id": agent, "n_total_trials": 16, "stats": {}}
        )
        resolved = [f"task-{k}" for k, outcome in enumerate(solved[0]) if outcome]
        write_json(folder / "swe_bench" / f"{agent}.json", {"total_instances": 8, "resolved_ids": resolved})
        tasks = {
            f"T/{k}": [
                {"base_status": ("fail", "pass")[x], "plus_status": "fail", "solution": ""} for x in pair
            ]
            for k, pair in enumerate(zip(*solved, strict=True))
        }
        write_json(folder / "evalplus" / f"{agent}_eval_results.json", {"date": "", "eval": tasks})
        lines = [f"{agent}\t{'None' if k == 3 else round(draw.gauss(-2, 1), 2)}\n" for k in range(8)]
        with (folder / "en-de.mqm.seg.score").open("a", encoding="utf-8") as file:
            file.writelines(lines)
    results = [
        {
            "provider": {"id": f"openai:{name}", "label": name},
            "prompt": {"raw": "{{question}}", "label": "plain"},
            "promptId": "1",
            "vars": {"question": f"q{t}"},
            "testCase": {"vars": {"question": f"q{t}"}},
            "testIdx": 2 * t + r,
            "promptIdx": s,
            "success": True,
            "score": round(draw.random(), 3),
        }
        for t in range(6)
        for r in range(2)
        for s, name in enumerate("abc")
    ]
    write_json(folder / "promptfoo.json", {"evalId": "1", "results": {"version": 3, "results": results}})
    names = ("Answer Relevancy", "Faithfulness")
    exported: list[list[Any]] = [["id", "name", "dataType", "value", "traceId", "traceName", "datasetItemId"]]
    for name in ("alpha", "beta", "gamma"):
        cases = [
            {
                "name": f"test_case_{t}",
                "input": f"question {t}",
                "metricsData": [
                    {"name": one, "score": round(draw.random(), 3), "success": True} for one in names
                ],
            }
            for t in range(8)
        ]
        write_json(folder / "deepeval" / f"{name}.json", {"testCases": cases, "metricsScores": []})
        exported += [
            [
                f"{name}{t}{one}",
                one,
                "NUMERIC",
                round(draw.random(), 3),
                f"trace-{name}-{t}",
                name,
                f"item-{t}",
            ]
            for t in range(8)
            for one in ("correctness", "style")
        ]
    write_rows(folder / "langfuse.csv", exported)


def write_inputs(folder: Path) -> None:
    """The tables that no command of truerank makes: measures, data sets, battles, runs, two judges, tools."""
    systems, topics, draw = [*"ABCDEF"], [f"t{number}" for number in range(1, 31)], random.Random(3)
    whole = grid(systems, topics, seed=1)
    wide: dict[str, Scores] = {
        "pair": {topic: {name: row[name] for name in "AD"} for topic, row in whole.items()},
        "human": {topic: whole[topic] for topic in topics[:12]},
        "machine": grid(systems, topics, seed=1, bias=0.06),
        "other": grid(systems, topics, seed=2),
        "binary": {t: {s: float(x > 0.5) for s, x in row.items()} for t, row in whole.items()},
        "holes": {
            t: {s: x for s, x in r.items() if s == "A" or draw.random() > 0.06} for t, r in whole.items()
        },
        "summary": grid([f"d{n}" for n in range(8)], [f"model{n}" for n in range(7)], seed=20),
    }
    wide |= {"early": dict([*wide["other"].items()][:15]), "release": grid(systems, topics, seed=5)}
    big = grid([f"s{n:04}" for n in range(1200)], topics, seed=21, step=0.0004)
    wide |= {"big": big}
    for name, scores in wide.items():
        head = list(next(iter(scores.values())))
        rows = [[topic, *(row.get(key, "") for key in head)] for topic, row in scores.items()]
        write_rows(folder / f"{name}.csv", [["topic", *head], *rows])
    long: list[list[Any]] = [["measure", "topic", "system", "value"]]
    for seed, measure in enumerate(("AP", "P@10")):
        long += [[measure, t, s, x] for t, row in grid(systems, topics, seed).items() for s, x in row.items()]
    write_rows(folder / "measures.csv", long)
    board: list[list[Any]] = [["data_set", "kin", "weight", "topic", "variant", "system", "value"]]
    for n in range(6):
        for place, (topic, row) in enumerate(grid(systems, topics[: 10 + 2 * n], seed=10 + n).items()):
            start = [f"d{n}", f"kin{n // 2}", 1 + n % 2, topic, f"v{place // 2}"]
            board += [[*start, name, value] for name, value in row.items()]
    write_rows(folder / "board.csv", board)
    write_rows(folder / "clusters.csv", [row[3:] for row in board if row[0] in ("data_set", "d5")])
    write_rows(folder / "board-holes.csv", [row for row in board if (row[0], row[5]) != ("d1", "B")])
    write_rows(
        folder / "prices.csv", [["system", "price"], *zip("ABCDEF", (0.2, 1, 3, 0.5, 8, 5), strict=True)]
    )
    write_battles(folder)
    write_repeats(folder)
    write_tools(folder / "tools")
    write_rows(folder / "order.txt", [*map(list, "FDECBA")])
    write_rows(folder / "broken.csv", [["topic", "A", "B"], [1, 0.1, 0.2], [2, "n/a", 0.3], [3, 0.4, 0.1]])
    qrels = (folder / "demo/qrels.txt").read_text(encoding="utf-8")
    judged = [line.split() for line in qrels.splitlines()]
    some = sorted({row[0] for row in judged})[::2]
    machine = [[*row[:3], int(draw.random() < 0.8 * (row[3] != "0") + 0.1)] for row in judged]
    write_rows(folder / "human.qrels", [row for row in judged if row[0] in some], " ")
    write_rows(folder / "machine.qrels", machine, " ")
    write_rows(folder / "sample.qrels", [row for row in judged if draw.random() < 0.3], " ")
