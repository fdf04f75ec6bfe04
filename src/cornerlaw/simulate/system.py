"""A model ready to run: compiled, assembled, with its workspace and bound kernels."""

from __future__ import annotations

import os
import sys
import time
import warnings
from typing import Any

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.model_arrays import ModelArrays
from cornerlaw.arrays.state import Floats
from cornerlaw.compile import Compiled, compile_model, with_numbers_of
from cornerlaw.errors import UnknownNameError, UsageError
from cornerlaw.model import Model
from cornerlaw.model.arguments import calls_outside
from cornerlaw.model.quantity import show
from cornerlaw.simulate.arguments import plain_number, without_unit
from cornerlaw.simulate.chosen_solver import ChosenSolver, is_cascade, set_tolerances
from cornerlaw.simulate.last_resort import LastResort
from cornerlaw.simulate.light_numba import load_lightly
from cornerlaw.simulate.memory import bytes_of
from cornerlaw.simulate.pool import carry_over, wanted_sizes
from cornerlaw.simulate.precompile import compile_together, missing_jobs

N_SIZES = ModelArrays._fields.index("stages")  # whole numbers at the head of the arrays
POOLED_FIELDS = ("rows", "row_scale", "slots", "corners", "pool")  # what its size changes
CASCADE, EVERYTHING = 1, 2  # solvers that follow the quick one


class RedundantConstraintWarning(UserWarning):
    """Constraints that follow from others; their forces are chosen as small as possible."""


