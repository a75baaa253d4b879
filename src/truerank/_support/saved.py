"""Models in files: JSON with a format, its version, and a checksum that shows whether they were changed."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from truerank.errors import InputError


def checksum(document: Any) -> str:
    """SHA-256 of JSON data in one fixed spelling."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class SavedModel:
    """A kind of model that is saved."""

    format: str  # its name in files
    version: int  # increased when old code cannot read new files
    what: str  # its name in messages
    command: str  # the command that writes one

    def document(self, model: dict[str, Any]) -> dict[str, Any]:
        """The model with its format, version and checksum."""
        return {"format": self.format, "version": self.version, "checksum": checksum(model), "model": model}

    def read(self, text: str, source: str) -> dict[str, Any]:
        """The model in a document's text; refuses another document, a newer one and one that was changed."""
        document = None
        with suppress(ValueError, RecursionError):
            document = json.loads(text)
        if not isinstance(document, dict) or document.get("format") != self.format:
            raise InputError(f"{source}: this is not a {self.what}; write one with '{self.command}'")
        version = document.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise InputError(f"{source}: no version in this {self.what}; run '{self.command}' again")
        if version > self.version:
            raise InputError(
                f"{source}: written by a newer truerank (format {version}; this one reads up to "
                f"{self.version}); upgrade truerank or run '{self.command}' again"
            )
        model, whole = document.get("model"), False
        with suppress(ValueError):  # NaN or an infinite number, which no model is saved with
            whole = document.get("checksum") == checksum(model)
        if not whole or not isinstance(model, dict):
            raise InputError(
                f"{source}: the model was changed or damaged after it was written (its checksum does not "
                f"match); get the file again, or run '{self.command}' again"
            )
        return model
