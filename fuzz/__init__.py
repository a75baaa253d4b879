"""Spoilt files for every reader; see `make fuzz`."""