class System:
    """A compiled model with scratch memory; what every solve works on.

    `m` and `w` are the bundles that kernels receive, `arrays` and `work` the arrays behind them.
    """

    def __init__(self, model: Model, method: Any = None) -> None:
        if not isinstance(model, Model):
            raise UsageError(f"a Model is needed, got {type(model).__name__}")
        began = time.perf_counter()
        announce_compilation()
        load_lightly()
        from cornerlaw.kernels.bundle import Bundle
        from cornerlaw.simulate.stepping import TimeStepping

        self.model = model
        self._strength = 0  # of the solver of contact problems, an index of its addresses
        self._leaves: list[Any] = []  # the arrays of the model, once they are refilled
        self._kinds: list[Any] = []  # and what they must have in common with new ones
        self._quick: tuple[Any, Any] = (None, None)  # arrays and bundle with the quick solver
        self.last_resort: LastResort | None = None
        self.chosen: ChosenSolver | None = None  # a solver in place of all others
        self._counted: tuple[Any, Any, int] = (None, None, 0)  # arrays, workspace and their bytes
        self.watch: Any = None  # the stopwatch of a run that is timed
        self.compiled: Compiled = compile_model(model)
        self.work = self.compiled.workspace()
        self.see_states(self.compiled.x0)
        self._solver = getattr(method, "solver", None)
        has_corners = self.compiled.arrays.corners.row_N.size > 0  # pooled ones too
        if has_corners and not is_cascade(self._solver):
            self.chosen = ChosenSolver(self._solver, self.compiled)
        share_compilation(self.compiled.arrays, self.work, method)
        self._in_steps = isinstance(method, TimeStepping)
        self.arrays = self._bind(self.compiled.arrays)
        self.m: Any = Bundle(self.arrays)
        self.w: Any = Bundle(self.work)
        self.build_time = time.perf_counter() - began  # seconds, kernels and functions included

    def bytes_in_use(self) -> int:
        """Return the bytes of model and workspace, counted again where one of them is another."""
        arrays, work, count = self._counted
        if arrays is not self.arrays or work is not self.work:
            count = bytes_of(self.arrays, self.work)
            self._counted = self.arrays, self.work, count
        return count

    def see_states(self, x: Floats) -> None:
        """Note the states that rows of elements see where none are at hand, as in projections."""
        if self.work.x_seen.size:
            self.work.x_seen[:] = x

    def _bind(self, arrays: ModelArrays) -> ModelArrays:
        """Return the arrays with their stages; those of the plane are for time stepping."""
        from cornerlaw.kernels.stages import bind_stages

        bound = bind_stages(arrays, self.work, self._in_steps)
        if self.chosen is not None:
            bound = self.chosen.bind(bound, self.work)
        elif self._solver is not None and is_cascade(self._solver):
            set_tolerances(self._solver, self.work)
        return bound

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The numbers of q, u and x."""
        return self.arrays.nq, self.arrays.nu, self.arrays.nx

    @property
    def has_corners(self) -> bool:
        """Whether the model has set-valued elements."""
        return bool(self.arrays.corners.row_N.size)

    def rebind(self, **changes: Any) -> None:
        """Replace fields of the arrays (the root functions of a run) and renew the bundle."""
        from cornerlaw.kernels.bundle import Bundle

        self.arrays = self.arrays._replace(**changes)
        self.m = Bundle(self.arrays)

    def time_stages(self) -> None:
        """Let the stages of the compiled loop note their time from now on."""
        from cornerlaw.kernels.bundle import Bundle
        from cornerlaw.kernels.stages import time_stages
        from cornerlaw.kernels.stopwatch import Stopwatch

        self.watch = Stopwatch()
        self.arrays = time_stages(self.arrays, self.work, self.watch)
        self.m = Bundle(self.arrays)

    def goes_on(self, status: int) -> bool:
        """Tell whether a compiled run that came back may go on because of its contact problems.

        Where a problem was not solved, the next stronger solver is put in place: the quick one, the
        compiled cascade, all there are. The last one serves for a single step. Behind a solver that
        the user has chosen there is no other.
        """
        if status == codes.POOL_FULL:
            self.resize_pool(wanted_sizes(self))
            return True
        if status != codes.UNSOLVED:
            if self.at_last:
                self._use_solver(CASCADE)
            return False
        if self.has_asked_all:
            return False
        self._use_solver(self._strength + 1)
        return True

    @property
    def at_last(self) -> bool:
        """Whether contact problems are solved by the last resort, so that one step is enough."""
        return self._strength == EVERYTHING

    @property
    def has_asked_all(self) -> bool:
        """Whether a problem that stays unsolved now has no other solver left."""
        return self.at_last or self.chosen is not None

    @property
    def solver_strength(self) -> int:
        """Which solver of contact problems is in use: 0 the quick one, 1 the cascade, 2 all."""
        return self._strength

    def use_solver(self, strength: int) -> None:
        """Use the solver of contact problems that an earlier run had come to."""
        self._use_quick_solver()
        if strength in (CASCADE, EVERYTHING):
            self._use_solver(CASCADE)
        if strength == EVERYTHING:
            self._use_solver(EVERYTHING)

    def raise_interrupt(self) -> None:
        """Pass on a Ctrl-C that came while the interpreter worked for the compiled loop."""
        from cornerlaw.kernels.slots import raise_interrupt

        raise_interrupt(self.compiled.functions.callbacks)
        chosen = None if self.chosen is None else self.chosen.outside
        for outside in (self.last_resort, chosen):
            if outside is not None:
                outside.raise_interrupt()

    def _use_quick_solver(self) -> None:
        """Return to the solver that a run begins with."""
        if self._strength:
            self._strength, (self.arrays, self.m) = 0, self._quick
            self.work.k.cascade[0] = 0

    def _use_solver(self, strength: int) -> None:
        from cornerlaw.kernels.bundle import Bundle
        from cornerlaw.kernels.stages import bind_cascade, time_solver

        if not self._strength:
            self._quick = (self.arrays, self.m)
        if strength == CASCADE:
            self.arrays = bind_cascade(self.arrays, self.work)
        else:
            if self.last_resort is None:
                self.last_resort = LastResort(self.work.k)
            stages = self.arrays.stages._replace(solve=self.last_resort.address)
            self.arrays = self.arrays._replace(stages=stages)
        if self.watch is not None:
            self.arrays = time_solver(self.arrays, self.work, self.watch)
        self._strength = strength
        # event by event, what nobody solves is an impact without collision
        self.work.k.cascade[0] = int(strength == EVERYTHING)
        self.m = Bundle(self.arrays)

    def resize_pool(self, sizes: list[int], carry: bool = True) -> None:
        """Give the pool of contacts other numbers of places; what corners remember is kept.

        Without `carry` they forget everything, and the pool may become smaller.
        """
        from cornerlaw.kernels.bundle import Bundle
        from cornerlaw.kernels.stages import time_stages

        plan = self.compiled.pool
        assert plan is not None
        larger = plan.arrays(sizes)
        kept = {name: getattr(larger, name) for name in POOLED_FIELDS}
        old, work = self.arrays, self.work
        self.compiled.arrays = self.compiled.arrays._replace(**kept)
        self.work = self.compiled.workspace()
        self.see_states(work.x_seen)
        if carry:
            carry_over(old, work, larger, self.work)
        else:
            self.work.k.stats[:] = work.k.stats
            self.work.pool.keep[:] = work.pool.keep
        self.arrays = self._bind(old._replace(**kept))
        strength, self._strength, self.last_resort = self._strength, 0, None
        if self.watch is not None:
            self.arrays = time_stages(self.arrays, self.work, self.watch)
        self.m, self.w = Bundle(self.arrays), Bundle(self.work)
        self.use_solver(strength)

    def refill(self, model: Model) -> bool:
        """Take over the values of a model of the same structure; False where it is another one.

        Kernels, functions and scratch memory stay; only numbers are copied, so that it costs a
        hundredth of a new system. What is in the scratch memory is left to the caller.
        """
        quickly = with_numbers_of(self.compiled, model)
        if quickly is not None:
            self._take(model, quickly)
            return True
        compiled = compile_model(model)
        if compiled.pool is not None or self.compiled.pool is not None:
            return False  # its places are taken in the course of a run
        fresh = array_leaves(compiled.arrays)
        if not self._leaves:
            self._leaves = array_leaves(self.compiled.arrays)
            self._kinds = [_kind_of(array) for array in self._leaves]
        if not _same_sizes(self.compiled, compiled) or self._kinds != [*map(_kind_of, fresh)]:
            return False
        for target, source in zip(self._leaves, fresh, strict=True):
            if target.dtype == np.float64:
                target[...] = source
        compiled.arrays = self.compiled.arrays
        self._take(model, compiled)
        return True

    def _take(self, model: Model, compiled: Compiled) -> None:
        """Make a model, whose numbers are in the arrays, that of the system; begin with the quick
        solver of contact problems."""
        self.model, self.compiled = model, compiled
        self._use_quick_solver()

    def set_inputs(self, inputs: dict[str, Any]) -> dict[str, float]:
        """Set inputs by name and return their numbers; they hold until set again."""
        numbers: dict[str, float] = {}
        for name, value in inputs.items():
            places = self.compiled.inputs.get(name) if isinstance(name, str) else None
            if places is None:
                known = ", ".join(self.compiled.inputs) or "none"
                raise UnknownNameError(
                    f"the model has no Input named {show(name)}; it has: {known}"
                )
            number = plain_number(without_unit(self.model, name, value))
            if np.isnan(number):
                raise UsageError(f"Input {name!r} must be a finite number, got {show(value)}")
            numbers[name] = number
            for place in places:
                getattr(self.arrays, place.table).data[place.entry] = place.number(number)
        return numbers

    def accelerations(
        self, t: float, q: Floats, u: Floats, x: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Return u_dot, x_dot and the row forces of a state."""
        from cornerlaw.kernels.rates import eval_accelerations
        from cornerlaw.simulate.failures import check_status

        _, nu, nx = self.sizes
        u_dot, x_dot, lam = np.zeros(nu), np.zeros(nx), np.zeros(self.arrays.n_rows)
        status = eval_accelerations(self.m, self.w, float(t), q, u, x, u_dot, x_dot, lam)
        check_status(self, status, t)
        return u_dot, x_dot, lam

    def constraint_state(self, t: float, q: Floats, u: Floats) -> None:
        """Fill g, gamma and W of the workspace (and the kinematics) for a state."""
        from cornerlaw.kernels.constraints import eval_constraint_state
        from cornerlaw.kernels.prescribed import set_driven

        if self.arrays.n_rows:
            eval_constraint_state(self.m, self.w, float(t), q, u)
        else:
            set_driven(self.m, self.w, float(t), q, u)
            self.kinematics(q, u)

    def kinematics(self, q: Floats, u: Floats) -> None:
        """Fill poses and velocities of the workspace."""
        from cornerlaw.kernels.kinematics import enter_kinematics

        enter_kinematics(self.m, self.w, q, u)

    def row_name(self, i: int) -> str:
        """Return the name of the part behind a row."""
        return self.compiled.rows[i].part

    def warn(self, text: str) -> None:
        """Warn the caller of simulate and its relatives."""
        warnings.warn(text, RedundantConstraintWarning, stacklevel=calls_outside())


