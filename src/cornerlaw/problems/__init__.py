"""Contact problems (G, c, sets) as values: built by hand, saved, loaded, checked without Numba."""

from cornerlaw.problems import sets
from cornerlaw.problems.problem import ContactProblem

__all__ = ["ContactProblem", "sets"]
