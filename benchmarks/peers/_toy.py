"""The woodpecker toy in numbers, with the parameters of the gallery, for peers."""

import os

import numpy as np

T_END, DT = 0.5, 1e-4
# sleeve M, bird S, pole of radius r_0
m_M, J_M, m_S, J_S, c_phi, g = 0.0003, 5.0e-9, 0.0045, 7.0e-7, 0.0056, 9.81
r_0, r_M, h_M, l_M, l_G, h_S, l_S = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
MU, EPS = 0.3, 0.5
Q0, U0 = [0.0, -0.1036, -0.2788], [-0.3411, 0.0, -7.4583]


def mass():
    """Return the mass matrix."""
    a, b = l_M, l_G
    return np.array(
        [[m_S + m_M, m_S * a, m_S * b], [m_S * a, J_M + m_S * a * a, m_S * a * b],
         [m_S * b, m_S * a * b, J_S + m_S * b * b]]
    )  # fmt: skip


def stiffness():
    """Return the matrix of the spring between sleeve and bird."""
    return np.array([[0, 0, 0], [0, c_phi, -c_phi], [0, -c_phi, c_phi]], float)


def weight():
    """Return the forces of gravity."""
    return np.array([-(m_S + m_M) * g, -m_S * g * l_M, -m_S * g * l_G])


def contacts(mu=MU):
    """Return gap at zero angles, normal row, tangential row, friction and restitution of each."""
    play, beak = r_M - r_0, l_M + l_G - l_S - r_0
    return (
        (beak, [0, 0, -h_S], [1, l_M, l_G - l_S], mu, EPS),
        (play, [0, h_M, 0], [1, r_M, 0], MU, 0.0),
        (play, [0, -h_M, 0], [1, r_M, 0], MU, 0.0),
    )


def quiet():
    """Others write to stdout; the answer must stand alone there."""
    os.dup2(2, 1)
