"""Systems given by equations: constant masses and constant rows, without bodies."""
