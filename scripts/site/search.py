"""The search of the site finds every word: an error of its library is repaired in the built worker.

lunr joins equal ends of words by a key in which letters and the numbers of nodes run together: "123" may be
the letter 1 and node 23, or 12 and 3. Words are then lost, and others appear that no page has, on which a
query fails. The repaired key has a mark between its parts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.plugins import get_plugin_logger

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

log = get_plugin_logger("search")

KEY, REPAIRED = "e=e+s+o.id}return e}", 'e=e+s+o.id+";"}return e}'


def on_post_build(config: MkDocsConfig) -> None:
    """Repair the worker; a worker of another version fails a strict build."""
    for path in Path(config.site_dir).glob("assets/javascripts/workers/search.*.min.js"):
        script = path.read_text(encoding="utf-8")
        if script.count(KEY) != 1:
            log.warning("%s: the key of lunr's TokenSet is not where it was", path.name)
        path.write_text(script.replace(KEY, REPAIRED), encoding="utf-8")
