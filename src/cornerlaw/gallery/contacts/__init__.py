"""Systems whose parts touch, stick, slip and hit."""
