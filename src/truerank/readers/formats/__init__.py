"""The formats that scores are read from: a file each, and a registry that knows them."""
