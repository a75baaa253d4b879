"""The version, read from nowhere else."""

__version__ = "0.2.0"
