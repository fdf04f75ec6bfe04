"""The arrays that integrators share: what a run carries in `State.memory`, scratch, rows to store.

`State.memory` holds everything a run needs to go on bit by bit after any interruption, hence a
checkpoint of `State` and `Output` is complete and the scratch arrays may be new in every call. A
memory full of zeros means a fresh start. The kernels see it as the views of `Memory`.
"""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.constant_rows import ConstantRows, new_constant_rows
from cornerlaw.arrays.model_arrays import ModelArrays
from cornerlaw.arrays.sparse_rows import find_pattern
from cornerlaw.arrays.state import Counters, Floats, Ints, Record, State
from cornerlaw.arrays.workspace import Workspace
from cornerlaw.kernels.integrators.tableaus import RadauTableau, Tableau

# entries of Memory.head; all flags are 0.0 or 1.0
HEAD = 18
STARTED = 0  # rates and indicators at the state are known
PENDING = 1  # rows of the last step are still to be stored
T_A = 2  # start of the last step, where the dense output begins
DT = 3  # size of the last step, the scale of the dense output
END_ROW = 4  # the state at the end of the last step becomes a row
STOP = 5  # 1 + indicator that ended the run, 0 = none
T_GRID = 6  # fixed steps: where the grid t = T_GRID + N dt begins
N_GRID = 7  # fixed steps: steps since T_GRID
ERROR_OLD = 8  # error norm of the last accepted step
DT_OLD = 9  # size of the last accepted step, 0 = no history
FRESH_JACOBIAN = 10  # the Jacobian belongs to the state
HAS_JACOBIAN = 11  # there is a Jacobian that may be used
DT_FACTORED = 12  # step size of the matrices in use, 0 = none
SMOOTH = 13  # the history of the method reaches up to the state
BEGUN = 14  # event-driven: the states of all corners at the start are known
EVENT = 15  # event-driven: the event at the state waits to be handled
T_SHARED = 16  # time stepping: up to here rows have their share of the last step's impulses
T_SPREAD = 17  # time stepping: up to here these impulses act, evenly

# options of an adaptive method
RTOL = 0
ATOL = 1
MAX_STEP = 2
FIRST_STEP = 3  # 0 = choose
NEWTON = 4  # implicit stages count as solved at this fraction of the tolerance, 0 = choose

# options of a fixed-step method
STEP = 0
ALPHA_M = 1
ALPHA_F = 2
BETA = 3
GAMMA = 4
TOLERANCE = 5

# entries of Output.progress
NEXT_EVAL = 0
SINCE_ROW = 1
OPENED = 2

# entries of Scratch.address
RATES = 0
PROJECTION = 1
OPEN_RUN = 2  # pieces of a driver that are compiled on their own
CLOSE_STEP = 3
ADVANCE = 4
DENSE = 5
FIND = 6
SWITCH = 7
EVAL_AT = 8
FINISH = 9
SAFE_STEP = 10
USER_INDICATORS = 11  # 0 = no element has root functions
QUIET = 12  # many steps of which no row is stored
CORRECT = 13  # the end of a step that has something to be pushed out
TOGETHER = 14  # the laws of several corners in one step
FORCES = 15  # all forces of such a model
WHOLE = 16  # a step of such a model by the general kernels, 0 = none
GENERAL = 17  # and what it calls
WHOLE_END = 18  # the end of a step likewise
LINEAR_LAWS = 19  # laws whose derivatives the user gives, 0 = there are none
ADDRESSES = 20

# kinds of indicators from here on are this + the number of a user's element
INDICATOR_ELEMENT = 4

# values of IndicatorArrays.terminal, 0 = a crossing is counted and goes on
TERMINAL = 1  # ends the run where it crosses in smooth motion
TERMINAL_JUMPS = 2  # and where a jump carries it over zero

ECHO = 1.0  # in Memory.g before the start: an indicator just handled, whose sign is rounding


class Memory(NamedTuple):
    """Views into State.memory, with n = nq + nu + nx."""

    head: Floats  # (HEAD,)
    f: Floats  # (n,) rates at the state
    g: Floats  # (n_indicators,) indicators at the state
    t_cross: Floats  # (n_indicators,) crossings of the last step without a row yet, inf = none
    dense: Floats  # (1 + k, n) y_A and the k coefficients of the dense output
    matrix: Floats  # (j, j) Jacobian or iteration matrix of an implicit method
    v: Floats  # (nu + nx,) accelerations of generalised-alpha
    a: Floats  # (nu + nx,) its auxiliary accelerations


class Output(NamedTuple):
    """Which rows a run stores, and how far it got; part of a checkpoint together with State."""

    t_eval: Floats  # times of the rows, increasing; empty = rows by steps
    every: Ints  # (1,) a row after every k-th accepted step, at the start and the end; 0 = none
    progress: Ints  # (3,) next entry of t_eval, steps since the last row, first row done
    event: Ints  # (capacity of the record,) indicator that crossed zero in this row, -1 = none
    stopped: Ints  # (1,) indicator that ended the run, -1 = none
    crossings: Ints  # (n_indicators,) crossings so far


class Scratch(NamedTuple):
    """Arrays that live for one step at most."""

    address: Ints  # (ADDRESSES,) kernels of the model and pieces of the driver
    y: Floats  # (n,) state at the start of the step
    y_new: Floats  # (n,) state at its end
    f_new: Floats  # (n,) rates there
    y_stage: Floats  # (n,)
    y_row: Floats  # (n,) state between two steps
    f_row: Floats  # (n,)
    K: Floats  # (stages, n) rates of the stages
    delta: Floats  # (nu,) position increment
    g_new: Floats  # (n_indicators,)
    g_row: Floats  # (n_indicators,)
    g_probe: Floats  # (n_indicators,) beside a sample
    g_slopes: Floats  # (2, n_indicators) rates at both ends of a part of the step
    step: Floats  # (5,) time at the end of the step, size, size of a part; where crossings lie
    nested: Ints  # (1,) 1 = the dense output has the nested form
    driven: Ints  # (1,) 1 = some coordinates are prescribed
    fixed: ConstantRows  # empty where masses or rows vary


