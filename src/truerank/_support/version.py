"""The version, read from nowhere else."""

__version__ = "0.3.0"
"""The version of truerank.

Example:
    >>> import truerank
    >>> truerank.__version__.count(".")
    2
"""
