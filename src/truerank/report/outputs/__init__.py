"""The renderers: one per output, each for every view."""
