"""Hydraulic systems."""
