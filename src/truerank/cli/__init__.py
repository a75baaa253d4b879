"""The command line: parse, call the library, print. One file per command; errors in one clear line."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from keyword import iskeyword
from typing import Annotated

from truerank._support.arguments import speaking_of_options
from truerank._support.files import MAX_INPUT, cannot_write, discard, outliving_the_reader, parse_size
from truerank._support.version import __version__
from truerank.cli.command import Command, Commands, UsageError, option, switch
from truerank.cli.files import WRITTEN, notify
from truerank.errors import TruerankError

# In the order of the help, each with the module of this package that it stands in.
COMMANDS = {
    "assess": "assess",
    "evaluate": "evaluate",
    "import": "import_",
    "compare": "compare",
    "gate": "gate",
    "significance": "significance",
    "documents": "documents",
    "topics": "significance",
    "board": "assess",
    "plan": "plan",
    "app": "app",
    "schema": "files",
    "demo": "demo",
    "simulate": "simulate",
    "experiment": "experiment",
}
INTERNAL_ERROR = 3  # exit code for an internal error; 1 and 4 are verdicts of gate
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _size(given: str) -> str:
    with suppress(ValueError):
        parse_size(given)
        return given
    raise UsageError(f"--max-input: {given!r} is not a valid size; write e.g. 500M or 4G")


@contextmanager
def _program(
    max_input: Annotated[
        str | None,
        option("SIZE", "Largest input file, unpacked, e.g. 4G.", default=f"{MAX_INPUT} or 1G", check=_size),
    ] = None,
    version: Annotated[bool, switch("Print the version and stop.")] = False,
) -> Iterator[None]:
    """Read more of one file, as the environment variable would have it, for this command alone."""
    if version:
        print(f"truerank {__version__}", flush=True)
        raise SystemExit(0)
    before = os.environ.get(MAX_INPUT)
    os.environ |= {} if max_input is None else {MAX_INPUT: max_input}
    try:
        yield
    finally:
        os.environ.pop(MAX_INPUT, None)
        os.environ |= {} if before is None else {MAX_INPUT: before}


def _command(name: str) -> Command | Commands:
    """A command, by its name; only its module is imported."""
    module = import_module(f"truerank.cli.{COMMANDS[name]}")
    named = getattr(module, f"{name}_" if iskeyword(name) else name, None)
    found: Command | Commands = module.COMMANDS if named is None else named
    return found


ABOUT = "Estimate how close a leaderboard is to the true ranking."
PROGRAM = Commands("", ABOUT, [*COMMANDS], _command, _program)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 0 done, 2 unusable input, 3 internal error."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    _prepare_output()
    given, code = sys.argv[1:] if arguments is None else list(arguments), 0
    try:
        WRITTEN.clear()
        with speaking_of_options():
            code = PROGRAM.run(given) or 0
        with outliving_the_reader():
            sys.stdout.flush()
        for line in WRITTEN:
            notify(f"truerank: {line}")
        return code
    except UsageError as error:
        return _refuse(f"{error} (see '{error.command} --help')")
    except TruerankError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        return _reader_went_away(code)
    except SystemExit as stop:  # the version is printed
        return int(stop.code or 0)
    except OSError as error:
        if error.errno in _FULL and not error.filename:  # what writes to a file names it
            discard(sys.stdout)
            return _refuse(str(cannot_write("standard output", error)))
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")
    except MemoryError:
        return _refuse("not enough memory; try fewer draws or fewer systems")
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("TRUERANK_TRACEBACK"):
            raise
        name = type(error).__name__
        _refuse(
            f"Internal error: {name}: {error}. Please report it at truerank's issue tracker, "
            "with what the command prints when TRUERANK_TRACEBACK=1 is set"
        )
        return INTERNAL_ERROR


def _prepare_output() -> None:
    """Open missing streams, and replace characters that cannot be encoded instead of failing."""
    for number in (0, 1, 2):  # in ascending order: a file takes the first number that is free
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _reader_went_away(code: int) -> int:
    """The reader closed the pipe (`truerank … | head`); exit quietly."""
    discard(sys.stdout)
    try:
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)
    return code


def _refuse(message: str) -> int:
    try:
        notify("truerank: " + " ".join(message.split()))
    except OSError:
        discard(sys.stderr)
    return 2
