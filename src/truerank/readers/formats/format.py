"""What a format of scores is, the formats by name, and which of them a file or a folder fits."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from truerank._support.registry import Registry
from truerank._support.units import Noun
from truerank.errors import InputError, reading
from truerank.readers.formats.adapter import Adapter
from truerank.readers.formats.source import Content, Source
from truerank.readers.options import Options
from truerank.scores import ScoreMatrix

Takes = Literal["file", "files", "folder"]
"""One file; several files of other systems (or one); a folder as it stands."""

Read = Callable[[Sequence[Source], Options], ScoreMatrix]

_LOOKED_AT = 8
"""Files of a folder that are looked into before it is taken for something else: one may be broken."""


@dataclass(frozen=True)
class ScoreFormat:
    """A format that scores are read from, as files, as Python objects, or both.

    Attributes:
        name: what users type after ``--format``.
        label: what it is in a sentence, after 'this is': ``the output of trec_eval -q``.
        explanation: where it comes from, a sentence.
        takes: what one table may be read from.
        recognizes: whether a file is of this format, by its content; it raises nothing of its own.
        read: the scores in files of this format, whole or by what the user asked for.
        recognizes_object: the same of a Python object, by its shape; no library is imported to ask.
        read_object: the scores in such an object.
        content: what its files start like; others are not looked into. Empty where they may be anything.
        inside: patterns of the names that its files have in a folder, the most telling first.
        gives_way: the name of the format that a folder is of instead, where it holds files of both.
        general: whether it gives way to any other that fits: a table may have columns of any name.
        transposes: whether systems may be its rows or its columns, so that users may have to say which.
        tabular: whether users may name its columns.
        lists_some: whether it lists some topics only, so that users may give all.
        noun: what sentences call its topics; ``question`` in evaluations of LLMs.
    """

    name: str
    label: str
    explanation: str = ""
    takes: tuple[Takes, ...] = ("file",)
    recognizes: Callable[[Source], bool] | None = None
    read: Read | None = None
    recognizes_object: Callable[[Any], bool] | None = None
    read_object: Callable[[Any, Options], ScoreMatrix] | None = None
    content: tuple[Content, ...] = ()
    inside: tuple[str, ...] = ()
    gives_way: str = ""
    general: bool = False
    transposes: bool = False
    tabular: bool = False
    lists_some: bool = False
    noun: Noun = "topic"

    def fits(self, source: Source) -> bool:
        """Whether a file is of this format, or one of the first few in a folder that are named so."""
        recognizes = self.recognizes
        if recognizes is None:
            return False
        if not source.is_folder or not self.inside:
            return self._may_be(source) and recognizes(source)

        def good(file: Source) -> bool:
            try:
                return self._may_be(file) and recognizes(file)
            except InputError:
                return False

        if self.gives_way and FORMATS[self.gives_way].fits(source):
            return False
        return any(any(map(good, islice(_called(source, one), _LOOKED_AT))) for one in self.inside)

    def _may_be(self, source: Source) -> bool:
        """Whether a file starts like those of this format; a folder is known by the files in it."""
        return not self.content or source.is_folder or source.content in self.content

    def files_of(self, sources: Sequence[Source]) -> list[Source]:
        """The files that were given, and those in folders that are named as this format's are."""
        found: list[Source] = []
        for source in sources:
            inner = list(_called(source, *self.inside)) if source.is_folder and self.inside else [source]
            if not inner:
                names = " or ".join(self.inside)
                raise InputError(f"{source.path}: no {names} in this folder; give the folder that has them")
            found += inner
        return found


def _called(folder: Source, *patterns: str) -> list[Source]:
    return [one for one in folder.inner if any(fnmatch(Path(one.path).name, it) for it in patterns)]


_DECLARED: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def declared(
    name: str,
    read: Read | None = None,
    recognizes: Callable[[Source], bool] | None = None,
    read_object: Callable[[Any, Options], ScoreMatrix] | None = None,
    recognizes_object: Callable[[Any], bool] | None = None,
) -> ScoreFormat:
    """One of the package's own formats: as `format.toml` declares it, with the functions missing there."""
    entry: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in _DECLARED[name].items()
        if key != "home"
    }
    entry["explanation"] = " ".join(entry["explanation"].split())
    return ScoreFormat(
        name,
        recognizes=recognizes,
        read=read,
        recognizes_object=recognizes_object,
        read_object=read_object,
        **entry,
    )


def _by_home() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, entry in _DECLARED.items():
        home = f"readers.formats.{entry['home']}"
        found[home] = f"{found.get(home, '')} {name}"
    return found


class _Formats(Registry[ScoreFormat]):
    """All formats: the package's own, and the adapters that installed packages name as entry points."""

    _complete = False

    def register(self, thing: ScoreFormat | Adapter) -> ScoreFormat:
        """Make a format known by its name."""
        return super().register(_of_adapter(thing) if isinstance(thing, Adapter) else thing)

    def __iter__(self) -> Iterator[str]:
        if not self._complete:
            self._complete = True
            from truerank.readers.formats import agents, lm_eval, mteb, tools

            own = (one for module in (tools, agents, lm_eval, mteb) for one in module.ADAPTERS)
            for adapter in (*own, *_installed()):
                self.register(adapter)
        return super().__iter__()

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)


def _installed() -> Iterator[Adapter]:
    """The adapters of installed packages."""
    from importlib.metadata import entry_points

    for point in entry_points(group="truerank.adapters"):
        try:
            found = point.load()
        except Exception as error:  # a package of someone else
            raise InputError(
                f"the adapter {point.value} cannot be loaded ({type(error).__name__}: {error}); repair or "
                "uninstall the package"
            ) from None
        if not isinstance(found, Adapter):
            raise InputError(f"the entry point {point.value} is not an Adapter; repair the package")
        yield found


def _of_adapter(adapter: Adapter) -> ScoreFormat:
    return ScoreFormat(
        adapter.name,
        adapter.label,
        adapter.explanation,
        ("files", "folder"),
        adapter.fits,
        adapter.read,
        inside=adapter.files,
        gives_way=adapter.gives_way,
        noun=adapter.noun,
        content=("json", "text", "zip"),
    )


FORMATS = _Formats("format", homes=_by_home())
register = FORMATS.register


def fitting_formats(source: Source, kind: str) -> list[ScoreFormat]:
    """The formats that fit a file or a folder; the modules of those of other first bytes are not imported."""
    with reading(source.path):
        content = None if source.is_folder else source.content

        def may_start_so(name: str) -> bool:
            own = _DECLARED.get(name)
            return content is None or own is None or content in own.get("content", ())

        return [
            found
            for found in (FORMATS[name] for name in FORMATS if may_start_so(name))
            if any(taken.startswith(kind) for taken in found.takes)
            and (content is None or not found.content or content in found.content)
            and found.fits(source)
        ]


def recognized(source: Source) -> ScoreFormat | None:
    """The one format of scores that a file fits, if there is one."""
    fitting = fitting_formats(source, "file")
    special = [found for found in fitting if not found.general] or fitting
    return special[0] if len(special) == 1 else None
