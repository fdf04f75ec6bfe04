"""Time stepping: velocity-level corner laws over one step, impacts included."""
