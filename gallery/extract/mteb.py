"""MTEB(eng, v2): one row per data set, one column per model, the main score of the test set.

Kept are models with a score on every data set. Where a model has several revisions, a score is that of the
revision with most of the data sets, or of the next one that has this data set. Of data sets in several
languages only the English part counts, as in the benchmark.
"""

from __future__ import annotations

from collections import defaultdict

import pandas as pd

from gallery.extract.repository import Repository

# fmt: off
DATA_SETS = [
    "AmazonCounterfactualClassification", "ArguAna", "ArXivHierarchicalClusteringP2P",
    "ArXivHierarchicalClusteringS2S", "AskUbuntuDupQuestions", "BIOSSES", "Banking77Classification",
    "BiorxivClusteringP2P.v2", "CQADupstackGamingRetrieval", "CQADupstackUnixRetrieval",
    "ClimateFEVERHardNegatives", "FEVERHardNegatives", "FiQA2018", "HotpotQAHardNegatives",
    "ImdbClassification", "MTOPDomainClassification", "MassiveIntentClassification",
    "MassiveScenarioClassification", "MedrxivClusteringP2P.v2", "MedrxivClusteringS2S.v2",
    "MindSmallReranking", "SCIDOCS", "SICK-R", "STS12", "STS13", "STS14", "STS15", "STS17", "STS22.v2",
    "STSBenchmark", "SprintDuplicateQuestions", "StackExchangeClustering.v2",
    "StackExchangeClusteringP2P.v2", "SummEvalSummarization.v2", "Touche2020Retrieval.v3",
    "ToxicConversationsClassification", "TweetSentimentExtractionClassification",
    "TwentyNewsgroupsClustering.v2", "TwitterSemEval2015", "TwitterURLCorpus",
]
# fmt: on
"""All of the benchmark but TRECCOVID."""
ENGLISH = ("default", "en", "en-en")


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Main scores, rounded to five digits."""
    wanted = {f"{one}.json" for one in DATA_SETS}
    found = [path for path in repository.names("results") if path.count("/") == 3]
    files = [path for path in found if path.split("/")[-1] in wanted]
    models: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for path, result in repository.documents(files):
        _, model, revision, file = path.split("/")
        of_subset = {one["hf_subset"]: one["main_score"] for one in result.get("scores", {}).get("test", ())}
        score = next((of_subset[subset] for subset in ENGLISH if subset in of_subset), None)
        if score is not None:
            models[model][revision][file.removesuffix(".json")] = round(score, 5)
    columns = {}
    for model, revisions in sorted(models.items()):
        scores: dict[str, float] = {}
        for revision in sorted(revisions, key=lambda one: (len(revisions[one]), one)):  # the fullest one last
            scores |= revisions[revision]
        if len(scores) == len(DATA_SETS):
            columns[model.replace("__", "/")] = scores
    return pd.DataFrame(columns).loc[DATA_SETS].reset_index(names="data_set")
