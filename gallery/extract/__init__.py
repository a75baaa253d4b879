"""One script per public repository: from its files at one commit to a compact table."""
