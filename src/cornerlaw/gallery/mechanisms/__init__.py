"""Linkages: chains, closed loops, redundant and singular mechanisms."""
