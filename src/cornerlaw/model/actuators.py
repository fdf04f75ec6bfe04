"""Motors and controllers that act on a coordinate of a joint."""

from __future__ import annotations

from cornerlaw.model.forces import OnJoint
from cornerlaw.model.part import part
from cornerlaw.model.quantity import Scalar, scalar
from cornerlaw.model.values import Signal, signal


@part()
class Motor(OnJoint):
    """A motor behind a gear: L di/dt = voltage - R i - k ratio speed, torque = k ratio i.

    With inductance 0 the current follows at once; with inductance > 0 it is a state.
    """

    voltage: Signal = signal("V")
    resistance: Scalar = scalar("ohm", positive=True)
    inductance: Scalar = scalar("H", minimum=0.0, default=0.0)
    constant: Scalar = scalar("N*m/A|N/A", nonzero=True)
    ratio: Scalar = scalar("1", nonzero=True, default=1.0)
    current: Scalar = scalar("A", default=0.0)


@part()
class PD(OnJoint):
    """kp (target - q) + kd (target_speed - speed), limited to ±limit."""

    kp: Scalar = scalar("N*m/rad|N/m")
    kd: Scalar = scalar("N*m*s/rad|N*s/m", default=0.0)
    target: Signal = signal("rad|m", default=0.0)
    target_speed: Signal = signal("rad/s|m/s", default=0.0)
    limit: Scalar | None = scalar("N*m|N", positive=True, default=None)


@part()
class PID(OnJoint):
    """A PD controller plus ki times the integral of target - q, a state from `integral` on."""

    kp: Scalar = scalar("N*m/rad|N/m")
    ki: Scalar = scalar("N*m/(rad*s)|N/(m*s)")
    kd: Scalar = scalar("N*m*s/rad|N*s/m", default=0.0)
    target: Signal = signal("rad|m", default=0.0)
    target_speed: Signal = signal("rad/s|m/s", default=0.0)
    limit: Scalar | None = scalar("N*m|N", positive=True, default=None)
    integral: Scalar = scalar("rad*s|m*s", default=0.0)


@part()
class PositionActuator(OnJoint):
    """kp (target - q) - kd speed, limited to ±limit."""

    target: Signal = signal("rad|m", default=0.0)
    kp: Scalar = scalar("N*m/rad|N/m")
    kd: Scalar = scalar("N*m*s/rad|N*s/m", default=0.0)
    limit: Scalar | None = scalar("N*m|N", positive=True, default=None)


@part()
class VelocityActuator(OnJoint):
    """kv (target - speed), limited to ±limit."""

    target: Signal = signal("rad/s|m/s", default=0.0)
    kv: Scalar = scalar("N*m*s/rad|N*s/m")
    limit: Scalar | None = scalar("N*m|N", positive=True, default=None)
