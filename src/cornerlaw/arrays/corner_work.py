"""Scratch and results of the set-valued elements of one evaluation, step or event."""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.compact import CompactRows, new_compact
from cornerlaw.arrays.impact_arrays import ImpactArrays, new_impact
from cornerlaw.arrays.problem import ProblemArrays, new_problem
from cornerlaw.arrays.solver_scratch import SolverScratch, new_solver_scratch
from cornerlaw.arrays.state import Floats, Ints

# states of a corner
OPEN = 0  # no force: the gap is open, the freewheel overruns
CLOSED = 1  # closed without friction
SLIP_PLUS = 2  # slides with gamma_T > 0
SLIP_MINUS = 3
STICK = 4
SLIP = 5  # slides in a plane or turns, along the direction k.slip

STATE_NAMES = ("open", "closed", "slip+", "slip-", "stick", "slip")

# kinds of logged events
IMPACT = 0
TOUCH = 1  # closes without an impact
DETACH = 2
STICKS = 3
SLIPS = 4
REST = 5  # the bounces have come to an end; the time is their accumulation point
PAINLEVE = 6  # no contact forces exist; an impact without collision follows
AMBIGUOUS = 7  # a sliding contact could be held or leave: several contact forces exist

EVENT_NAMES = ("impact", "touch", "detach", "stick", "slip", "rest", "painleve", "ambiguous")

# columns of event_data
GAMMA_N_MINUS = 0
GAMMA_T_MINUS = 1
GAMMA_N_PLUS = 2
GAMMA_T_PLUS = 3
IMPULSE_N = 4
IMPULSE_T = 5
ENERGY = 6  # work of the corner in the impact
RESIDUAL = 7  # of the problems that gave the impulses, and of the finished impact
EVENT_COLUMNS = 8

LARGEST = 3000  # rows that can be in use at once
SAMPLES = 5  # states of a step at which events are looked for, both ends included
EVENTS = 4096  # events before the log is emptied, more where one step may have more

# entries of stats
WORST_RESIDUAL = 0
WORST_PENETRATION = 1
IMPACT_LOSS = 2  # sum of the energy lost in impacts
IMPACT_GAIN = 3  # largest gain of energy in one impact
GAIN_CORNER = 4  # corner of that impact
N_SOLVED = 5  # problems solved
N_UNSOLVED = 6  # problems accepted above the tolerance
REMOVED = 7  # penetration before the correction of the last step
N_UNSETTLED = 8  # friction bounds that did not settle with the reactions they follow
STATS = 9


