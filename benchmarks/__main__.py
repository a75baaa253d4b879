"""Run the benchmarks, all or those named: `python -m benchmarks [NAME …]`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

OTHERS = {"large", "__main__"}


def main(wanted: list[str]) -> None:
    names = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name not in OTHERS]
    for name in wanted or names:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").run()


if __name__ == "__main__":
    main(sys.argv[1:])
