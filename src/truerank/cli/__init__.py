"""The command line: parse, call the library, print. One file a command; errors in one clear line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from truerank.cli import assess, demo, evaluate
from truerank.errors import TruerankError
from truerank.version import __version__

app = typer.Typer(
    name="truerank",
    help="How close is this leaderboard to the true ranking?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
app.command("assess")(assess.assess)
app.command("evaluate")(evaluate.evaluate)
app.command("demo")(demo.demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"truerank {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Print the version and stop."
    ),
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 0 done, 2 wrong use or unusable input."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = app(args=list(arguments) if arguments is not None else None, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except TyperException as error:
        context = getattr(error, "ctx", None)
        hint = f" (see '{context.command_path} --help')" if context else ""
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(error.format_message())
            return 2
        return _refuse(error.format_message() + hint)
    except TruerankError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        # The reader of our output went away (`truerank … | head`): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")
    except MemoryError:
        return _refuse("not enough memory; try fewer draws or fewer systems")
    except (KeyboardInterrupt, typer.Abort):
        return 130


def _refuse(message: str) -> int:
    from truerank.cli.terminal import printable

    print("truerank: " + printable(" ".join(message.split())), file=sys.stderr)
    return 2
