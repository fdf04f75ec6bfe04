"""Systems with a solution in closed form: where to start reading."""
