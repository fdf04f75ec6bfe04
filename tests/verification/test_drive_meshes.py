"""Shafts and gear meshes with two flanks: closed forms, separation, energy, impacts."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.errors import ModelError
from cornerlaw.gallery.drives import _rattle_map as rattle
from cornerlaw.gallery.drives import gear_rattling

R1, R2, J1, J2, PLAY = 0.05, 0.08, 2e-3, 8e-3, 1e-4
C, D = 2e7, 800.0


def pair(*mesh, speed=5.0, push=0.0) -> cl.Model:
    first = cl.Rotor("first", inertia=J1, speed=speed)
    second = cl.Rotor("second", inertia=J2)
    parts = [first, second, *[make(first, second) for make in mesh]]
    if push:
        parts.append(cl.Torque("push", first, value=push))
    flat = [item for part in parts for item in (part if isinstance(part, tuple) else (part,))]
    return cl.Model(*flat)


def flanks(first, second, **changes):
    given = {"radius_1": R1, "radius_2": R2, "backlash": PLAY, **changes}
    return drives.gear_flanks("teeth", first, second, **given)


def mesh(first, second, **changes):
    given = {
        "radius_1": R1, "radius_2": R2, "backlash": PLAY, "stiffness": C, "damping": D, **changes,
    }  # fmt: skip
    return drives.gear_mesh("teeth", first, second, **given)


def test_compliant_flank_separates_while_deflected() -> None:
    """TG-06: contact ends where the force vanishes, teeth still deflected; never a tension.

    Of one impact the closed form is known: m x'' + d x' + c x = 0 from x = 0, x' = v; the force
    c x + d x' vanishes at phi / w with tan(phi) = -2 D sqrt(1 - D^2) / (1 - 2 D^2).
    """
    law = cl.KelvinVoigt(C, D)
    model = pair(lambda a, b: flanks(a, b, law=law))
    t = np.linspace(0.0, 2e-3, 4001)
    sol = cl.simulate(model, 2e-3, method=cl.EventDriven(rtol=1e-11), t_eval=t)
    force, gap = sol["teeth.1"].lam_N, sol["teeth.1"].gap
    assert force.min() >= 0.0 and sol["teeth.2"].lam_N.min() >= 0.0
    assert force.max() > 100.0
    mass = 1.0 / (R1**2 / J1 + R2**2 / J2)
    v, delta, w_0 = 5.0 * R1, D / (2.0 * mass), math.sqrt(C / mass)
    w = math.sqrt(w_0**2 - delta**2)

    def depth(t):
        return v / w * np.exp(-delta * t) * np.sin(w * t)

    def pressed(t):
        rate = v * np.exp(-delta * t) * (np.cos(w * t) - delta / w * np.sin(w * t))
        return C * depth(t) + D * rate

    end = brentq(pressed, 0.3 * math.pi / w, math.pi / w)
    begin = 0.5 * PLAY / v
    loaded = sol.t[force > 0.0]
    assert loaded[0] == pytest.approx(begin, abs=2.0 * 5e-7)
    assert loaded[-1] == pytest.approx(begin + end, abs=2.0 * 5e-7)
    inside = (sol.t > begin + 1e-9) & (sol.t < begin + end - 1e-9)
    assert force[inside] == pytest.approx(pressed(sol.t[inside] - begin), abs=1e-5 * force.max())
    print(
        f"\nTG-06: least forces {force.min():g} and {sol['teeth.2'].lam_N.min():g} N, separation "
        f"at a deflection of {depth(end):.3e} m"
    )
    # at separation the gap is still negative, by the closed form
    assert depth(end) > 1e-7
    assert np.interp(begin + end, sol.t, gap) == pytest.approx(-depth(end), rel=1e-3)
    # what the teeth store and dissipate is counted, with jumps at located events
    book = drives.audit(sol, model)
    assert book.gap < 1e-6 and book.dissipated["teeth.1"] > 0.05 * book.turnover
    kinds = [(event.kind, event.time) for event in sol.events if event.name == "teeth.1"]
    assert any(abs(time - begin) < 1e-12 for _, time in kinds), kinds


def test_force_element_is_the_same_mesh() -> None:
    t = np.linspace(0.0, 4e-3, 401)
    method = cl.EventDriven(rtol=1e-11)
    one = pair(lambda a, b: flanks(a, b, law=cl.KelvinVoigt(C, D)), push=-10.0)
    two = pair(mesh, push=-10.0)
    exact = cl.simulate(one, 4e-3, method=method, t_eval=t)
    # corners are found by the step control only, and each costs about its tolerance
    found = cl.simulate(two, 4e-3, method=cl.RungeKutta8(rtol=1e-11, atol=1e-13), t_eval=t)
    rows = np.searchsorted(exact.t, t, side="right") - 1
    for name in ("first", "second"):
        assert found[f"{name}.speed"] == pytest.approx(exact[f"{name}.speed"][rows], abs=1e-7)
    assert found["teeth.force_1"].min() >= 0.0 and found["teeth.force_2"].min() >= 0.0
    assert found["teeth.force_1"].max() > 0.0 and found["teeth.force_2"].max() > 0.0


def test_mesh_closes_its_energy_audit() -> None:
    stiffness = drives.contact_ratio_stiffness(C / 2.0, 1.6)
    model = pair(lambda a, b: mesh(a, b, stiffness=stiffness, oil=4.0, teeth=17), push=30.0)
    t = np.linspace(0.0, 5e-3, 20001)
    sol = cl.simulate(model, 5e-3, method=cl.RungeKutta8(rtol=1e-10, atol=1e-13), t_eval=t)
    book = drives.audit(sol, model)
    assert book.gap < 1e-6
    assert book.dissipated["teeth"] > 1e-3 * book.turnover
    assert book.lowest["teeth"] >= -1e-9 * sol["teeth.loss"].max()
    assert set(book.supplied) == {"push"}


def test_audit_of_compliant_flanks_closes_on_both_roads() -> None:
    """Under time stepping a contact may begin a hair before a row; the loss is of first order."""
    model = pair(lambda a, b: flanks(a, b, law=cl.KelvinVoigt(C, D)))
    exact = drives.audit(
        cl.simulate(model, 2e-3, method=cl.EventDriven(rtol=1e-11, max_step=1e-6)), model
    )
    assert exact.gap < 1e-6 and exact.dissipated["teeth.1"] > 0.0
    gaps = []
    for dt in (4e-7, 2e-7, 1e-7):
        book = drives.audit(cl.simulate(model, 2e-3, method=cl.Moreau(dt=dt)), model)
        assert book.dissipated["teeth.1"] == pytest.approx(
            exact.dissipated["teeth.1"], rel=2e3 * dt
        )
        assert book.created == 0.0
        gaps.append(book.gap)
    assert gaps[2] < 0.6 * gaps[1] < 0.36 * gaps[0]


def test_audit_notices_a_damper_of_the_wrong_sign() -> None:
    """The loss is that of the law, the force has the other sign: the balance opens."""
    right = drives.shaft("link", "first.angle", "second.angle", stiffness=50.0, damping=0.02)

    def wrong(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        moment = p[0] * (q[0] - p[2] * q[1] - p[3]) - p[1] * (u[0] - p[2] * u[1])
        Q[0] = -moment
        Q[1] = p[2] * moment

    t = np.linspace(0.0, 0.1, 2001)
    gaps = []
    for part in (right, right.replace(law=wrong)):
        model = pair(lambda a, b, part=part: part, speed=10.0)
        gaps.append(drives.audit(cl.simulate(model, 0.1, t_eval=t), model).gap)
    assert gaps[0] < 1e-9 and gaps[1] > 0.1


def test_rigid_flanks_share_momentum_by_newton() -> None:
    model = pair(lambda a, b: flanks(a, b, eps_N=0.4), speed=5.0)
    sol = cl.simulate(model, 1e-3, method=cl.EventDriven())
    hit = next(event for event in sol.events if event.kind == "impact")
    assert hit.time == pytest.approx(0.5 * PLAY / (5.0 * R1), rel=1e-9)
    mass = 1.0 / (R1**2 / J1 + R2**2 / J2)
    impulse = 1.4 * mass * 5.0 * R1
    k = np.searchsorted(sol.t, hit.time, side="right")
    assert sol["first.speed"][k] == pytest.approx(5.0 - R1 * impulse / J1, rel=1e-9)
    assert sol["second.speed"][k] == pytest.approx(-R2 * impulse / J2, rel=1e-9)


def test_stiffness_over_the_contact_ratio() -> None:
    c = drives.contact_ratio_stiffness(1.0, 2.75)
    x = np.arange(1000) / 1000.0
    values = np.array([c.at(v) for v in x])
    assert values.mean() == pytest.approx(2.75, rel=1e-12)
    assert values[(x > 0.2) & (x < 0.55)].mean() == pytest.approx(3.0, abs=0.05)
    assert values[(x > 0.85) & (x < 0.9)].mean() == pytest.approx(2.0, abs=0.1)


def test_mesh_damping_is_lehrs_ratio_of_the_reduced_mass() -> None:
    """The example of the source: about 4.4e3 N s/m for 0.31 kg, 4e8 N/m and a ratio of 0.2."""
    mass, c = 0.31, 4e8
    r = 0.05
    d = drives.mesh_damping(0.2, c, 2.0 * mass * r**2, r, 2.0 * mass * r**2, r)
    assert d == pytest.approx(2.0 * 0.2 * math.sqrt(c * mass), rel=1e-12)
    assert d == pytest.approx(4.4e3, rel=0.02)


def exact_frequency(J_1, J_2, J, c) -> float:
    """First torsion frequency of a bar with discs: (J - k_1 k_2 z^2) tan z = ... by its root."""

    def residual(z):
        # phi = cos(z x) + b sin(z x): c z b = -w^2 J_1 at x = 0, c phi' = w^2 J_2 phi at x = 1
        w2 = c * z * z / J
        b = -w2 * J_1 / (c * z)
        end = math.cos(z) + b * math.sin(z)
        slope = z * (-math.sin(z) + b * math.cos(z))
        return c * slope - w2 * J_2 * end

    z = brentq(residual, 0.05, math.pi - 1e-6)
    return z * math.sqrt(c / J)


def test_modal_shaft_has_the_frequency_of_the_bar() -> None:
    J, c, J_1, J_2 = 0.02, 5e3, 0.03, 0.05
    expected = exact_frequency(J_1, J_2, J, c)
    errors = []
    for modes in (0, 1, 3):
        bar = drives.modal_shaft("bar", inertia=J, stiffness=c, modes=modes, first=J_1, second=J_2)
        found = cl.linearise(cl.Model(*bar))
        lowest = min(w for w in (abs(x.imag) for x in found.eigenvalues) if w > 1.0)
        errors.append(lowest / expected - 1.0)
    assert 0.0 < errors[2] < errors[1] < errors[0] < 0.05  # Ritz: from above
    assert errors[2] < 1e-4


def test_modal_shaft_of_many_modes() -> None:
    """Twelve modes: every entry of both matrices has its own parameter."""
    J, c, J_1, J_2 = 0.02, 5e3, 0.03, 0.05
    bar, twist = drives.modal_shaft(
        "bar", inertia=J, stiffness=c, modes=12, first=J_1, second=J_2, lehr=0.01
    )
    assert len(twist.parameters) == 2 * 14**2
    found = cl.linearise(cl.Model(bar, twist))
    assert len(found.eigenvalues) == 2 * 14
    lowest = min(w for w in (abs(x) for x in found.eigenvalues) if w > 1.0)
    # Ritz: from above; damping of 1 % moves the magnitude by its square
    assert 0.0 < lowest / exact_frequency(J_1, J_2, J, c) - 1.0 < 1e-4


def test_lumped_shaft_converges_to_the_bar() -> None:
    J, c = 0.02, 5e3
    exact = math.pi * math.sqrt(c / J)  # free at both ends
    errors = []
    for lumps in (8, 16):
        parts = drives.lumped_shaft("bar", inertia=J, stiffness=c, lumps=lumps)
        found = cl.linearise(cl.Model(*parts))
        lowest = min(w for w in (abs(x.imag) for x in found.eigenvalues) if w > 1.0)
        # a chain of n lumps: w = 2 n sqrt(c / J) sin(pi / 2 n)
        chain = 2.0 * lumps * math.sqrt(c / J) * math.sin(0.5 * math.pi / lumps)
        assert lowest == pytest.approx(chain, rel=1e-6)
        errors.append(abs(lowest / exact - 1.0))
    assert errors[1] == pytest.approx(errors[0] / 4.0, rel=0.02)


def test_wrong_meshes_are_named() -> None:
    a, b = cl.Rotor("a", inertia=1.0), cl.Rotor("b", inertia=1.0)
    with pytest.raises(ModelError, match="backlash must be > 0"):
        drives.gear_flanks("m", a, b, radius_1=1.0, radius_2=1.0, backlash=0.0)
    with pytest.raises(ModelError, match="needs the teeth"):
        mesh(a, b, stiffness=drives.contact_ratio_stiffness(C, 1.5))
    with pytest.raises(ModelError, match="'m': an axis must be"):
        drives.shaft("m", 3, b, stiffness=1.0)
    with pytest.raises(ModelError, match="> 0 everywhere"):
        drives.MeshStiffness(1.0, (2.0,))


# ---- gear rattling


def test_roads_agree_with_the_map_of_the_rattling_gear() -> None:
    """A3: periodic with three impacts; time stepping converges to the same orbit."""
    p = gear_rattling.Parameters(backlash=3e-4)
    late = rattle.orbit(p, 200)[-40:]
    exact = sorted({round(impact.speed, 6) for impact in late})
    end = 60.0 * 2.0 * math.pi / p.frequency
    sol = gear_rattling.simulate(
        p, t_end=end, method=cl.Moreau(dt=2e-5), t_eval=np.linspace(0.0, end, 30001)
    )
    slow = sol.t > 0.8 * end
    v = p.radius * sol["loose"].speed[slow]
    print(f"\nA3: largest speed {v.max():.6g} by steps, {exact[-1]:.6g} m/s by the map")
    # speeds just before an impact are the extremes of the orbit; the scheme is of first order
    assert v.max() == pytest.approx(exact[-1], rel=0.02)
    # or just after one
    assert v.min() == pytest.approx(min(exact[0], -p.restitution * exact[-1]), rel=0.02)
    assert rattle.lyapunov(p, rattle.orbit(p, 600)[200:]) < -1.0


def test_bifurcation_diagram_and_exponents_have_matching_signs() -> None:
    """A3: chaotic, several impacts, two impacts per period, once transients have died out.

    At 0.8 and 1.0 the motion looks chaotic for some 1,000 impacts and then finds a periodic orbit;
    those chosen here stay chaotic for 8,000 impacts.
    """
    p = gear_rattling.Parameters()
    rows = gear_rattling.diagram(p, (0.7, 1.0, 1.2, 1.5, 2.5, 3.3), settle=3000, keep=300)
    kinds = [(gear_rattling.distinct(late, p), exponent) for _, late, exponent in rows]
    for row, (count, exponent) in zip(rows, kinds, strict=True):
        print(f"\nA3: backlash {row[0]:g}: {count} speeds, exponent {exponent:.1f} 1/s", end="")
    for count, exponent in (kinds[0], kinds[2], kinds[4]):
        assert count > 100 and exponent > 10.0
    for k, count in ((1, 3), (3, 3), (5, 2)):
        assert kinds[k][0] == count and kinds[k][1] < -1.0


@pytest.mark.verify
def test_exponent_of_the_map_is_that_of_the_model() -> None:
    """Both follow the motion after the transients, which are chaotic for three seconds."""
    p = gear_rattling.Parameters(backlash=3.3e-4)
    late = rattle.orbit(p, 1400)[400:]
    found = cl.lyapunov_exponent(
        gear_rattling.build(p), duration=6.0, interval=0.05, transient=6.0,
        method=cl.EventDriven(rtol=1e-12, atol=1e-15),
    )  # fmt: skip
    assert found.value == pytest.approx(rattle.lyapunov(p, late), abs=1.0)
    # two impacts in a period, complex multipliers: their product is that of all contractions
    period = 2.0 * math.pi / p.frequency
    exact = 2.0 * math.log(p.restitution) / period - 0.5 * p.oil
    assert rattle.lyapunov(p, late) == pytest.approx(exact, abs=0.5)
    chaotic = gear_rattling.Parameters(backlash=1.2e-4)
    grown = cl.lyapunov_exponent(
        gear_rattling.build(chaotic), duration=4.0, interval=0.02, transient=2.0,
        method=cl.EventDriven(rtol=1e-12, atol=1e-15),
    )  # fmt: skip
    expected = rattle.lyapunov(chaotic, rattle.orbit(chaotic, 3000)[200:])
    assert grown.value == pytest.approx(expected, rel=0.3)
