"""Compiled functions only: they see flat arrays, and know neither names nor users."""
