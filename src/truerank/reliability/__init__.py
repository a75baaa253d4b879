"""How close an observed ranking is to the true one."""

from truerank._support.imports import no_function

no_function(__name__, "assess(scores)")