class NewtonScratch(NamedTuple):
    """Matrices and vectors of the implicit methods, for systems of order k."""

    E_real: Floats  # (k, k) factored
    E_complex: np.ndarray  # (k, k) complex, factored; (0, 0) where unused
    pivot_real: Ints  # (k,)
    pivot_complex: Ints
    b_real: Floats  # (k,)
    b_complex: np.ndarray  # (k,)
    Z: Floats  # (3, k) stage increments, or trial vectors
    V: Floats  # (3, k) the same in the eigenvectors' coordinates
    F: Floats  # (3, k)
    error: Floats  # (k,)
    factored: Ints  # (1,) 1 = the factors in these arrays belong to the memory of the run


class Run(NamedTuple):
    """All arrays of one run, passed to kernels as one bundle of the same type for all methods."""

    m: ModelArrays
    w: Workspace
    s: Scratch
    newton: NewtonScratch
    tableau: Tableau
    radau: RadauTableau
    options: Floats
    memory: Memory
    state: State
    record: Record
    counters: Counters
    output: Output


class Shape(NamedTuple):
    """What a method needs for a model."""

    stages: int = 1
    dense: int = 3  # coefficients of the dense output
    nested: bool = False
    matrix: int = 0  # order of its matrix
    accelerations: int = 0  # length of v and a
    complex_matrix: bool = False
    constant: bool = False  # masses and rows of the model are constant
    sparse: bool = False  # and kept without zeros


def count(m: ModelArrays) -> int:
    """Return n = nq + nu + nx."""
    return int(m.nq + m.nu + m.nx)


def _sections(m: ModelArrays, shape: Shape) -> list[tuple[int, ...]]:
    """Return the shapes of the fields of Memory."""
    n, ni, k = count(m), int(m.n_indicators), shape.accelerations
    return [(HEAD,), (n,), (ni,), (ni,), (1 + shape.dense, n), (shape.matrix,) * 2, (k,), (k,)]


def memory_size(m: ModelArrays, shape: Shape) -> int:
    """Return the length of State.memory."""
    return sum(int(np.prod(section)) for section in _sections(m, shape))


def view_memory(m: ModelArrays, shape: Shape, memory: Floats) -> Memory:
    """Return State.memory as its sections."""
    views, start = [], 0
    for section in _sections(m, shape):
        end = start + int(np.prod(section))
        views.append(memory[start:end].reshape(section))
        start = end
    return Memory(*views)


def new_output(
    m: ModelArrays, capacity: int, t_eval: Floats | None = None, every: int = 1
) -> Output:
    """Allocate the output plan of a run whose record has `capacity` rows.

    With `t_eval` rows are stored at these times, else after every `every`-th accepted step, at
    the start and at the end (0: no rows). Crossings of indicators are stored in both cases.
    """
    times = np.zeros(0) if t_eval is None else np.array(t_eval, dtype=np.float64)
    return Output(
        t_eval=times,
        every=np.array([0 if t_eval is not None else every], np.int64),
        progress=np.zeros(3, np.int64),
        event=np.full(capacity, -1, np.int64),
        stopped=np.full(1, -1, np.int64),
        crossings=np.zeros(int(m.n_indicators), np.int64),
    )


def new_scratch(m: ModelArrays, shape: Shape) -> Scratch:
    """Allocate the arrays of a step."""
    n, ni = count(m), int(m.n_indicators)
    sizes = (0, 0, 0, 0)
    if shape.constant:
        sizes = (int(m.nu), int(m.nx), m.rows.kind.size, m.corners.row_N.size)
    pattern = find_pattern(m) if shape.sparse else None
    return Scratch(
        address=np.zeros(ADDRESSES, np.int64),
        y=np.zeros(n),
        y_new=np.zeros(n),
        f_new=np.zeros(n),
        y_stage=np.zeros(n),
        y_row=np.zeros(n),
        f_row=np.zeros(n),
        K=np.zeros((shape.stages, n)),
        delta=np.zeros(int(m.nu)),
        g_new=np.zeros(ni),
        g_row=np.zeros(ni),
        g_probe=np.zeros(ni),
        g_slopes=np.zeros((2, ni)),
        step=np.zeros(5),
        nested=np.array([int(shape.nested)], np.int64),
        driven=np.array([int(np.any(m.error_weight == 0.0))], np.int64),
        fixed=new_constant_rows(*sizes, pattern),
    )


def new_newton_scratch(shape: Shape) -> NewtonScratch:
    """Allocate the arrays of an implicit method."""
    k = shape.matrix
    kc = k if shape.complex_matrix else 0
    return NewtonScratch(
        E_real=np.zeros((k, k)),
        E_complex=np.zeros((kc, kc), np.complex128),
        pivot_real=np.zeros(k, np.int64),
        pivot_complex=np.zeros(kc, np.int64),
        b_real=np.zeros(k),
        b_complex=np.zeros(kc, np.complex128),
        Z=np.zeros((3, k)),
        V=np.zeros((3, k)),
        F=np.zeros((3, k)),
        error=np.zeros(k),
        factored=np.zeros(1, np.int64),
    )
