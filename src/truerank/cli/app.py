"""`truerank app`: a page in the browser that takes a file and shows its assessment."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from truerank.cli.options import grouped, option, switch

PORT = 8321


@grouped
def app(
    port: Annotated[int, option("N", "Port; 0: any free one.", min=0, max=65535)] = PORT,
    no_browser: Annotated[bool, switch("Do not open the browser.")] = False,
    public: Annotated[bool, switch("Serve on all addresses, with stricter limits.")] = False,
    allowed_host: Annotated[
        list[str] | None, option("NAME", "With --public: what browsers call the server; repeatable.")
    ] = None,
) -> None:
    """Assess a table in the browser: drop a file, see the page.

    Each file is read in memory, in a separate process, and forgotten. Nothing is written or sent anywhere.
    """
    from truerank._support.imports import APP, require

    require(APP)
    if public != bool(allowed_host):
        raise typer.BadParameter(
            "--public and --allowed-host NAME go together: name what browsers call the server"
        )
    for name in allowed_host or []:
        if not re.fullmatch(r"[\w.-]+|\[[\da-fA-F:]+\]", name):
            raise typer.BadParameter(f"--allowed-host takes a name such as ranks.example.org, not {name!r}")
    import webbrowser

    from truerank.app.server import serve

    serve(port, public, allowed_host or [], None if no_browser or public else webbrowser.open)
