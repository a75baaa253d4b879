"""Rankings of the same systems against each other."""
