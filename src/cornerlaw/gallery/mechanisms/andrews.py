"""Andrews' squeezer: seven links, three loops, one spring, driven within thirty milliseconds.

The planar mechanism of the IVP test set (problem "andrews", after Schiehlen's handbook): crank K1
on the ground at O and K2 on its pin; K3 on the ground at B and pulled to C by a spring; K5 and K7
on the ground at A with K4 and K6 on their ends. The tips of K2, K3, K4 and K6 meet in one point
P. There is no gravity; a constant moment drives the crank.

The coordinates are those of the test set: beta, Theta, gamma, Phi, delta, Omega, epsilon are the
angles of the joints "beta" ... "epsilon". Theta, Phi and Omega count relative to the links that
carry K2, K4 and K6; the absolute angles of all links are the angles of the bodies. Its six
equations are P_2 - P_3 = 0, P_2 - P_4 = 0, P_2 - P_6 = 0 in x and y with M q_ddot = f - G^T
lambda: the multipliers are the forces of the loop joints "P3", "P4" and "P6" on K3, K4 and K6.

All parameters and the end values are published. Only distances from the bearings enter the motion
of K3, K5 and K7, so their centres of mass lie anywhere on circles; here the first offset
(sa, ta, ua) lies along the link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, parameter

TITLE = "Andrews' squeezer"
TOPIC = "mechanisms"
SPEC: tuple[str, ...] = ("IVP-andrews",)
SOURCE = "IVP test set"
DOF = 1

T_END = 0.03  # [s]
ANGLES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
LOOPS = ("P3", "P4", "P6")
# a consistent position at rest, from the test set
START = (
    -0.06171389001427645,
    0.0,
    0.45527981916307037,
    0.22266839016588588,
    0.48736497954384256,
    -0.22266839016588588,
    1.2305474445498212,
)


@dataclass(frozen=True)
class Parameters:
    """Masses, inertias and lengths with the letters of the test set."""

    m1: float = parameter(0.04325, "kg", "book")
    m2: float = parameter(0.00365, "kg", "book")
    m3: float = parameter(0.02373, "kg", "book")
    m4: float = parameter(0.00706, "kg", "book")
    m5: float = parameter(0.07050, "kg", "book")
    m6: float = parameter(0.00706, "kg", "book")
    m7: float = parameter(0.05498, "kg", "book")
    i1: float = parameter(2.194e-6, "kg*m^2", "book")
    i2: float = parameter(4.410e-7, "kg*m^2", "book")
    i3: float = parameter(5.255e-6, "kg*m^2", "book")
    i4: float = parameter(5.667e-7, "kg*m^2", "book")
    i5: float = parameter(1.169e-5, "kg*m^2", "book")
    i6: float = parameter(5.667e-7, "kg*m^2", "book")
    i7: float = parameter(1.912e-5, "kg*m^2", "book")
    xa: float = parameter(-0.06934, "m", "book")
    ya: float = parameter(-0.00227, "m", "book")
    xb: float = parameter(-0.03635, "m", "book")
    yb: float = parameter(0.03273, "m", "book")
    xc: float = parameter(0.014, "m", "book")
    yc: float = parameter(0.072, "m", "book")
    d: float = parameter(0.028, "m", "book")
    da: float = parameter(0.0115, "m", "book")
    e: float = parameter(0.02, "m", "book")
    ea: float = parameter(0.01421, "m", "book")
    rr: float = parameter(0.007, "m", "book")
    ra: float = parameter(0.00092, "m", "book")
    ss: float = parameter(0.035, "m", "book")
    sa: float = parameter(0.01874, "m", "book")
    sb: float = parameter(0.01043, "m", "book")
    sc: float = parameter(0.018, "m", "book")
    sd: float = parameter(0.02, "m", "book")
    ta: float = parameter(0.02308, "m", "book")
    tb: float = parameter(0.00916, "m", "book")
    u: float = parameter(0.04, "m", "book")
    ua: float = parameter(0.01228, "m", "book")
    ub: float = parameter(0.00449, "m", "book")
    zf: float = parameter(0.02, "m", "book")
    zt: float = parameter(0.04, "m", "book")
    fa: float = parameter(0.01421, "m", "book")
    l0: float = parameter(0.07785, "m", "book")
    c0: float = parameter(4530.0, "N/m", "book")
    mom: float = parameter(0.033, "N*m", "book")


_SOURCE = "IVP test set, andrews, t = 0.03 s, PSIDE with rtol = atol = 1e-14"
_ANGLES_AT_END = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805303,
    0.5347301163226948,
    1.048080741042263,
)
_MULTIPLIERS_AT_END = (
    199.175333373191,
    -29.75531228015052,
    23.06654119098399,
    31.45271365475927,
    22.64249232082739,
    11.61740700019673,
)
REFERENCE = {
    # eight and five significant digits: half a unit of the last one, relative to the value
    **{
        f"{name} [rad]": Reference(value, 0.5e-8 * abs(value), _SOURCE)
        for name, value in zip(ANGLES, _ANGLES_AT_END, strict=True)
    },
    **{
        f"lambda_{k + 1} [N]": Reference(value, 0.5e-5 * abs(value), _SOURCE)
        for k, value in enumerate(_MULTIPLIERS_AT_END)
    },
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"c0": 5436.0},
    {"mom": 0.0396},
    {"m5": 0.0846},
    {"i7": 2.2944e-5},
)


def build(p: Parameters) -> cl.Model:
    """Return the squeezer at rest in the initial position of the test set."""
    ground = cl.Ground()
    k1 = cl.Body("K1", mass=p.m1, inertia=p.i1, com=(p.ra, 0.0))
    # x of K2 points from the tip back to the pin, as Theta counts
    k2 = cl.Body("K2", mass=p.m2, inertia=p.i2, com=(-p.da, 0.0))
    # the long side of K3, K4 and K7 lies along their negative y axes
    k3 = cl.Body("K3", mass=p.m3, inertia=p.i3, com=(p.sb, -p.sa))
    k4 = cl.Body("K4", mass=p.m4, inertia=p.i4, com=(0.0, p.ea - p.e))
    k5 = cl.Body("K5", mass=p.m5, inertia=p.i5, com=(p.ta, p.tb))
    k6 = cl.Body("K6", mass=p.m6, inertia=p.i6, com=(p.zf - p.fa, 0.0))
    k7 = cl.Body("K7", mass=p.m7, inertia=p.i7, com=(p.ub, -p.ua))
    start = dict(zip(ANGLES, START, strict=True))
    crank = cl.Revolute("beta", ground, k1, angle=start["beta"])
    tip = (-p.d, 0.0)
    return cl.Model(
        crank,
        cl.Revolute("theta", k1, k2, at=(p.rr, 0.0), angle=start["theta"]),
        cl.Revolute("gamma", ground, k3, at=(p.xb, p.yb), angle=start["gamma"]),
        cl.Revolute("delta", ground, k5, at=(p.xa, p.ya), angle=start["delta"]),
        cl.Revolute("phi", k5, k4, at=(p.zt, 0.0), angle=start["phi"]),
        cl.Revolute("epsilon", ground, k7, at=(p.xa, p.ya), angle=start["epsilon"]),
        cl.Revolute("omega", k7, k6, at=(0.0, -p.u), angle=start["omega"]),
        cl.Revolute("P3", k2, k3, at=tip, at_second=(0.0, -p.ss), closure=True),
        cl.Revolute("P4", k2, k4, at=tip, at_second=(0.0, -p.e), closure=True),
        cl.Revolute("P6", k2, k6, at=tip, at_second=(p.zf, 0.0), closure=True),
        cl.Spring(
            "spring",
            ground,
            k3,
            at=(p.xc, p.yc),
            at_second=(p.sd, -p.sc),
            stiffness=p.c0,
            rest=p.l0,
        ),
        cl.Torque("motor", crank, value=p.mom),
        name="andrews",
    )


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run the thirty milliseconds of the test set."""
    options.setdefault("t_end", T_END)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 601))
    # speeds reach 1e3 rad/s: errors of the small angles alone are what counts
    options.setdefault("method", cl.RungeKutta8(rtol=1e-10, atol=1e-12))
    return cl.simulate(build(p), **options)


def multipliers(sol: cl.Solution) -> NDArray[np.float64]:
    """Return lambda_1 ... lambda_6 of the test set's equations, one row per time."""
    return np.hstack([sol[f"{loop}.force"] for loop in LOOPS])


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare angles and multipliers at the end with the test set."""
    checks = [
        check_reference(f"{name} [rad]", float(sol[f"{name}.angle"][-1]), REFERENCE)
        for name in ANGLES
    ]
    for k, value in enumerate(multipliers(sol)[-1]):
        checks.append(check_reference(f"lambda_{k + 1} [N]", float(value), REFERENCE))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the seven angles over time."""
    from cornerlaw.plots import plot

    return plot(sol, *(f"{name}.angle" for name in ANGLES), title=TITLE)
