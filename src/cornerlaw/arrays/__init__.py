"""Flat arrays and integer codes shared by the compiler and the kernels."""
