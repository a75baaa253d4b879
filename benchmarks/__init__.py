"""Benchmarks: every fast kernel beside the plain version of itself; `make bench` runs them all."""
