"""Solvers of contact problems: objects a user chooses, results that were checked."""

from cornerlaw.simulate.complementarity.admm import ADMM
from cornerlaw.simulate.complementarity.auto import Auto, solve_problem
from cornerlaw.simulate.complementarity.certificate import (
    InfeasibilityCertificate,
    check_certificate,
    find_certificate,
)
from cornerlaw.simulate.complementarity.compiled import (
    AcceleratedGradient,
    GaussSeidel,
    Jacobi,
    Lemke,
    Pivoting,
    SemismoothNewton,
)
from cornerlaw.simulate.complementarity.enumeration import enumerate_solutions
from cornerlaw.simulate.complementarity.interior_point import InteriorPoint
from cornerlaw.simulate.complementarity.pyramid import solve_pyramid
from cornerlaw.simulate.complementarity.result import ContactResult

__all__ = [
    "ADMM",
    "AcceleratedGradient",
    "Auto",
    "ContactResult",
    "GaussSeidel",
    "InfeasibilityCertificate",
    "InteriorPoint",
    "Jacobi",
    "Lemke",
    "Pivoting",
    "SemismoothNewton",
    "check_certificate",
    "enumerate_solutions",
    "find_certificate",
    "solve_problem",
    "solve_pyramid",
]
