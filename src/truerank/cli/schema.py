"""`truerank schema`: the JSON that commands write, as strict schemas for pipelines that check it."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

from truerank.cli.command import argument, command
from truerank.errors import unknown_name


@command("schema", "assess")
def schema(
    name: Annotated[
        str | None,
        argument("NAME", "Command, e.g. assess or simulate-show. Without it: all names.", default=True),
    ] = None,
) -> None:
    """Print the JSON schema of what a command writes with --json."""
    schemas = {path.name.removesuffix(".json"): path for path in files("truerank.cli.schemas").iterdir()}
    if name is None:
        print("\n".join(sorted(schemas)))
    elif (known := name.replace(" ", "-")) not in schemas:
        raise unknown_name("schema", known, schemas)
    else:
        print(schemas[known].read_text(encoding="utf-8"), end="")
