"""What must hold for any file: it is read, or refused in one line that names it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from truerank.errors import InputError, UnforeseenError, UnknownNameError
from truerank.readers import read_scores
from truerank.readers.formats.format import FORMATS
from truerank.readers.run_formats import RUN_FORMATS, read_qrels, read_run
from truerank.scores import ScoreMatrix

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests" / "readers" / "fixtures"
CORPUS = ROOT / "tests" / "readers" / "corpus"
MEASURES = (None, "map", "AP", "NDCG@8", "NDCG@10", "acc", "exact_match", "graded", "x")
MISSING = ("error", "zero", "common", "complete", "model")


class Found(Exception):  # noqa: N818
    """An input for which something does not hold."""


def file_formats() -> list[str | None]:
    """Formats to read files as: whichever fits, and each by name."""
    return [None, *FORMATS]


def run_formats() -> list[str | None]:
    """Formats to read runs and judgments as."""
    return [None, *RUN_FORMATS]


def measure_of(path: Path) -> str | None:
    """A measure of a file that has several, which has to be named before anything of it is read."""
    try:
        read_scores(path)
    except (InputError, UnknownNameError) as error:
        named = re.search(r"choose one. Use measure='([^']*)'", str(error))
        return named[1] if named else None
    return None


def check(path: Path, measure: str | None, missing: str, form: str | None) -> bool:
    """Whether the file is read (else it is refused, as it should be).

    Raises:
        Found: any other end.
    """
    try:
        scores = read_scores(path, measure, missing, format=form)  # type: ignore[arg-type]
    except UnforeseenError as error:
        raise Found(str(error)) from error.__cause__
    except (InputError, UnknownNameError) as error:
        message = str(error)
        if "\n" in message or not message.startswith(str(path)):
            raise Found(f"the message is not one line that starts with the file: {message!r}") from None
        return False
    except Exception as error:
        raise Found(f"{type(error).__name__}: {error}") from error
    if not isinstance(scores, ScoreMatrix):
        raise Found(f"read as {type(scores).__name__}")
    return True


def check_documents(path: Path, form: str | None) -> bool:
    """Whether the file is read as a run or as judgments (else it is refused as both, as it should be).

    Raises:
        Found: any other end.
    """
    read = 0
    for reader in (read_run, read_qrels):
        try:
            reader(path, form)
        except UnforeseenError as error:
            raise Found(str(error)) from error.__cause__
        except InputError as error:
            message = str(error)
            if "\n" in message or not message.startswith(str(path)):
                raise Found(f"the message is not one line that starts with the file: {message!r}") from None
        except Exception as error:
            raise Found(f"{type(error).__name__}: {error}") from error
        else:
            read += 1
    return read > 0


def keep(data: bytes, suffix: str) -> Path:
    """The failure as a file of the corpus, which the suite reads from then on."""
    CORPUS.mkdir(exist_ok=True)
    path = CORPUS / f"{hashlib.sha256(data).hexdigest()[:12]}{suffix}"
    path.write_bytes(data)
    return path
