"""symbolic(): the equations of motion of a small model as formulas.

    M(q) u_dot = h(q, u, t)

Bodies hang on a tree of joints; with J_i = (J_v, J_w) of each centre of mass,

    M = sum m J_v^T J_v + J_w^T I J_w + armature
    h = Q - sum m J_v^T (a - gravity) + J_w^T (I alpha + Omega x I Omega)

where a and alpha are the accelerations that are left when all u_dot are zero. Loops are rows,
M u_dot = h + W lambda.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.analysis.symbolic_rows import check_rows, write_rows
from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats
from cornerlaw.compile import Compiled, compile_model
from cornerlaw.compile.compiled import body_inertia
from cornerlaw.compile.topology import Node
from cornerlaw.errors import MissingExtraError, ModelError, UsageError
from cornerlaw.model import LagrangianSystem, Model, Rotor
from cornerlaw.model.arguments import clear_call

_JOINTS = (
    kinds.REVOLUTE, kinds.PRISMATIC, kinds.SCREW, kinds.CYLINDRICAL, kinds.UNIVERSAL,
    kinds.PLANAR, kinds.WELD, kinds.TRANSLATION_2, kinds.TRANSLATION_3,
)  # fmt: skip
_FORCES = ("Spring", "Damper", "TorsionSpring", "Torque", "Force")


@dataclass(frozen=True, eq=False)
class SymbolicEquations:
    """M(q) u_dot = h(q, u) + W(q) lambda as sympy matrices, with names and values of the symbols.

    g(q) = 0 are the rows that close loops, W = (dg/dq)^T and W^T u_dot + w_bar(q, u) = 0; a tree
    has none.
    """

    coordinates: tuple[str, ...]  # "joint.angle" of every entry of q
    velocities: tuple[str, ...]  # "joint.speed" of every entry of u
    q: tuple[Any, ...]  # symbols
    u: tuple[Any, ...]
    parameters: Mapping[Any, float]  # symbol -> value
    M: Any
    h: Any
    g: Any
    W: Any
    w_bar: Any

    def function(self) -> Callable[[Floats, Floats], tuple[Floats, Floats]]:
        """Return f(q, u) -> (M, h) that computes with the values of the model."""
        compute, n = self._compiled(self.M, self.h), len(self.u)

        def evaluate(q: Floats, u: Floats) -> tuple[Floats, Floats]:
            mass, force = compute(q, u)
            return np.array(mass, float).reshape(n, n), np.array(force, float).reshape(n)

        return evaluate

    def row_function(self) -> Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]:
        """Return f(q, u) -> (g, W, w_bar) that computes with the values of the model."""
        compute = self._compiled(self.g, self.W, self.w_bar)
        n, rows = len(self.u), len(self.g)

        def evaluate(q: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
            g, W, w_bar = (np.array(value, float) for value in compute(q, u))
            return g.reshape(rows), W.reshape(n, rows), w_bar.reshape(rows)

        return evaluate

    def _compiled(self, *matrices: Any) -> Callable[[Floats, Floats], Any]:
        import sympy

        values = list(self.parameters.values())
        arguments = [list(self.q), list(self.u), list(self.parameters)]
        compute = sympy.lambdify(arguments, matrices, modules="numpy", cse=True)
        return lambda q, u: compute(list(q), list(u), values)

    def to_python(self) -> str:
        """Return the source of a function equations(q, u, parameters) -> (M, h) with numpy.

        A model with loops has a second one, rows(q, u, parameters) -> (g, W, w_bar).
        """
        lines = ["import math", "", "import numpy as np", "", "", "PARAMETERS = {"]
        lines += [f'    "{symbol}": {value!r},' for symbol, value in self.parameters.items()]
        lines.append("}")
        what = "M and h of M(q) u_dot = h(q, u)"
        lines += self._python_function("equations", what, {"M": self.M, "h": self.h})
        if len(self.g):
            what = "g, W and w_bar of g(q) = 0, W^T u = 0, W^T u_dot + w_bar = 0"
            rows = {"g": self.g, "W": self.W, "w_bar": self.w_bar}
            lines += self._python_function("rows", what, rows)
        return "\n".join([*lines, ""])

    def _python_function(self, name: str, what: str, matrices: Mapping[str, Any]) -> list[str]:
        """Return the lines of a function that computes some matrices."""
        import sympy
        from sympy.printing.pycode import pycode

        symbols = sympy.numbered_symbols("_c")
        shared, reduced = sympy.cse(list(matrices.values()), symbols=symbols)
        lines = ["", "", f"def {name}(q, u, parameters=PARAMETERS):"]
        lines.append(f'    """Return {what}; q and u in the order below.')
        lines.append("")
        lines += [
            f"    {q} = {name}, {u} = {rate}"
            for q, u, name, rate in zip(
                self.q, self.u, self.coordinates, self.velocities, strict=True
            )
        ]
        lines.append('    """')
        for names, vector in ((self.q, "q"), (self.u, "u")):
            lines += [f"    {symbol} = {vector}[{k}]" for k, symbol in enumerate(names)]
        lines += [f'    {symbol} = parameters["{symbol}"]' for symbol in self.parameters]
        lines += [f"    {symbol} = {pycode(value)}" for symbol, value in shared]
        for key, matrix in zip(matrices, reduced, strict=True):
            flat = matrix.shape[1] == 1 and key != "W"
            shape = matrix.shape[0] if flat else matrix.shape
            lines.append(f"    {key} = np.zeros({shape})")
            lines += [
                f"    {key}[{i}] = {pycode(value)}" if flat
                else f"    {key}[{i}, {j}] = {pycode(value)}"
                for i in range(matrix.shape[0])
                for j in range(matrix.shape[1])
                if (value := matrix[i, j]) != 0
            ]  # fmt: skip
        return [*lines, f"    return {', '.join(matrices)}"]

    def to_latex(self) -> str:
        """Return M and h, and g where loops are closed, as aligned LaTeX equations."""
        import sympy

        def rate(k: int) -> str:
            return rf"\dot{{{sympy.latex(self.q[k])}}}"

        names = {symbol: rate(k) for k, symbol in enumerate(self.u)}
        shown = {"M": self.M, "h": self.h} | ({"g": self.g} if len(self.g) else {})
        lines = [f"{key} &= {sympy.latex(v, symbol_names=names)}" for key, v in shown.items()]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def __str__(self) -> str:
        lines = ["M u_dot = h with"]
        pairs = zip(self.q, self.u, self.coordinates, self.velocities, strict=True)
        lines += [f"  {q} = {name}, {u} = {speed}" for q, u, name, speed in pairs]
        lines += [f"  {symbol} = {value:g}" for symbol, value in self.parameters.items()]
        n = len(self.u)
        lines += [f"  M[{i + 1},{j + 1}] = {self.M[i, j]}" for i in range(n) for j in range(i, n)]
        lines += [f"  h[{i + 1}] = {self.h[i]}" for i in range(n)]
        lines += [f"  g[{i + 1}] = {self.g[i]}" for i in range(len(self.g))]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<SymbolicEquations in {', '.join(self.coordinates)}>"


