"""Drive trains that rattle, hammer, grab, shift and short-circuit."""
