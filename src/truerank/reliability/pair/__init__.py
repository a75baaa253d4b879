"""One pair of systems: the two arms, their difference, its bounds, and what they say."""
