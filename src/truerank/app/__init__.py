"""The page of a browser in which files are dropped: what it offers, its server, and the work behind it."""
