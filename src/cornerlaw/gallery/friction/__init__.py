"""Systems that stick, slip, chatter and knock."""
