"""The charts: each takes a result and a size and returns an Altair chart. Altair is imported to draw."""
