"""The event-driven road: smooth motion on index sets, exact switching between them."""
