"""Impact laws: velocities of all closed contacts after an impact from those before."""