def array_leaves(tree: Any) -> list[Any]:
    """Return the arrays of nested NamedTuples in their order."""
    if isinstance(tree, np.ndarray):
        return [tree]
    if isinstance(tree, tuple):
        return [leaf for branch in tree for leaf in array_leaves(branch)]
    return []


def _same_sizes(first: Compiled, second: Compiled) -> bool:
    """Tell whether two compiled models have the same sizes."""
    sizes = [(c.slot_size, c.n_entries, *(c.arrays[:N_SIZES])) for c in (first, second)]
    return sizes[0] == sizes[1]


def _kind_of(array: Any) -> tuple[Any, ...]:
    """Return what arrays that differ in real numbers only have in common."""
    return array.shape, None if array.dtype == np.float64 else array.tobytes()


_announced: list[str] = []  # what this process has said, so that one line is enough


def announce_method(driver: Any) -> None:
    """Say in one line that the driver of a method is being compiled, unless it is in the cache."""
    cache: Any = getattr(driver, "_cache", None)
    index = getattr(getattr(cache, "_cache_file", None), "_index_name", None)
    if index is None or driver.overloads or _announced:
        return
    if not os.path.exists(os.path.join(cache.cache_path, index)):
        _announced.append("method")
        text = "cornerlaw: compiling this method, once per version (some ten seconds)"
        print(text, file=sys.stderr, flush=True)


def announce_compilation() -> None:
    """Say in one line that kernels are being compiled, where that will take a while."""
    from cornerlaw.kernels._numba import is_cold

    if is_cold():
        _announced.append("kernels")
        text = "cornerlaw: compiling kernels, once per version (half a minute to two minutes)"
        print(text, file=sys.stderr, flush=True)


def share_compilation(arrays: ModelArrays, work: Any, method: Any) -> None:
    """Compile what a run needs and the cache has not, on all cores; say so in one line."""
    jobs, later = missing_jobs(arrays, work, method)
    if len(jobs) + len(later) < 2:
        return  # the kernel itself is compiled where it is bound, the results where asked for
    if not _announced:
        _announced.append("kernels")
        text = "cornerlaw: compiling what this run needs, once per version (some ten seconds)"
        print(text, file=sys.stderr, flush=True)
    compile_together(jobs, later)
