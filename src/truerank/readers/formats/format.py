"""The formats of scores by name, which of them a file or a folder is of, and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.registry import Registry
from truerank._support.wording import few
from truerank.errors import InputError, reading
from truerank.readers import cell_values
from truerank.readers.formats.adapter import OF_TABLES, Adapter
from truerank.readers.formats.source import Source, is_number
from truerank.readers.joining import join_systems
from truerank.readers.options import Options
from truerank.scores import ScoreMatrix

_MODULES = {
    "tables": ("text parquet json", "table records langfuse"),
    "lines": ("text json", "trec_eval ir_measures mt_metrics_eval"),
    "objects": ("json", "pytrec_eval"),
    "agents": ("json", "swe_bench terminal_bench harbor"),
    "tools": ("json", "promptfoo helm evalplus deepeval mteb"),
    "inspect_log": ("json zip", "inspect"),
    "lm_eval": ("json", "lm_eval"),
}
"""How the files of a module's formats start, and their names; the module has each as a constant."""
_STARTS = {name: starts.split() for starts, names in _MODULES.values() for name in names.split()}


class _Formats(Registry[Adapter]):
    """The package's own formats, and those that installed packages name as entry points."""

    _complete = False

    def __iter__(self) -> Iterator[str]:
        if not self._complete:
            self._complete = True
            for adapter in _installed():
                self.register(adapter)
        return super().__iter__()

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)


def _installed() -> Iterator[Adapter]:
    from importlib.metadata import entry_points

    for point in entry_points(group="truerank.adapters"):
        try:
            found = point.load()
            if not isinstance(found, Adapter):
                raise TypeError("it is not an Adapter")
        except Exception as error:  # a package of someone else
            raise InputError(
                f"the adapter {point.value} cannot be loaded ({type(error).__name__}: {error}); repair or "
                "uninstall the package"
            ) from None
        yield found


FORMATS = _Formats("format", homes={f"readers.formats.{home}": of for home, (_, of) in _MODULES.items()})
register = FORMATS.register


class SeveralDataSetsError(InputError):
    """A file of a folder, where each should be a data set, has several."""


def _fitting(source: Source) -> list[Adapter]:
    """The formats that fit a file or a folder, those of any table only where no other does.

    Modules for files of another start are not imported.
    """
    with reading(source.path):
        start = None if source.is_folder else source.content
        possible = [name for name in FORMATS if start is None or start in _STARTS.get(name, (start,))]
        fitting = [one for one in (FORMATS[name] for name in possible) if one.fits(source)]
        return [one for one in fitting if not one.tabular] or fitting


def recognized(source: Source) -> Adapter | None:
    """The one format of scores that a file fits, if there is one."""
    fitting = _fitting(source)
    return fitting[0] if len(fitting) == 1 else None


def format_of(source: Source, name: str | None = None) -> Adapter | None:
    """The format that is named, or the one that a file or folder fits; None where there is none."""
    if name is not None:
        return FORMATS.find(name)
    fitting = _fitting(source)
    if len(fitting) > 1:
        names = " or ".join(setting("format", one.name) for one in fitting)
        this = " or ".join(one.label for one in fitting)
        raise InputError(f"{source.path}: this may be {this}; say which with {names}")
    return fitting[0] if fitting else None


def folder_format(source: Source, name: str | None = None) -> Adapter | None:
    """The format of a folder as a whole; None where its files are to be looked at one by one."""
    found = format_of(source, name)
    return found if found is not None and found.files else None


def takes_several(source: Source, name: str | None = None) -> bool:
    """Whether a file is of a format of which several files make one table of more systems."""
    found = None if source.is_folder else format_of(source, name)
    return found is not None and not found.joined


def read_files(files: Sequence[str | Source], options: Options) -> ScoreMatrix:
    """The scores of one table, or of several files of one system or more each."""
    sources: list[Source] = []
    formats: list[Adapter] = []
    for file in files:
        source = file if isinstance(file, Source) else Source(file)
        if source.path in {one.path for one in sources}:
            raise InputError(f"{source.path}: given twice; give every system once")
        sources.append(source)
        with reading(source.path):
            found = format_of(source, options.format)
            if options.format is None and (found is None or found.tabular):
                _refuse_runs(source)
            if found is None:
                raise _unknown(source)
            formats.append(found)
        if formats[-1] is not formats[0]:
            raise InputError(
                f"{source.path}: this is {formats[-1].label}, and {sources[0].path} is {formats[0].label}; "
                "give files of one format, or make tables of them first"
            )
    if len(sources) > 1 and formats[0].joined:
        with reading(sources[0].path):
            parts = [read_as(formats[0], [one], options) for one in sources]
            return join_systems([one.path for one in sources], parts)
    return read_as(formats[0], sources, options)


def read_as(found: Adapter, sources: Sequence[Source], options: Options) -> ScoreMatrix:
    """The scores of files or a folder of one format."""
    with reading(", ".join(source.path for source in sources)):
        raw = found.read(sources, options)
        raw = raw if found.noun == "topic" else replace(raw, noun=found.noun)
        return checked(raw, found.label, found.takes, options)


def checked(raw: ScoreMatrix, label: str, takes: Sequence[str], options: Options) -> ScoreMatrix:
    """The scores under the name that their data set has from elsewhere; options in vain are refused."""
    if needless := options.given(*(name for name in (*OF_TABLES, "topics") if name not in takes)):
        raise InputError(f"{raw.where}this is {label}, so leave out {few(needless)}")
    if options.data_set is None:
        return raw
    own = raw.data_sets
    if len(own) > 1:
        raise SeveralDataSetsError(
            f"{raw.where}holds {len(own)} data sets of its own ({few(own)}), but in a folder each file is "
            "one. Give this file alone, or all files where each is a system"
        )
    name, origin = options.data_set, raw.origin
    if origin is not None:
        weights, families = origin.weights, origin.families
        origin = replace(
            origin,
            weights=weights and {name: weights[own[0]]},
            families=families and {name: families[own[0]]},
        )
    return replace(raw, data_sets=(name,), strata=np.zeros(raw.n, np.intp), origin=origin)


def _refuse_runs(source: Source) -> None:
    """Refuse what scores are made of."""
    cells, document = source.first_line.split(), source.document
    of_trec = len(cells) in (4, 6) and cells[1] in ("Q0", "0") and cells[3].lstrip("-").isdigit()
    of_trec |= (
        len(cells) == 3 and cells[0].isdigit() and cells[2].isdigit() and not cell_values.is_number(cells[1])
    )
    nested = list(document.values()) if isinstance(document, dict) and any(document.values()) else [None]
    if of_trec or all(isinstance(one, dict) and all(map(is_number, one.values())) for one in nested):
        remedy = either(
            "truerank.evaluate makes scores of runs and judgments", "give runs, and judgments with --qrels"
        )
        raise InputError(f"{source.path}: this reads as a run or judgments, not as scores; {remedy}")


def _unknown(source: Source) -> InputError:
    """Why a file is of no format that is known; a broken one is refused at once."""
    if source.is_folder:
        return InputError(f"{source.path}: this is a folder; give the files, or the folder alone")
    lines = source.first_record is not None
    _ = source.json if source.looks_like_json and not lines else source.text
    if not source.looks_like_json:
        return InputError(
            f"{source.path}: nothing in it looks like scores; name its format with {setting('format')}"
        )
    return InputError(
        f"{source.path}: this is {'JSON lines' if lines else 'JSON'}, but of no format that is known. Write "
        'a list of records, [{"topic": …, "system": …, "score": …}, …], or save them as CSV, TSV or Parquet'
    )
