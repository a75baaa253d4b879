"""The studies on the command line: ``python -m validation.studies run peeking -o results/peeking``."""

import sys

import validation.studies  # noqa: F401  # registers them
from truerank.__main__ import main

if __name__ == "__main__":
    sys.argv = ["truerank", "experiment", *sys.argv[1:]]
    main()
