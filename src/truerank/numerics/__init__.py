"""Kernels that several packages share."""
