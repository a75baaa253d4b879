"""`truerank schema`: what the JSON of a command looks like, for whatever checks it."""

from __future__ import annotations

from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="The command, e.g. assess or simulate-show; without it all are named."
        ),
    ] = None,
) -> None:
    """Print the JSON schema of what a command writes with --json."""
    from json import dumps

    from truerank.cli.schemas import WRITTEN
    from truerank.cli.schemas import schema as schema_of

    if name is None:
        typer.echo("\n".join(WRITTEN))
    else:
        typer.echo(dumps(schema_of(name.replace(" ", "-")), ensure_ascii=False, indent=1))
