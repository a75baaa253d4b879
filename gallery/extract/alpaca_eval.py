"""AlpacaEval: one row per instruction, one column per system, the preference over the reference output.

AlpacaEval 2 has probabilities between 0 and 1, AlpacaEval 1 verdicts: 1, 0, or 0.5 for a tie. Kept are
instructions that all systems were judged on, and one of the systems that two folders hold.
"""

from __future__ import annotations

import pandas as pd

from gallery.extract.repository import Repository

ANNOTATIONS = {
    "alpaca_eval_2.csv.gz": "weighted_alpaca_eval_gpt4_turbo/annotations.json",
    "alpaca_eval_1.csv.gz": "alpaca_eval_gpt4/annotations.json",
}


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Preferences of the system's output over the reference's, rounded to four digits."""
    files = [path for path in repository.names("results") if path.endswith("/" + ANNOTATIONS[name])]
    systems: dict[str, pd.Series] = {}
    for path, judged in repository.documents(files):
        system = path.split("/")[1]
        answers = pd.DataFrame(judged).dropna(subset="preference").set_index("instruction")
        if answers.index.has_duplicates:
            raise ValueError(f"{path} judges an instruction twice")
        preference = answers["preference"].astype(float)
        if name == "alpaca_eval_1.csv.gz":
            preference = preference.replace(0.0, 1.5)  # how it writes a tie
        systems.setdefault(system, (preference - 1).round(4))
    scores = pd.DataFrame(systems).dropna().T.drop_duplicates().T
    scores.insert(0, "question", [f"i{i + 1}" for i in range(len(scores))])
    return scores
