"""The woodpecker toy in Siconos, with the parameters of the gallery."""

import os

# a matrix of three rows is no work for several threads
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np

T_END, DT = 0.5, 1e-4
# sleeve M, bird S, pole of radius r_0: the parameters of the gallery's woodpecker
m_M, J_M, m_S, J_S, c_phi, g = 0.0003, 5.0e-9, 0.0045, 7.0e-7, 0.0056, 9.81
r_0, r_M, h_M, l_M, l_G, h_S, l_S = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
MU, EPS = 0.3, 0.5
Q0, U0 = [0.0, -0.1036, -0.2788], [-0.3411, 0.0, -7.4583]


def build(mu=MU):
    """Return the toy and its time stepping, with a coefficient of friction of the beak."""
    import siconos.kernel as sk
    import siconos.numerics as sn

    a, b = l_M, l_G
    mass = np.array(
        [[m_S + m_M, m_S * a, m_S * b], [m_S * a, J_M + m_S * a * a, m_S * a * b],
         [m_S * b, m_S * a * b, J_S + m_S * b * b]]
    )  # fmt: skip
    stiffness = np.array([[0, 0, 0], [0, c_phi, -c_phi], [0, -c_phi, c_phi]], float)
    toy = sk.LagrangianLinearTIDS(Q0, U0, mass, stiffness, np.zeros((3, 3)))
    toy.setFExtPtr(np.array([-(m_S + m_M) * g, -m_S * g * a, -m_S * g * b]))
    system = sk.NonSmoothDynamicalSystem(0.0, T_END)
    system.insertDynamicalSystem(toy)
    play, beak = r_M - r_0, l_M + l_G - l_S - r_0
    contacts = (
        (beak, [0, 0, -h_S], [1, l_M, l_G - l_S], mu, EPS),
        (play, [0, h_M, 0], [1, r_M, 0], MU, 0.0),
        (play, [0, -h_M, 0], [1, r_M, 0], MU, 0.0),
    )
    for gap, normal, tangent, friction, eps in contacts:
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


def quiet():
    """Siconos writes to stdout; the answer must stand alone there."""
    os.dup2(2, 1)
