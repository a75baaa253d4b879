"""The version, read from nowhere else."""

__version__ = "0.1.0"
