"""Heavy checks against published figures; `make validate` runs them all."""
