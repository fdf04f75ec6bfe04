"""Systems that are about impacts: how velocities jump when bodies hit."""
