"""From an Altair chart to SVG, PDF and PNG, without a browser and without a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from markupsafe import Markup

from truerank.files import PathLike, atomic_path, make_folder, safe_name

if TYPE_CHECKING:
    import altair

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"

PNG_SCALE = 4.0
"""Pixels a point in PNG files: 288 dots an inch."""

READABLE = "46rem"
"""On a narrow screen a wide chart scrolls instead of shrinking further than this."""


def svg(chart: altair.TopLevelMixin) -> str:
    """The chart as a standalone SVG document."""
    import altair
    import vl_convert

    version = ".".join(altair.SCHEMA_VERSION.split(".")[:2])
    specification = chart.to_dict(validate=False)  # validated in the tests, for it takes half the time
    text: str = vl_convert.vegalite_to_svg(specification, vl_version=version, allowed_base_urls=[])
    return _renumbered(text)


def _renumbered(document: str) -> str:
    """The document with its ids counted from 1: Vega counts on from one chart to the next."""
    ids = [e.get("id", "") for e in ElementTree.fromstring(document).iter() if e.get("id")]
    for number, old in enumerate(ids, start=1):
        for use in ('id="{}"', "url(#{})"):
            document = document.replace(use.format(old), use.format(f"part{number}"))
    return document


def shrunk(document: str, width: float) -> str:
    """An SVG document no wider than `width`: a wider one is made smaller as a whole."""
    root = ElementTree.fromstring(document)
    own, height = float(root.get("width", 0)), float(root.get("height", 0))
    if own <= width:
        return document
    for size, value in (("width", own), ("height", height)):
        document = document.replace(f'{size}="{root.get(size)}"', f'{size}="{value * width / own:.2f}"', 1)
    return document


def pdf(document: str) -> bytes:
    """An SVG document as PDF, its text as text."""
    import vl_convert

    data: bytes = vl_convert.svg_to_pdf(document)
    return data


def png(document: str) -> bytes:
    """An SVG document as PNG."""
    import vl_convert

    data: bytes = vl_convert.svg_to_png(document, scale=PNG_SCALE)
    return data


def write_files(documents: Mapping[str, str], folder: PathLike) -> list[Path]:
    """Each SVG document as SVG, PDF and PNG into a folder of one's own, made if need be.

    Files of these names are replaced. Returns what was written.

    Args:
        documents: by file name without suffix.
        folder: where the files go.

    Raises:
        InputError: the folder cannot be made or written to.
    """
    target = make_folder(folder)
    written = []
    for name, data in files(documents).items():
        with atomic_path(target / name) as temporary:
            temporary.write_bytes(data)
        written.append(target / name)
    return written


def files(documents: Mapping[str, str]) -> dict[str, bytes]:
    """Each SVG document, by name without suffix, as SVG, PDF and PNG, by file name."""
    made: dict[str, bytes] = {}
    for name, document in documents.items():
        contents = {"svg": document.encode(), "pdf": pdf(document), "png": png(document)}
        made.update(zip(file_names([name]), contents.values(), strict=True))
    return made


def file_names(names: Iterable[str]) -> list[str]:
    """The files that :func:`files` gives for documents of these names."""
    return [f"{safe_name(name)}.{kind}" for name in names for kind in ("svg", "pdf", "png")]


def inline(document: str, prefix: str, label: str) -> Markup:
    """An SVG document as an element of a page: it scales, and is one image with a label.

    Names are escaped by the serialiser, as they were by vl-convert. Ids get the prefix, because
    those of two charts on a page would meet. What a mark says of itself goes to ``data-about``,
    which the page shows on hover.
    """
    root = ElementTree.fromstring(document)
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        attributes = {name.replace(XLINK, ""): value for name, value in element.attrib.items()}
        axis = attributes.get("class", "").startswith("mark-group")
        about = attributes.pop("aria-label", None)
        if about is not None and not axis:
            attributes["data-about"] = about
        for name in ("role", "aria-roledescription", "aria-hidden", "pointer-events"):
            attributes.pop(name, None)
        if "id" in attributes:
            attributes["id"] = f"{prefix}-{attributes['id']}"
        for name, value in attributes.items():
            if value.startswith("url(#"):
                attributes[name] = f"url(#{prefix}-{value[5:]}"
        element.attrib.clear()
        element.attrib.update(attributes)
    width, height = root.attrib.pop("width"), root.attrib.pop("height")
    root.attrib.pop("class", None)
    root.set("style", f"width:{width}px;min-width:min({width}px,{READABLE});aspect-ratio:{width}/{height}")
    root.set("role", "img")
    root.set("aria-label", label)
    return Markup(ElementTree.tostring(root, encoding="unicode", short_empty_elements=True))
