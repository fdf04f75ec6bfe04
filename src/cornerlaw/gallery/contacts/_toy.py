"""Data of the woodpecker toy that its two forms share: the printed sizes, masses and laws."""

from __future__ import annotations

from dataclasses import dataclass

from cornerlaw.gallery.contract import parameter


@dataclass(frozen=True)
class Toy:
    """Sleeve M, bird S, pole of radius r_0."""

    m_M: float = parameter(0.0003, "kg", "book")
    J_M: float = parameter(5.0e-9, "kg*m^2", "book")
    m_S: float = parameter(0.0045, "kg", "book")
    J_S: float = parameter(7.0e-7, "kg*m^2", "book")
    c_phi: float = parameter(0.0056, "N*m/rad", "book")
    gravity: float = parameter(9.81, "m/s^2", "book")
    r_0: float = parameter(0.0025, "m", "book")
    r_M: float = parameter(0.0031, "m", "book")
    h_M: float = parameter(0.0058, "m", "book")
    l_M: float = parameter(0.010, "m", "book")
    l_G: float = parameter(0.015, "m", "book")
    h_S: float = parameter(0.02, "m", "book")
    l_S: float = parameter(0.0201, "m", "book")
    mu: float = parameter(0.3, "1", "book")
    eps_beak: float = parameter(0.5, "1", "book")
    phi_S: float = parameter(-0.2788, "rad", "chosen: start of public implementations")
    y_dot: float = parameter(-0.3411, "m/s", "chosen: start of public implementations")
    phi_S_dot: float = parameter(-7.4583, "rad/s", "chosen: start of public implementations")
