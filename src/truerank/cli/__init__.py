"""The command line: parse, call the library, print. One file per command; errors in one clear line."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import TextIO

import typer
from typer.exceptions import TyperException

from truerank._support.arguments import speaking_of_options
from truerank._support.files import MAX_INPUT, cannot_write, parse_size
from truerank._support.version import __version__
from truerank.cli.options import notify, written_last
from truerank.cli.parsing import App, message_of
from truerank.errors import TruerankError

# In the order of the help, with the rest of an example; each is a module of this package, under its name.
COMMANDS = {
    "assess": "scores.csv --baseline bm25 --html page.html",
    "evaluate": "--qrels qrels.txt -m AP -o scores runs/",
    "import": "results/ -o scores.csv",
    "compare": "scores/AP.csv scores/nDCG@10.csv",
    "gate": "scores.csv --baseline bm25 --candidate dense",
    "significance": "scores.csv --test t --correction holm",
    "documents": "--qrels qrels.txt -m AP runs/",
    "topics": "scores.csv --csv tables",
    "board": "scores.csv -o board.json",
    "plan": "scores.csv --tau 0.9",
    "app": "",
    "simulate": "",
    "experiment": "",
    "schema": "assess",
    "demo": "demo",
}


BESIDE = {"board": "assess", "topics": "significance"}  # commands that stand in the file of another

INTERNAL_ERROR = 3  # exit code for an internal error; 1 and 4 are verdicts of gate
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"truerank {__version__}")
        raise typer.Exit


def _raise_limit(context: typer.Context, given: str | None) -> None:
    """Read more of one file, as the environment variable would have it, for this command alone."""
    if given is None:
        return
    try:
        parse_size(given)
    except ValueError:
        raise typer.BadParameter(f"{given!r} is not a valid size; write e.g. 500M or 4G") from None
    before = os.environ.get(MAX_INPUT)
    os.environ[MAX_INPUT] = given

    def restore() -> None:
        del os.environ[MAX_INPUT]
        if before is not None:
            os.environ[MAX_INPUT] = before

    context.call_on_close(restore)


def _root(
    max_input: str | None = typer.Option(
        None,
        "--max-input",
        metavar="SIZE",
        callback=_raise_limit,
        help=f"Largest input file, unpacked, e.g. 4G. [default: {MAX_INPUT} or 1G]",
    ),
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Print the version and stop."
    ),
) -> None:
    pass


@cache
def application(only: str | None = None) -> App:
    """All commands, or one of them alone: to import the others takes longer than to run it."""
    made = App(
        name="truerank",
        help="Estimate how close a leaderboard is to the true ranking.",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    )
    made.callback()(_root)
    for name in (only,) if only in COMMANDS else COMMANDS:
        function = f"{name}_" if iskeyword(name) else name
        module = import_module(f"truerank.cli.{BESIDE.get(name, function)}")
        several = getattr(module, "app", None)
        if isinstance(several, App):
            made.add_typer(several)
        else:
            made.command(name, epilog=f"Example: truerank {name} {COMMANDS[name]}".rstrip())(
                getattr(module, function)
            )
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 0 done, 2 unusable input, 3 internal error."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    _prepare_output()
    try:
        with written_last(), speaking_of_options():
            given = sys.argv[1:] if arguments is None else list(arguments)
            named = given[0] if given and given[0] in COMMANDS else None
            code = application(named)(args=given, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except TyperException as error:
        context = getattr(error, "ctx", None)
        hint = f" (see '{context.command_path} --help')" if context else ""
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(error.format_message())
            return 2
        return _refuse(message_of(error) + hint)
    except TruerankError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        return _reader_went_away()
    except SystemExit as stop:
        # The parser turns a broken pipe into this.
        return _reader_went_away() if stop.code == 1 else 2
    except OSError as error:
        if error.errno in _FULL and not error.filename:  # what writes to a file names it
            _discard(sys.stdout)
            return _refuse(str(cannot_write("standard output", error)))
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")
    except MemoryError:
        return _refuse("not enough memory; try fewer draws or fewer systems")
    except (KeyboardInterrupt, typer.Abort):
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


def _reader_went_away() -> int:
    """The reader closed the pipe (`truerank … | head`); exit quietly."""
    _discard(sys.stdout)
    with contextlib.suppress(OSError):
        sys.stderr.flush()
        return 0
    _discard(sys.stderr)
    return 0


def _discard(stream: TextIO) -> None:
    """Discard what is written there from here on, also what Python still holds when it ends."""
    with contextlib.suppress(OSError, ValueError):  # a replaced stream may have no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _refuse(message: str) -> int:
    try:
        notify("truerank: " + " ".join(message.split()))
    except OSError:
        _discard(sys.stderr)
    return 2
