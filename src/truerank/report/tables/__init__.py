"""Tables as files: CSV, LaTeX, Markdown."""
