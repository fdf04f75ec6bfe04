"""Vehicles and their suspensions."""
