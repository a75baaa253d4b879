"""The pages, one a file: which parts, in which order."""
