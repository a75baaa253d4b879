"""The experiments, one a file."""
