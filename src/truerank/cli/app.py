"""`truerank app`: a page in the browser that takes a file and shows its assessment."""

from __future__ import annotations

from typing import Annotated

from truerank.cli.options import grouped, option, switch

PORT = 8321


@grouped
def app(
    port: Annotated[int, option("N", "Port; 0: any free one.", min=0, max=65535)] = PORT,
    no_browser: Annotated[bool, switch("Do not open the browser.")] = False,
) -> None:
    """Assess a table in the browser: drop a file, see the page.

    Each file is read in memory, in a separate process, and forgotten. Nothing is written or sent anywhere.
    """
    from truerank._support.imports import APP, require

    require(APP)
    import webbrowser

    from truerank.app.server import serve

    serve(port, None if no_browser else webbrowser.open)