@clear_call
def symbolic(model: Model, *, numbers: bool = False, simplify: bool = True) -> SymbolicEquations:
    """Return the equations of motion of a small model as formulas (needs the extra `symbolic`).

    numbers    put the values of masses, lengths, stiffnesses into the formulas instead of symbols
    simplify   shorten the formulas of planar models with trigonometric identities

    Supported: revolute, prismatic, screw, cylindrical, universal, planar and translational joints,
    welds, point masses, Rotor and Slider, LagrangianSystem with constant matrices, gravity, linear
    springs and dampers, torsion springs, constant forces and torques. Loops may be closed by every
    joint but `Screw` and `UserJoint`, and by `Distance`: these are the rows g, W and w_bar.
    Anything else is an error that names it. A drive is left out: the equations hold for free
    coordinates.
    """
    try:
        import sympy  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "symbolic equations need sympy: pip install cornerlaw[symbolic]"
        ) from None
    if not isinstance(model, Model):
        raise UsageError(f"a Model is needed, got {type(model).__name__}")
    compiled = compile_model(model)
    _check_supported(model, compiled)
    return _Writer(model, compiled, numbers).write(simplify)


def _check_supported(model: Model, c: Compiled) -> None:
    """Refuse what has no formula here, by name."""
    check_rows(model, c.tree.closures)
    for node in c.tree.nodes:
        if node.kind not in _JOINTS:
            part = node.joint if node.joint is not None else node.body
            label = part.label if part is not None else "a joint"
            raise ModelError(
                f"symbolic: {label} turns by a quaternion or by its own function, which has no "
                f"formula here; use Universal and Revolute joints instead"
            )
        if node.body is None or node.body.ROLE != "body":
            label = node.body.label if node.body is not None else "a moving frame"
            raise ModelError(
                f"symbolic: {label} has a prescribed motion, which has no formula here"
            )
    for part in model.forces:
        _check_force(part)
    for block in c.blocks:
        if isinstance(block, LagrangianSystem) and (callable(block.M) or callable(block.h)):
            raise ModelError(f"symbolic: {block.label} is given by functions, not by constants")


