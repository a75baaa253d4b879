"""SciPy's special functions are its own, in whatever order they and their package are imported."""

import subprocess
import sys

import pytest

FIRST = "from truerank.numerics.special import ndtr; assert 'scipy.special._basic' not in sys.modules"
THEN = "import scipy.special; from truerank.numerics.special import polygamma, stdtrit"
SAME = (
    "assert (ndtr, stdtrit, polygamma) == tuple(map(scipy.special.__dict__.get, "
    "('ndtr', 'stdtrit', 'polygamma'))); assert scipy.special.logsumexp([0.0]) == 0"
)
THREADED = (
    "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start(); "
    "from truerank.numerics.special import ndtr; assert 'scipy.special._basic' in sys.modules"
)


@pytest.mark.parametrize("script", [f"{FIRST}; {THEN}; {SAME}", f"{THREADED}; {THEN}; {SAME}"])
def test_the_functions_are_scipy_s_own(script):
    """Without all of `scipy.special` where it can be, as another thread might see it half made."""
    subprocess.run([sys.executable, "-c", f"import sys; {script}"], check=True)
