"""The parts that pages are made of, one a file: each takes results and returns escaped markup."""
