"""One pair of systems: their scores, their difference, its bounds, and the topics that a verdict needs."""
