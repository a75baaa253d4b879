"""Fewer topics: which to keep, and what they are worth."""
