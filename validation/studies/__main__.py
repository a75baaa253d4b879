"""The studies on the command line: ``python -m validation.studies run peeking -o results/peeking``."""

import sys

from truerank.__main__ import main

if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["--help"]
    plugin = ["--plugin", "validation.studies"] if command in ("list", "run", "show") else []
    sys.argv = ["truerank", "experiment", command, *rest, *plugin]
    main()