class CornerWork(NamedTuple):
    """Arrays of the corners; `n` rows counts the bilateral ones first, then those of corners."""

    status: Ints  # (nc,) state of each corner that the smooth motion between events keeps
    before: Ints  # (nc,) state before the step
    shown: Ints  # (nc,) state of each corner for the record
    given: Ints  # (1,) 1 = the multipliers of the corners are given (evaluation of stored rows)
    implicit: Ints  # (1,) 1 = in a time step: compliance of rows is part of its problem
    closed: Ints  # (nc,) 1 = takes part in the problem at hand
    sliding: Ints  # (nc,) 1 = its sliding direction is known, else it belongs to the problem
    fired: Ints  # (nc,) 1 = its indicator ended the step, 2 the tangential one, 4 lost its contour
    hit: Ints  # (nc,) 1 = received an impulse in the impact at hand
    behind: Ints  # (nc,) 1 = came into sight with a gap below zero, beyond an end: no contact
    slack: Floats  # (nc,) factor of the level that an indicator must fall below
    rest_speed: Floats  # (nc,) v / (1 - eps) of bounces that were cut short
    slip: Floats  # (nc, 3) unit direction of sliding of a corner with several friction rows
    slip_ref: Floats  # (nc, 4) that at the start of the step: world vector, and part of drilling
    slip_speed: Floats  # (nc,) and the speed there
    young: Ints  # (nc,) 1 = its sliding began from rest and is still slow
    step_error: Floats  # (2,) relative and absolute error of a step, zero without control of it
    held_at: Ints  # (n,) place of a row among those held, -1 none
    known: Floats  # (n,) impulses of compliant forces in the step
    v_0: Floats  # (nc,) approach speed at the beginning of a compliant contact
    gamma_free: Floats  # (n,) accelerations of the rows without forces of corners
    shortened: Ints  # (1,) how often the step at hand was shortened to follow the gaps
    cascade: Ints  # (1,) 1 = problems are solved by the whole cascade
    event_time: Floats  # (1,) first event of the step, inf = none
    crowd: Floats  # (2,) events at one time so far, and that time
    corner_of: Ints  # (rows of corners,) the corner of each
    active: Ints  # (n,) rows in use, bilateral first
    n_active: Ints  # (1,)
    place: Ints  # (n,) place of a row in the problem, -1 none
    lam: Floats  # (n,) force or impulse of every row
    lam_ref: Floats  # (n,) forces that ones which are not unique stay near to
    lam_kept: Floats  # (n,) impulses of the step while its position is corrected
    gamma_minus: Floats  # (n,) velocities before an impact
    gamma_plus: Floats  # (n,) and after it
    gamma_step: Floats  # (n,) solution of the step, by place in its problem
    step_place: Ints  # (n,) place of a row in the problem of the step, -1 none
    column: Ints  # (n, nu) where the rows in use are not zero
    n_column: Ints  # (n,)
    reach: Ints  # (n, 2) first and last branch of the tree that a row acts on
    Z: Floats  # (n, nu) M^-1 (W + V): velocity per unit of a multiplier
    V_response: Floats  # (nu,) M^-1 V of the row at hand
    R: Floats  # (n, n_bilateral) multipliers of the bilateral rows per unit of a multiplier
    base: Floats  # (n_bilateral,) their multipliers without any corner
    A: Floats  # (size, size) W^T Z of the rows in use
    A_copy: Floats  # (size, size)
    L: Floats  # (size, size)
    LtL: Floats  # (size, size)
    rhs: Floats  # (n,)
    x: Floats  # (n,)
    y: Floats  # (n,)
    z: Floats  # (n,)
    size: Floats  # (n,)
    pivot: Ints  # (n,)
    solution: Floats  # (n,) forces found at an event, and the rows they act on
    row_of: Ints  # (n,)
    n_solution: Ints  # (1,)
    share: Floats  # (n,) what a held row can carry
    settled: Ints  # (1,) 1 = all approaches of the impact at hand are below the Zeno speed
    mu: Floats  # (nc,) friction coefficient of the step
    bound: Floats  # (nc,) given friction bound of the step, the upper end of the set
    lower: Floats  # (nc,) the lower end
    stiffness: Floats  # (nc,) relative contact stiffness of a sequential impact law
    eps_N: Floats  # (nc,)
    eps_T: Floats  # (nc,)
    indicator: Floats  # (nc, 3) normal and tangential root function at the state at hand, gap rate
    level: Floats  # (nc,) what a force indicator must fall below
    root: Floats  # (nc, 2) where the indicators fall in the interval at hand
    samples: Floats  # (SAMPLES, nc, 3) the same over a step
    q: Floats  # (nq,)
    u: Floats  # (nu,)
    u_free: Floats  # (nu,)
    u_A: Floats  # (nu,)
    direct: Floats  # (nu,) M^-1 W Lambda of an implicit step
    Y: Floats  # (n, nu) M^-1 W of an implicit step
    xs: Floats  # (nx,)
    du: Floats  # (nu,)
    Lambda: Floats  # (n,) impulses since the last stored row
    Lambda_A: Floats  # (n,) and those of them before the time step at hand
    stats: Floats  # (STATS,)
    n_events: Ints  # (1,)
    event_t: Floats  # (EVENTS,)
    event_corner: Ints  # (EVENTS,)
    event_kind: Ints  # (EVENTS,)
    event_pair: Ints  # (EVENTS,) pair of a pooled contact, else -1
    pair: Ints  # (nc,) pair that a pooled corner belongs to, else -1
    event_data: Floats  # (EVENTS, EVENT_COLUMNS)
    compact: CompactRows
    problem: ProblemArrays
    solver: SolverScratch
    impact: ImpactArrays


