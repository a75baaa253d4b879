"""Every publication that any output refers to, once: as text for a list of references, and as BibTeX."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from truerank._support.registry import Registry
from truerank._support.version import __version__

Kind = Literal["article", "inproceedings", "book", "mastersthesis", "software"]

_WIDTH = 88
"""Columns at which a BibTeX field is wrapped."""

_VENUE_FIELD: dict[Kind, str] = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "mastersthesis": "school",
    "software": "organization",
}
"""What BibTeX calls the place where each kind of publication appeared."""


@dataclass(frozen=True)
class Reference:
    """A publication, with the fields that both its text and its BibTeX entry are made of.

    Attributes:
        key: what docs, explanations and BibTeX call it; made of letters, digits and hyphens.
        kind: the type of its BibTeX entry.
        authors: full names in order; none for software that is cited by its name.
        year: of publication; ``None`` where a version says more.
        title: of the publication.
        venue: journal, proceedings, publisher or school; may be empty.
        acronym: of the proceedings, e.g. ``SIGIR ’16``.
        volume: of a journal, e.g. ``88``.
        issue: of a volume, e.g. ``1/2``.
        pages: e.g. ``1033–1036``, with an en dash; or what stands for pages, e.g. ``article 20``.
        doi: without the address of the resolver.
        url: where it is kept, if it has no DOI.
        version: of software.
    """

    key: str
    kind: Kind
    authors: tuple[str, ...]
    year: int | None
    title: str
    venue: str = ""
    acronym: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    doi: str = ""
    url: str = ""
    version: str = ""

    @property
    def name(self) -> str:
        """The key: what :class:`truerank._support.registry.Registry` knows it by."""
        return self.key

    @property
    def address(self) -> str:
        """Where it is found: its DOI as an address, or its URL; empty where it has neither."""
        return f"https://doi.org/{self.doi}" if self.doi else self.url

    @property
    def byline(self) -> str:
        """The authors as a list of references has them; empty for what has none.

        >>> reference("yilmaz-2008").byline
        'Emine Yilmaz, Javed A. Aslam and Stephen Robertson'
        """
        *others, last = self.authors or ("",)
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def short(self) -> str:
        """The authors' family names and the year: what stands in a text.

        >>> reference("arampatzis-2001").short, reference("yilmaz-2008").short
        ('Arampatzis and van Hameren 2001', 'Yilmaz and others 2008')
        """
        names = [_family(author) for author in self.authors] or [self.key]
        said = " and ".join(names) if len(names) < 3 else f"{names[0]} and others"
        return f"{said} {self.year}" if self.year else said

    @property
    def where(self) -> str:
        """Journal, proceedings or school, with volume and pages.

        >>> reference("kendall-1938").where
        'Biometrika 30(1/2), pp. 81–93'
        """
        if self.kind == "software":
            return f"Version {self.version}"
        found = f"Master’s thesis, {self.venue}" if self.kind == "mastersthesis" else self.venue
        if self.acronym:
            found += f" ({self.acronym})"
        if self.volume:
            found += f" {self.volume}" + (f"({self.issue})" if self.issue else "")
        if self.pages:
            found += f", pp. {self.pages}" if "–" in self.pages else f", {self.pages}"
        if self.url:
            found += " (no DOI)"
        return found

    @property
    def text(self) -> str:
        """The whole entry of a list of references, without its address.

        >>> reference("wand-jones-1995").text
        'Matt P. Wand and M. Chris Jones (1995). Kernel Smoothing. Chapman & Hall.'
        """
        return f"{self.credit}{self.title}{self.stop} {self.where}."

    @property
    def credit(self) -> str:
        """What stands before the title: authors and year, where there are any."""
        year = f" ({self.year})" if self.year else ""
        return f"{self.byline}{year}. " if self.byline else ""

    @property
    def stop(self) -> str:
        """The full stop after the title; none where the title is a question."""
        return "" if self.title.endswith(("?", "!")) else "."

    def bibtex(self) -> str:
        r"""The BibTeX entry, its long fields wrapped.

        >>> print(reference("kendall-1938").bibtex())
        @article{kendall-1938,
          author  = {Maurice G. Kendall},
          title   = {A New Measure of Rank Correlation},
          journal = {Biometrika},
          volume  = {30},
          number  = {1/2},
          pages   = {81--93},
          year    = {1938},
          doi     = {10.1093/biomet/30.1-2.81}
        }
        """
        fields = {
            # Who are no person are kept whole by braces of their own.
            "author": " and ".join(f"{{{one}}}" if self.kind == "software" else one for one in self.authors),
            "title": self.title,
            _VENUE_FIELD[self.kind]: self.venue,
            "volume": self.volume,
            "number": self.issue,
            "pages": self.pages,
            "year": str(self.year or ""),
            "version": self.version,
            "doi": self.doi,
            "url": "" if self.doi else self.url,
        }
        width = max(len(name) for name, value in fields.items() if value)
        lines = [_field(name, value, width) for name, value in fields.items() if value]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


def _family(author: str) -> str:
    """The family name: the last word, with the particles in lower case before it."""
    words = author.split()
    start = next((i for i, word in enumerate(words) if i and word[0].islower()), len(words) - 1)
    return " ".join(words[start:])


def _field(name: str, value: str, width: int) -> str:
    """One line of a BibTeX entry, or several where the value is long."""
    start = f"  {name:<{width}} = {{"
    # An address or a DOI is taken as it is; in other fields LaTeX would read these characters as its own.
    if name not in ("doi", "url"):
        value = value.replace("–", "--").replace("’", "'")
        value = "".join("\\" + c if c in "&%$#_" else c for c in value)
    return textwrap.fill(
        start + value + "}",
        width=_WIDTH,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _sigir(number: str, year: int, first: str = "Proceedings of the ") -> tuple[str, str]:
    """Full name and acronym of a SIGIR conference."""
    name = "International ACM SIGIR Conference on Research and Development in Information Retrieval"
    return f"{first}{number} {name}", f"SIGIR ’{year % 100:02}"


REFERENCES: Registry[Reference] = Registry("reference")
register = REFERENCES.register

for _reference in (
    Reference(
        "truerank",
        "software",
        ("The truerank developers",),
        2026,
        "truerank: how close is a leaderboard to the true ranking?",
        version=__version__,
    ),
    Reference(
        "urbano-marrero-2016",
        "inproceedings",
        ("Julián Urbano", "Mónica Marrero"),
        2016,
        "Toward Estimating the Rank Correlation between the Test Collection Results and the True System "
        "Performance",
        *_sigir("39th", 2016),
        pages="1033–1036",
        doi="10.1145/2911451.2914752",
    ),
    Reference(
        "bavdaz-2018",
        "mastersthesis",
        ("Alenka Bavdaz",),
        2018,
        "Toward Rank Correlation as a Measure of Confidence in Information Retrieval Experiment Results",
        "Delft University of Technology",
        url="https://repository.tudelft.nl/record/uuid:0bc29b72-2e55-4f93-a1d0-fe6885d003dd",
    ),
    Reference(
        "carterette-2009",
        "inproceedings",
        ("Ben Carterette",),
        2009,
        "On Rank Correlation and the Distance Between Rankings",
        *_sigir("32nd", 2009),
        pages="436–443",
        doi="10.1145/1571941.1572017",
    ),
    Reference(
        "yang-2018",
        "inproceedings",
        ("Meng Yang", "Peng Zhang", "Dawei Song"),
        2018,
        "A Study of Per-Topic Variance on System Comparison",
        *_sigir("41st", 2018, first="The "),
        pages="1181–1184",
        doi="10.1145/3209978.3210122",
    ),
    Reference(
        "kendall-1938",
        "article",
        ("Maurice G. Kendall",),
        1938,
        "A New Measure of Rank Correlation",
        "Biometrika",
        volume="30",
        issue="1/2",
        pages="81–93",
        doi="10.1093/biomet/30.1-2.81",
    ),
    Reference(
        "yilmaz-2008",
        "inproceedings",
        ("Emine Yilmaz", "Javed A. Aslam", "Stephen Robertson"),
        2008,
        "A New Rank Correlation Coefficient for Information Retrieval",
        *_sigir("31st Annual", 2008),
        pages="587–594",
        doi="10.1145/1390334.1390435",
    ),
    Reference(
        "webber-2010",
        "article",
        ("William Webber", "Alistair Moffat", "Justin Zobel"),
        2010,
        "A Similarity Measure for Indefinite Rankings",
        "ACM Transactions on Information Systems",
        volume="28",
        issue="4",
        pages="article 20",
        doi="10.1145/1852102.1852106",
    ),
    Reference(
        "ledoit-wolf-2004",
        "article",
        ("Olivier Ledoit", "Michael Wolf"),
        2004,
        "A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices",
        "Journal of Multivariate Analysis",
        volume="88",
        issue="2",
        pages="365–411",
        doi="10.1016/S0047-259X(03)00096-4",
    ),
    Reference(
        "wand-jones-1995",
        "book",
        ("Matt P. Wand", "M. Chris Jones"),
        1995,
        "Kernel Smoothing",
        "Chapman & Hall",
        doi="10.1201/b14876",
    ),
    Reference(
        "robertson-kanoulas-2012",
        "inproceedings",
        ("Stephen E. Robertson", "Evangelos Kanoulas"),
        2012,
        "On Per-Topic Variance in IR Evaluation",
        *_sigir("35th", 2012),
        pages="891–900",
        doi="10.1145/2348283.2348402",
    ),
    Reference(
        "cormack-lynam-2006",
        "inproceedings",
        ("Gordon V. Cormack", "Thomas R. Lynam"),
        2006,
        "Statistical Precision of Information Retrieval Evaluation",
        *_sigir("29th Annual", 2006),
        pages="533–540",
        doi="10.1145/1148170.1148262",
    ),
    Reference(
        "arampatzis-2001",
        "inproceedings",
        ("Avi Arampatzis", "André van Hameren"),
        2001,
        "The Score-Distributional Threshold Optimization for Adaptive Binary Classification Tasks",
        *_sigir("24th Annual", 2001),
        pages="285–293",
        doi="10.1145/383952.384009",
    ),
    Reference(
        "searle-1992",
        "book",
        ("Shayle R. Searle", "George Casella", "Charles E. McCulloch"),
        1992,
        "Variance Components",
        "Wiley",
        doi="10.1002/9780470316856",
    ),
    Reference(
        "voorhees-buckley-2002",
        "inproceedings",
        ("Ellen M. Voorhees", "Chris Buckley"),
        2002,
        "The Effect of Topic Set Size on Retrieval Experiment Error",
        *_sigir("25th Annual", 2002),
        pages="316–323",
        doi="10.1145/564376.564432",
    ),
    Reference(
        "sakai-2006",
        "inproceedings",
        ("Tetsuya Sakai",),
        2006,
        "Evaluating Evaluation Metrics based on the Bootstrap",
        *_sigir("29th Annual", 2006),
        pages="525–532",
        doi="10.1145/1148170.1148261",
    ),
    Reference(
        "scott-1992",
        "book",
        ("David W. Scott",),
        1992,
        "Multivariate Density Estimation: Theory, Practice, and Visualization",
        "Wiley",
        doi="10.1002/9780470316849",
    ),
    Reference(
        "urbano-2016",
        "article",
        ("Julián Urbano",),
        2016,
        "Test Collection Reliability: A Study of Bias and Robustness to Statistical Assumptions via "
        "Stochastic Simulation",
        "Information Retrieval Journal",
        volume="19",
        issue="3",
        pages="313–350",
        doi="10.1007/s10791-015-9274-y",
    ),
    Reference(
        "urbano-nagler-2018",
        "inproceedings",
        ("Julián Urbano", "Thomas Nagler"),
        2018,
        "Stochastic Simulation of Test Collections: Evaluation Scores",
        *_sigir("41st", 2018, first="The "),
        pages="695–704",
        doi="10.1145/3209978.3210043",
    ),
    Reference(
        "chen-1999",
        "article",
        ("Song Xi Chen",),
        1999,
        "Beta Kernel Estimators for Density Functions",
        "Computational Statistics & Data Analysis",
        volume="31",
        issue="2",
        pages="131–145",
        doi="10.1016/S0167-9473(99)00010-9",
    ),
    Reference(
        "wang-van-ryzin-1981",
        "article",
        ("Min-Chiang Wang", "John van Ryzin"),
        1981,
        "A Class of Smooth Estimators for Discrete Distributions",
        "Biometrika",
        volume="68",
        issue="1",
        pages="301–309",
        doi="10.1093/biomet/68.1.301",
    ),
    Reference(
        "higham-2002",
        "article",
        ("Nicholas J. Higham",),
        2002,
        "Computing the Nearest Correlation Matrix – a Problem from Finance",
        "IMA Journal of Numerical Analysis",
        volume="22",
        issue="3",
        pages="329–343",
        doi="10.1093/imanum/22.3.329",
    ),
    Reference(
        "polansky-baker-2000",
        "article",
        ("Alan M. Polansky", "Edsel R. Baker"),
        2000,
        "Multistage Plug-In Bandwidth Selection for Kernel Distribution Function Estimates",
        "Journal of Statistical Computation and Simulation",
        volume="65",
        pages="63–80",
    ),
    Reference(
        "dissmann-2013",
        "article",
        ("Jeffrey Dißmann", "Eike C. Brechmann", "Claudia Czado", "Dorota Kurowicka"),
        2013,
        "Selecting and Estimating Regular Vine Copulae and Application to Financial Returns",
        "Computational Statistics & Data Analysis",
        volume="59",
        pages="52–69",
        doi="10.1016/j.csda.2012.08.010",
    ),
    Reference(
        "smucker-2007",
        "inproceedings",
        ("Mark D. Smucker", "James Allan", "Ben Carterette"),
        2007,
        "A Comparison of Statistical Significance Tests for Information Retrieval Evaluation",
        "Proceedings of the Sixteenth ACM Conference on Information and Knowledge Management",
        "CIKM ’07",
        pages="623–632",
        doi="10.1145/1321440.1321528",
    ),
    Reference(
        "carterette-2012",
        "article",
        ("Ben Carterette",),
        2012,
        "Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments",
        "ACM Transactions on Information Systems",
        volume="30",
        issue="1",
        pages="article 4",
        doi="10.1145/2094072.2094076",
    ),
    Reference(
        "sakai-2018",
        "book",
        ("Tetsuya Sakai",),
        2018,
        "Laboratory Experiments in Information Retrieval: Sample Sizes, Effect Sizes, and Statistical Power",
        "Springer",
        doi="10.1007/978-981-13-1199-4",
    ),
    Reference(
        "hall-1992",
        "article",
        ("Peter Hall",),
        1992,
        "On the Removal of Skewness by Transformation",
        "Journal of the Royal Statistical Society: Series B",
        volume="54",
        issue="1",
        pages="221–228",
        doi="10.1111/j.2517-6161.1992.tb01876.x",
    ),
    Reference(
        "gaffke-2005",
        "article",
        ("Norbert Gaffke",),
        2005,
        "Three Test Statistics for a Nonparametric One-Sided Hypothesis on the Mean of a Nonnegative "
        "Variable",
        "Mathematical Methods of Statistics",
        volume="14",
        issue="4",
        pages="451–467",
    ),
    Reference(
        "westfall-young-1993",
        "book",
        ("Peter H. Westfall", "S. Stanley Young"),
        1993,
        "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment",
        "Wiley",
    ),
    Reference(
        "mogstad-2024",
        "article",
        ("Magne Mogstad", "Joseph P. Romano", "Azeem M. Shaikh", "Daniel Wilhelm"),
        2024,
        "Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement "
        "across Countries",
        "The Review of Economic Studies",
        volume="91",
        issue="1",
        pages="476–518",
        doi="10.1093/restud/rdad006",
    ),
    Reference(
        "hansen-2011",
        "article",
        ("Peter R. Hansen", "Asger Lunde", "James M. Nason"),
        2011,
        "The Model Confidence Set",
        "Econometrica",
        volume="79",
        issue="2",
        pages="453–497",
        doi="10.3982/ECTA5771",
    ),
    Reference(
        "piepho-2004",
        "article",
        ("Hans-Peter Piepho",),
        2004,
        "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons",
        "Journal of Computational and Graphical Statistics",
        volume="13",
        issue="2",
        pages="456–466",
        doi="10.1198/1061860043515",
    ),
    Reference(
        "gramm-2007",
        "article",
        ("Jens Gramm", "Jiong Guo", "Falk Hüffner", "Rolf Niedermeier", "Hans-Peter Piepho", "Ramona Schmid"),
        2007,
        "Algorithms for Compact Letter Displays: Comparison and Evaluation",
        "Computational Statistics & Data Analysis",
        volume="52",
        issue="2",
        pages="725–736",
        doi="10.1016/j.csda.2006.09.035",
    ),
    Reference(
        "holm-1979",
        "article",
        ("Sture Holm",),
        1979,
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics",
        volume="6",
        issue="2",
        pages="65–70",
        url="https://www.jstor.org/stable/4615733",
    ),
    Reference(
        "benjamini-hochberg-1995",
        "article",
        ("Yoav Benjamini", "Yosef Hochberg"),
        1995,
        "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing",
        "Journal of the Royal Statistical Society: Series B (Methodological)",
        volume="57",
        issue="1",
        pages="289–300",
        doi="10.1111/j.2517-6161.1995.tb02031.x",
    ),
    Reference(
        "sanderson-zobel-2005",
        "inproceedings",
        ("Mark Sanderson", "Justin Zobel"),
        2005,
        "Information Retrieval System Evaluation: Effort, Sensitivity, and Reliability",
        *_sigir("28th Annual", 2005),
        pages="162–169",
        doi="10.1145/1076034.1076064",
    ),
    Reference(
        "urbano-2013",
        "inproceedings",
        ("Julián Urbano", "Mónica Marrero", "Diego Martín"),
        2013,
        "On the Measurement of Test Collection Reliability",
        *_sigir("36th", 2013),
        pages="393–402",
        doi="10.1145/2484028.2484038",
    ),
    Reference(
        "bodoff-li-2007",
        "inproceedings",
        ("David Bodoff", "Pu Li"),
        2007,
        "Test Theory for Assessing IR Test Collections",
        *_sigir("30th Annual", 2007),
        pages="367–374",
        doi="10.1145/1277741.1277805",
    ),
    Reference(
        "sakai-2016",
        "article",
        ("Tetsuya Sakai",),
        2016,
        "Topic Set Size Design",
        "Information Retrieval Journal",
        volume="19",
        issue="3",
        pages="256–283",
        doi="10.1007/s10791-015-9273-z",
    ),
    Reference(
        "angelopoulos-2023",
        "article",
        ("Anastasios N. Angelopoulos", "John C. Duchi", "Tijana Zrnic"),
        2023,
        "PPI++: Efficient Prediction-Powered Inference",
        "arXiv",
        pages="2311.01453",
        doi="10.48550/arXiv.2311.01453",
    ),
):
    register(_reference)


def reference(key: str) -> Reference:
    """The reference of that key.

    Raises:
        UnknownNameError: there is none.
    """
    return REFERENCES.find(key)


def bibtex(keys: Iterable[str]) -> str:
    """The BibTeX entries of these keys, one below the other.

    Args:
        keys: of references, as ``--explain`` and the page list them: ``truerank``, ``kendall-1938``.

    Returns:
        The entries, ready for a ``.bib`` file.

    Raises:
        UnknownNameError: a key that no reference has.

    Example:
        >>> from truerank.report import bibtex
        >>> print(bibtex(["truerank"]).splitlines()[0])
        @software{truerank,
    """
    return "\n".join(reference(key).bibtex() for key in keys)
