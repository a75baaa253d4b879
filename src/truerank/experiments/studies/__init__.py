"""The experiments, and what several of them share."""
