"""Contacts: distance, impacts, friction."""
