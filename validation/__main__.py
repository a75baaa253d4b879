"""Run the validations, all or those named: `python -m validation [NAME …] [--quick]`."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import time

import validation
import validation.studies  # noqa: F401  # registers the studies that validations run
from validation.checks import Checks, NoDataError


def main(wanted: list[str]) -> int:
    """Run validations by module name; the exit code is 1 when a check failed."""
    if "--quick" in wanted:
        wanted = [name for name in wanted if name != "--quick"]
        os.environ["TRUERANK_QUICK"] = "1"
    modules = [m.name for m in pkgutil.iter_modules(validation.__path__) if m.name != "__main__"]
    found = {name: importlib.import_module(f"validation.{name}") for name in modules}
    names = [name for name, module in found.items() if hasattr(module, "run")]
    if unknown := [name for name in wanted if name not in names]:
        print(f"no validation {', '.join(unknown)}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    checks = Checks()
    for name in wanted or names:
        started = time.perf_counter()
        print(f"== {name}", flush=True)
        try:
            found[name].run(checks)
        except NoDataError as missing:
            print(f"  skipped: {missing}")
        print(f"   ({time.perf_counter() - started:.0f} s)")
    print(f"\n{checks.passed} checks passed, {len(checks.failed)} failed")
    for what in checks.failed:
        print(f"  FAIL {what}")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
