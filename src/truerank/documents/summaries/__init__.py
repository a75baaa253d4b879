"""Summaries of document samples: one file each, and one line in the registry."""
