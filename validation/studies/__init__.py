"""Studies of our own methods, run by the package's engine: do intervals, verdicts and plans hold?

They are plug-ins; importing this package registers them (``python -m validation.studies``).
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files

from truerank.experiments.execution import register
from truerank.experiments.experiment import add_texts

add_texts(files(__name__).joinpath("studies.toml"))
for _study in ("calibration", "subsets", "runs", "facets"):
    register(import_module(f"{__name__}.{_study}").EXPERIMENT)