def new_corner_work(
    nc: int, n_rows: int, n_bilateral: int, nq: int, nu: int, nx: int, group_start: Ints
) -> CornerWork:
    """Allocate the arrays of `nc` corners with `n_rows` rows in all on groups of velocities."""
    n = n_rows if nc else 0
    size = min(n, LARGEST)
    z = np.zeros
    events = max(EVENTS, 4 * nc) if nc else 0
    return CornerWork(
        status=z(nc, np.int64),
        before=z(nc, np.int64),
        shown=z(nc, np.int64),
        given=z(1, np.int64),
        implicit=z(1, np.int64),
        closed=z(nc, np.int64),
        sliding=z(nc, np.int64),
        fired=z(nc, np.int64),
        hit=z(nc, np.int64),
        behind=z(nc, np.int64),
        slack=np.ones(nc),
        rest_speed=z(nc),
        slip=z((nc, 3)),
        slip_ref=z((nc, 4)),
        slip_speed=z(nc),
        young=z(nc, np.int64),
        step_error=z(2),
        held_at=np.full(n, -1, np.int64),
        known=z(n),
        v_0=z(nc),
        gamma_free=z(n),
        shortened=z(1, np.int64),
        cascade=z(1, np.int64),
        event_time=z(1),
        crowd=np.array([0.0, np.nan]),
        corner_of=z(n - n_bilateral if nc else 0, np.int64),
        active=z(n, np.int64),
        n_active=z(1, np.int64),
        place=z(n, np.int64),
        lam=z(n),
        lam_ref=z(n),
        lam_kept=z(n),
        gamma_minus=z(n),
        gamma_plus=z(n),
        gamma_step=z(n),
        step_place=np.full(n, -1, np.int64),
        column=z((n, nu), np.int64),
        n_column=z(n, np.int64),
        reach=z((n, 2), np.int64),
        Z=z((n, nu)),
        V_response=z(nu if nc else 0),
        R=z((n, n_bilateral if nc else 0)),
        base=z(n_bilateral if nc else 0),
        A=z((size, size)),
        A_copy=z((size, size)),
        L=z((size, size)),
        LtL=z((size, size)),
        rhs=z(n),
        x=z(n),
        y=z(n),
        z=z(n),
        size=z(n),
        pivot=z(n, np.int64),
        solution=z(n),
        row_of=z(n, np.int64),
        n_solution=z(1, np.int64),
        share=z(n),
        settled=z(1, np.int64),
        mu=z(nc),
        bound=z(nc),
        lower=z(nc),
        stiffness=np.ones(nc),
        eps_N=z(nc),
        eps_T=z(nc),
        indicator=z((nc, 3)),
        level=z(nc),
        root=z((nc, 2)),
        samples=z((SAMPLES, nc, 3)),
        q=z(nq),
        u=z(nu),
        u_free=z(nu),
        u_A=z(nu),
        direct=z(nu),
        Y=z((n, nu)),
        xs=z(nx),
        du=z(nu),
        Lambda=z(n),
        Lambda_A=z(n),
        stats=z(STATS),
        n_events=z(1, np.int64),
        event_t=z(events),
        event_corner=z(events, np.int64),
        event_kind=z(events, np.int64),
        event_pair=z(events, np.int64),
        pair=np.full(nc, -1, np.int64),
        event_data=z((events, EVENT_COLUMNS)),
        compact=new_compact(n, nu, group_start),
        problem=new_problem(size, n),
        solver=new_solver_scratch(size),
        impact=new_impact(size),
    )
