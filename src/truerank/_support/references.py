"""What pages refer to, in full."""

from __future__ import annotations

from dataclasses import dataclass

from truerank.errors import unknown_name


@dataclass(frozen=True)
class Reference:
    """A publication.

    Attributes:
        key: what the project's docs call it.
        authors: as printed.
        year: of publication.
        title: of the publication.
        where: journal, proceedings or school, with pages.
        url: its DOI as an address, or where it is kept.
    """

    key: str
    authors: str
    year: int
    title: str
    where: str
    url: str


_ALL = (
    Reference(
        "urbano-marrero-2016",
        "Julián Urbano and Mónica Marrero",
        2016,
        "Toward Estimating the Rank Correlation between the Test Collection Results and the True System "
        "Performance",
        "Proceedings of the 39th International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval (SIGIR ’16), pp. 1033–1036",
        "https://doi.org/10.1145/2911451.2914752",
    ),
    Reference(
        "bavdaz-2018",
        "Alenka Bavdaz",
        2018,
        "Toward Rank Correlation as a Measure of Confidence in Information Retrieval Experiment Results",
        "Master’s thesis, Delft University of Technology (no DOI)",
        "https://repository.tudelft.nl/",
    ),
    Reference(
        "carterette-2009",
        "Ben Carterette",
        2009,
        "On Rank Correlation and the Distance Between Rankings",
        "Proceedings of the 32nd International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval (SIGIR ’09), pp. 436–443",
        "https://doi.org/10.1145/1571941.1572017",
    ),
    Reference(
        "yang-2018",
        "Meng Yang, Peng Zhang and Dawei Song",
        2018,
        "A Study of Per-Topic Variance on System Comparison",
        "The 41st International ACM SIGIR Conference on Research and Development in Information Retrieval "
        "(SIGIR ’18), pp. 1181–1184",
        "https://doi.org/10.1145/3209978.3210122",
    ),
    Reference(
        "kendall-1938",
        "Maurice G. Kendall",
        1938,
        "A New Measure of Rank Correlation",
        "Biometrika 30(1/2), pp. 81–93",
        "https://doi.org/10.1093/biomet/30.1-2.81",
    ),
    Reference(
        "yilmaz-2008",
        "Emine Yilmaz, Javed A. Aslam and Stephen Robertson",
        2008,
        "A New Rank Correlation Coefficient for Information Retrieval",
        "Proceedings of the 31st Annual International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval (SIGIR ’08), pp. 587–594",
        "https://doi.org/10.1145/1390334.1390435",
    ),
    Reference(
        "ledoit-wolf-2004",
        "Olivier Ledoit and Michael Wolf",
        2004,
        "A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices",
        "Journal of Multivariate Analysis 88(2), pp. 365–411",
        "https://doi.org/10.1016/S0047-259X(03)00096-4",
    ),
    Reference(
        "wand-jones-1994",
        "Matt P. Wand and M. Chris Jones",
        1994,
        "Kernel Smoothing",
        "Chapman & Hall",
        "https://doi.org/10.1201/b14876",
    ),
)

REFERENCES = {reference.key: reference for reference in _ALL}

PAPERS = ("urbano-marrero-2016", "bavdaz-2018", "carterette-2009", "yang-2018")
"""The four papers that truerank computes the methods of."""


def reference(key: str) -> Reference:
    """The reference of that key.

    Raises:
        UnknownNameError: there is none.
    """
    try:
        return REFERENCES[key]
    except KeyError:
        raise unknown_name("reference", key, REFERENCES) from None
