"""The version, read from nowhere else."""

<<<<<<< HEAD
__version__ = "0.2.0"
=======
__version__ = "0.1.0"
"""The version of truerank.

Example:
    >>> import truerank
    >>> truerank.__version__.count(".")
    2
"""
>>>>>>> main
