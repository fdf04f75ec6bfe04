"""The woodpecker toy in Siconos, with the parameters of the gallery."""

import os

# a matrix of three rows is no work for several threads
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np
from _toy import DT, MU, Q0, T_END, U0, contacts, mass, stiffness, weight


def build(mu=MU):
    """Return the toy and its time stepping, with a coefficient of friction of the beak."""
    import siconos.kernel as sk
    import siconos.numerics as sn

    toy = sk.LagrangianLinearTIDS(Q0, U0, mass(), stiffness(), np.zeros((3, 3)))
    toy.setFExtPtr(weight())
    system = sk.NonSmoothDynamicalSystem(0.0, T_END)
    system.insertDynamicalSystem(toy)
    for gap, normal, tangent, friction, eps in contacts(mu):
        law = sk.NewtonImpactFrictionNSL(eps, 0.0, friction, 2)
        relation = sk.LagrangianLinearTIR(np.array([normal, tangent], float), [gap, 0.0])
        system.link(sk.Interaction(law, relation), toy)
    solver = sk.FrictionContact(2, sn.SICONOS_FRICTION_2D_NSGS)
    solver.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = 1e-10
    solver.numericsSolverOptions().iparam[sn.SICONOS_IPARAM_MAX_ITER] = 1000
    stepping = sk.TimeStepping(
        system, sk.TimeDiscretisation(0.0, DT), sk.MoreauJeanOSI(0.5), solver
    )
    return toy, stepping