def _check_force(part: Any) -> None:
    kind = type(part).__name__
    extra = getattr(part, "force", None) or getattr(part, "torque", None)
    value = getattr(part, "value", 0.0)
    items = value if isinstance(value, tuple) else (value,)
    constant = all(isinstance(item, int | float) for item in items)
    if kind not in _FORCES or extra is not None or not constant:
        raise ModelError(
            f"symbolic: {part.label} has no formula here; supported are linear springs, dampers, "
            f"torsion springs, constant forces and torques"
        )


def _word(text: str) -> str:
    """Make a name that may stand in a formula and in Python code."""
    word = re.sub(r"\W+", "_", text).strip("_")
    return word if word and not word[0].isdigit() else f"p_{word}"


class _Writer:
    """Build the formulas body by body."""

    def __init__(self, model: Model, compiled: Compiled, numbers: bool) -> None:
        import sympy

        self.sp, self.model, self.c, self.numbers = sympy, model, compiled, numbers
        self.planar = model.dim == 2
        self.parameters: dict[Any, float] = {}
        self.taken: set[str] = set()
        coordinates = compiled.numbering.coordinates
        self.q = [self._unique(f"{k.part}_{k.name}") for k in coordinates]
        self.u = [self._unique(f"{k.part}_{k.rate}") for k in coordinates]
        n = len(coordinates)
        self.M, self.h = sympy.zeros(n, n), sympy.zeros(n, 1)
        self.velocity = sympy.Matrix(self.u) if n else sympy.zeros(0, 1)
        self.r: list[Any] = []
        self.A: list[Any] = []
        self.J_v: list[Any] = []  # of the body origins
        self.J_w: list[Any] = []
        self.Omega: list[Any] = []
        self.a: list[Any] = []  # of the body origins, for u_dot = 0
        self.alpha: list[Any] = []
        axes = "xyz"[: model.dim]
        gravity = model.gravity or (0.0,) * model.dim
        entries = [self.value(f"gravity_{a}", g) for a, g in zip(axes, gravity, strict=True)]
        self.gravity = sympy.Matrix([*entries, *[0] * (3 - len(entries))])

    def _unique(self, text: str) -> Any:
        word, k = _word(text), 2
        while word in self.taken:
            word, k = f"{_word(text)}_{k}", k + 1
        self.taken.add(word)
        return self.sp.Symbol(word, real=True)

    def value(self, name: str, number: float) -> Any:
        """Return a symbol for a parameter; numbers stay, zeros and ones always do."""
        number = float(number)
        if number in (0.0, 1.0, -1.0):
            return self.sp.Integer(int(number))
        if self.numbers:
            return self.sp.Float(number)
        symbol = self._unique(name)
        self.parameters[symbol] = number
        return symbol

    def vector(self, name: str, v: Any) -> Any:
        """Return a vector of parameters."""
        return self.sp.Matrix([self.value(f"{name}_{a}", x) for a, x in zip("xyz", v, strict=True)])

    def fixed(self, matrix: Any) -> Any:
        """Return a constant rotation; entries next to 0 and 1 are exactly that."""
        rows = [
            [
                self.sp.Integer(round(entry))
                if abs(entry - round(entry)) < 1e-15
                else self.sp.Float(entry)
                for entry in row
            ]
            for row in np.array(matrix).tolist()
        ]
        return self.sp.Matrix(rows)

    def write(self, simplify: bool) -> SymbolicEquations:
        """Return the finished equations."""
        for i, node in enumerate(self.c.tree.nodes):
            self._add_node(i, node)
        self._add_armature()
        self._add_blocks()
        if simplify:
            # before springs: their roots grow when products are multiplied out
            self.M, self.h = self._shorten(self.M), self._shorten(self.h)
        for part in self.model.forces:
            getattr(self, f"_add_{type(part).__name__.lower()}")(part)
        M, h, sp = self.M, self.h, self.sp
        rows = write_rows(self, self.c.tree.closures, self.model.constraints)
        g, q = sp.Matrix(len(rows), 1, rows), sp.Matrix(len(self.q), 1, self.q)
        J = g.jacobian(q) if rows else sp.zeros(0, len(self.q))
        w_bar = (J * self.velocity).jacobian(q) * self.velocity if rows else sp.zeros(0, 1)
        used = M.free_symbols | h.free_symbols | g.free_symbols
        coordinates = self.c.numbering.coordinates
        return SymbolicEquations(
            coordinates=tuple(f"{k.part}.{k.name}" for k in coordinates),
            velocities=tuple(f"{k.part}.{k.rate}" for k in coordinates),
            q=tuple(self.q),
            u=tuple(self.u),
            parameters={s: value for s, value in self.parameters.items() if s in used},
            M=M,
            h=h,
            g=g,
            W=J.T,
            w_bar=w_bar,
        )

    def _turn(self, angle: Any) -> Any:
        """Return the rotation about z."""
        c, s = self.sp.cos(angle), self.sp.sin(angle)
        return self.sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    def _joint(self, kind: int, q: list[Any], pitch: Any) -> tuple[Any, Any, list[Any], list[Any]]:
        """Return R, d and the columns of translation and rotation in the first joint axes."""
        sp = self.sp
        turn = self._turn
        e = [sp.Matrix([int(i == k) for i in range(3)]) for k in range(3)]
        o, eye = sp.zeros(3, 1), sp.eye(3)
        if kind == kinds.REVOLUTE:
            return turn(q[0]), o, [o], [e[2]]
        if kind == kinds.PRISMATIC:
            return eye, q[0] * e[2], [e[2]], [o]
        if kind == kinds.SCREW:
            return turn(q[0]), pitch * q[0] * e[2], [pitch * e[2]], [e[2]]
        if kind == kinds.CYLINDRICAL:
            return turn(q[0]), q[1] * e[2], [o, e[2]], [e[2], o]
        if kind == kinds.PLANAR:
            d = sp.Matrix([q[0], q[1], 0])
            return turn(q[2]), d, [e[0], e[1], o], [o, o, e[2]]
        if kind == kinds.UNIVERSAL:
            a, b = q
            Rx = sp.Matrix([[1, 0, 0], [0, sp.cos(a), -sp.sin(a)], [0, sp.sin(a), sp.cos(a)]])
            Ry = sp.Matrix([[sp.cos(b), 0, sp.sin(b)], [0, 1, 0], [-sp.sin(b), 0, sp.cos(b)]])
            return Rx * Ry, o, [o, o], [e[0], Rx * e[1]]
        if kind == kinds.WELD:
            return eye, o, [], []
        n = len(q)
        return eye, sp.Matrix([*q, *[0] * (3 - n)]), e[:n], [o] * n

    def _add_node(self, i: int, node: Node) -> None:
        """Add a body: pose, Jacobians and accelerations of its origin, its share of M and h."""
        sp, n = self.sp, len(self.u)
        numbering, owner = self.c.numbering, node.owner
        own = range(numbering.u_start[i], numbering.u_start[i + 1])
        pitch = self.value(f"pitch_{owner}", node.parameter)
        R, d, move, turn = self._joint(node.kind, [self.q[j] for j in own], pitch)
        r_parent = self.vector(f"at_{owner}", node.r_parent)
        r_child = self.vector(f"at_second_{owner}", node.r_child)
        A_parent, A_child = self.fixed(node.A_parent), self.fixed(node.A_child)
        p, zero = node.parent, sp.zeros(3, 1)
        r_p, A_p = (zero, sp.eye(3)) if p < 0 else (self.r[p], self.A[p])
        J_v = sp.zeros(3, n) if p < 0 else self.J_v[p]
        J_w = sp.zeros(3, n) if p < 0 else self.J_w[p]
        Omega_p, a_p, alpha_p = (
            (zero, zero, zero) if p < 0 else (self.Omega[p], self.a[p], self.alpha[p])
        )
        if node.reverse:
            # the body is the first operand: the joint is passed from its second frame to the first
            A1 = self._shorten(A_p * A_parent * R.T)
            A = self._shorten(A1 * A_child.T)
            inner, outer = A_p * r_parent, -A1 * d - A * r_child
            sign = -1
        else:
            A1 = self._shorten(A_p * A_parent)
            A = self._shorten(A1 * R * A_child.T)
            inner, outer = A_p * r_parent + A1 * d, -A * r_child
            sign = 1
        # `inner` is fixed in the parent but for the joint's translation, `outer` in the body
        J_v, J_w = J_v + self._cross_columns(J_w, inner + outer), J_w.copy()
        slide, spin = zero, zero
        for k, j in enumerate(own):
            axis = sign * A1 * turn[k]
            J_v[:, j] = J_v[:, j] + sign * A1 * move[k] + axis.cross(outer)
            J_w[:, j] = J_w[:, j] + axis
            slide += sign * A1 * move[k] * self.u[j]
            spin += axis * self.u[j]
        Omega = Omega_p + spin
        carrier = Omega if node.reverse else Omega_p  # turns with the first joint axes
        alpha = alpha_p + carrier.cross(spin) + sign * A1 * self._turn_bias(node.kind, own)
        a = a_p + alpha_p.cross(inner) + Omega_p.cross(Omega_p.cross(inner))
        a += alpha.cross(outer) + Omega.cross(Omega.cross(outer)) + 2 * carrier.cross(slide)
        for known, value in (
            (self.r, r_p + inner + outer), (self.A, A), (self.J_v, J_v), (self.J_w, J_w),
            (self.Omega, Omega), (self.a, a), (self.alpha, alpha),
        ):  # fmt: skip
            known.append(value)
        self._add_inertia(node.body, i)

    def _turn_bias(self, kind: int, own: range) -> Any:
        """Return the rate of the joint's axes in the first joint axes; only one joint has any."""
        sp = self.sp
        if kind != kinds.UNIVERSAL:
            return sp.zeros(3, 1)
        angle, rate = self.q[own[0]], self.u[own[0]] * self.u[own[1]]
        return sp.Matrix([0, -sp.sin(angle) * rate, sp.cos(angle) * rate])

    def _shorten(self, A: Any) -> Any:
        """Write products of sines and cosines as those of sums; planar chains become short."""
        from sympy.simplify.fu import TR8

        expand = self.sp.expand
        return A.applyfunc(lambda e: expand(TR8(expand(e)))) if self.planar else A

    def _cross_columns(self, J_w: Any, arm: Any) -> Any:
        """Return J_w x arm, column by column."""
        columns = [J_w[:, j].cross(arm) for j in range(J_w.shape[1])]
        return self.sp.Matrix.hstack(*columns) if columns else self.sp.zeros(3, 0)

    def _add_inertia(self, body: Any, i: int) -> None:
        """Add inertia forces and weight of a body."""
        A, J_w, Omega, alpha = self.A[i], self.J_w[i], self.Omega[i], self.alpha[i]
        mass_value, com, tensor = body_inertia(body, self.model.dim)
        # the formulas use the tensor about the centre of mass
        tensor = tensor - mass_value * (com @ com * np.eye(3) - np.outer(com, com))
        mass = self.value(f"m_{body.name}", mass_value)
        c = A * self.vector(f"com_{body.name}", com)
        J_c = self.J_v[i] + self._cross_columns(J_w, c)
        a_c = self.a[i] + alpha.cross(c) + Omega.cross(Omega.cross(c))
        self.M += mass * J_c.T * J_c
        self.h += mass * J_c.T * (self.gravity - a_c)
        size = float(np.abs(tensor).max())
        if size <= 1e-15 * max(mass_value, 1e-300):
            return
        local = self.sp.zeros(3, 3)
        for k in range(3):
            for j in range(k, 3):
                # Steiner's term leaves rounding where there is no product of inertia
                entry = float(tensor[k, j]) if abs(tensor[k, j]) > 1e-14 * size else 0.0
                name = f"I_{body.name}_{'xyz'[k]}{'xyz'[j]}"
                local[k, j] = local[j, k] = self.value(name, entry)
        inertia = A * local * A.T if not self.planar else local
        self.M += J_w.T * inertia * J_w
        self.h -= J_w.T * (inertia * alpha + Omega.cross(inertia * Omega))

    def _add_armature(self) -> None:
        for j, armature in enumerate(self.c.arrays.tree.armature):
            if armature:
                part = self.c.numbering.coordinates[j].part
                self.M[j, j] += self.value(f"armature_{part}", float(armature))

    def _add_blocks(self) -> None:
        for block in self.c.blocks:
            u0 = self.c.numbering.block_u[block.name]
            if isinstance(block, LagrangianSystem):
                matrix = np.array(block.M)
                force = np.zeros(len(matrix)) if block.h is None else np.array(block.h)
                for i in range(len(matrix)):
                    self.h[u0 + i] += self.value(f"h_{block.name}_{i + 1}", force[i])
                    for j in range(len(matrix)):
                        name = f"M_{block.name}_{i + 1}{j + 1}"
                        self.M[u0 + i, u0 + j] += self.value(name, matrix[i, j])
            else:
                size: Any = block.inertia if isinstance(block, Rotor) else block.mass  # type: ignore[attr-defined]
                self.M[u0, u0] += self.value(f"m_{block.name}", float(size))

    def point(self, operand: Any, at: Any) -> tuple[Any, Any, Any]:
        """Return position, axes-free Jacobian and rotation Jacobian of a point on an operand."""
        from cornerlaw.model.frames import placement, spatial

        base, r, A = placement(operand)
        local = np.array(r) + np.array(A) @ np.array(spatial(at))
        arm = self.vector(f"point_{operand.name}", local)
        node = self.c.tree.node_of[base.name]
        n = len(self.u)
        if node < 0:
            return arm, self.sp.zeros(3, n), self.sp.zeros(3, n)
        arm = self.A[node] * arm
        J_w = self.J_w[node]
        return self.r[node] + arm, self.J_v[node] + self._cross_columns(J_w, arm), J_w

    def _add_spring(self, part: Any) -> None:
        sp = self.sp
        r1, J1, _ = self.point(part.first, part.at)
        r2, J2, _ = self.point(part.second, part.at_second)
        D, J = r2 - r1, J2 - J1
        length = sp.sqrt(D.dot(D))
        n = D / length
        rest = getattr(part, "rest", 0.0)
        stiffness = self.value(f"k_{part.name}", float(getattr(part, "stiffness", 0.0)))
        damping = self.value(f"d_{part.name}", float(part.damping))
        if rest is None:
            rest = self._initial_length(part)
        tension = stiffness * (length - self.value(f"rest_{part.name}", float(rest)))
        tension += damping * (n.T * J * self.velocity)[0]
        self.h -= J.T * n * tension

    _add_damper = _add_spring

    def _initial_length(self, part: Any) -> float:
        """Return the length of a spring at the initial position of the model."""
        from cornerlaw.simulate.states import place

        system = place(self.model).system
        e = system.arrays.elements
        k = [element.part for element in system.compiled.elements].index(part.name)
        return float(e.data[e.start[k] + 2])

    def _index(self, part: Any) -> int:
        reference = part.on if part.coordinate is None else f"{part.on.name}.{part.coordinate}"
        return self.c.coordinate(reference, part).u

    def _add_torsionspring(self, part: Any) -> None:
        j = self._index(part)
        stiffness = self.value(f"k_{part.name}", float(part.stiffness))
        damping = self.value(f"d_{part.name}", float(part.damping))
        rest = self.value(f"rest_{part.name}", float(part.rest))
        self.h[j] -= stiffness * (self.q[j] - rest) + damping * self.u[j]

    def _add_torque(self, part: Any) -> None:
        if part.on.ROLE in ("joint", "inertia", "system"):
            self.h[self._index(part)] += self.value(f"T_{part.name}", float(part.value))
            return
        value = part.value if isinstance(part.value, tuple) else (0.0, 0.0, part.value)
        _, _, J_w = self.point(part.on, None)
        self.h += J_w.T * self._in_world(part, self.vector(f"T_{part.name}", value))

    def _add_force(self, part: Any) -> None:
        value = (*part.value, *[0.0] * (3 - len(part.value)))
        _, J, _ = self.point(part.on, part.at)
        self.h += J.T * self._in_world(part, self.vector(f"F_{part.name}", value))

    def _in_world(self, part: Any, value: Any) -> Any:
        """Turn a vector given in the axes of what it acts on into world axes."""
        from cornerlaw.model.frames import placement

        if part.axes != "body":
            return value
        base, _, A = placement(part.on)
        node = self.c.tree.node_of[base.name]
        axes = self.sp.eye(3) if node < 0 else self.A[node]
        return axes * self.fixed(A) * value
