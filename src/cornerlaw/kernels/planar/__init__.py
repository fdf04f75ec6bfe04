"""Trees in the plane: three numbers where space needs six."""
