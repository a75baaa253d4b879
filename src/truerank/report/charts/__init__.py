"""The charts, one a file: each takes an assessment and a size and returns an Altair chart."""
