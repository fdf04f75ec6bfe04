<<<<<<< HEAD
"""Systems whose parts touch, stick, slip and hit."""
=======
"""Contacts: distance, impacts, friction."""
>>>>>>> contours
