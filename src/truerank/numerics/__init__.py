"""Kernels that several rooms share."""
