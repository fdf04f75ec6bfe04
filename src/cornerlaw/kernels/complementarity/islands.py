"""Unilateral rows by principal pivoting, island by island, on a matrix without zeros.

    0 <= x, gamma = G x + c >= 0, x gamma = 0

Rows that do not act on each other are problems of their own: many impacts of a drive train, a pool
or a network at one time are many small problems. In each of them closed rows have gamma = 0 and the
others x = 0; the closed part of G is factored within its envelope, rows in the order in which they
are met from one end. (T-12.31)
"""

from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel

BLOCKS = 10  # exchanges of all wrong rows without progress before single ones
WEAK = 1e-10  # pivot, of its diagonal entry, below which the other closed rows determine a row


@kernel
def _gather(A, s, active, place, root, begin):
    """List the rows of the problem that are met from a root, level by level; return their end."""
    s.order[begin], s.spot[root] = root, begin
    at, end = begin, begin + 1
    while at < end:
        i = active[s.order[at]]
        at += 1
        for y in range(A.start[i] + 1, A.start[i + 1]):
            b = place[A.column[y]]
            if b >= 0 and s.spot[b] < 0 and A.value[y] != 0.0:
                s.spot[b] = end
                s.order[end] = b
                end += 1
    return end


@kernel
def _number(s, begin, end):
    """Number the closed rows of an island; return how many there are."""
    n = 0
    for l in range(begin, end):
        a = s.order[l]
        s.rank[a] = -1
        if s.carries[a] == 1:
            s.rank[a], s.listed[n] = n, a
            n += 1
    return n


@inlined
def _copy_row(A, s, i, place, r, at):
    """Write row r of the closed part up to its diagonal; return its end, -1 if there is no room."""
    low = r
    for y in range(A.start[i] + 1, A.start[i + 1]):
        b = place[A.column[y]]
        if b >= 0 and s.rank[b] >= 0:
            low = min(low, s.rank[b])
    s.first[r], s.at[r] = low, at - low
    if at + r - low > s.lower.size:
        return -1
    for x in range(at, at + r - low):
        s.lower[x] = 0.0
    for y in range(A.start[i] + 1, A.start[i + 1]):
        b = place[A.column[y]]
        if b >= 0 and 0 <= s.rank[b] < r:
            s.lower[s.at[r] + s.rank[b]] = A.value[y]
    return at + r - low


@kernel
def _factor(A, s, n, active, place):
    """Write L and D^-1 of the closed part L D L^T; return n, the first weak row, or -1: no room."""
    lower, first, end = s.lower, s.first, 0
    for r in range(n):
        i = active[s.listed[r]]
        end = _copy_row(A, s, i, place, r, end)
        if end < 0:
            return -1
        low, row = first[r], s.at[r]
        for j in range(low, r):
            # products L D of this row and L of that one
            column, total = s.at[j], lower[row + j]
            for x in range(max(low, first[j]), j):
                total -= lower[row + x] * lower[column + x]
            lower[row + j] = total
        diagonal = A.value[A.start[i]]
        pivot = diagonal
        for j in range(low, r):
            value = lower[row + j] * s.inverse[j]
            pivot -= lower[row + j] * value
            lower[row + j] = value
        if not pivot > WEAK * diagonal:
            return r
        s.inverse[r] = 1.0 / pivot
    return n


@kernel
def _substitute(s, n, c):
    """Write the multipliers of the closed rows, those of G x = -c, to s.y."""
    for r in range(n):
        total, row = -c[s.listed[r]], s.at[r]
        for j in range(s.first[r], r):
            total -= s.lower[row + j] * s.y[j]
        s.y[r] = total
    for r in range(n):
        s.y[r] *= s.inverse[r]
    for r in range(n - 1, -1, -1):
        value, row = s.y[r], s.at[r]
        for j in range(s.first[r], r):
            s.y[j] -= s.lower[row + j] * value


@kernel
def _judge(A, s, begin, end, active, place, c, x, small):
    """Mark the rows that violate their law; return how many, and the last of them."""
    count, last = 0, -1
    for l in range(begin, end):
        a = s.order[l]
        i = active[a]
        if s.carries[a] == 1:
            # what carries next to nothing is open
            wrong = x[a] * A.value[A.start[i]] < small
        else:
            gamma = c[a]
            for y in range(A.start[i] + 1, A.start[i + 1]):
                b = place[A.column[y]]
                if b >= 0:
                    gamma += A.value[y] * x[b]
            wrong = gamma < -small
            if not wrong and s.dropped[a] == 1 and gamma <= small:
                # held by rows that share its load: how is for others to say
                return -1, a
        s.wrong[a] = 1 if wrong else 0
        if wrong:
            count += 1
            last = a
    return count, last


@kernel
def _exchange(s, begin, end, block, last):
    """Let all wrong rows change their place, or the last of them."""
    for l in range(begin, end):
        a = s.order[l]
        if s.wrong[a] == 1 and (block or a == last):
            s.carries[a] = 1 - s.carries[a]


@kernel
def _pivot(A, s, begin, end, active, place, c, x, small):
    """Solve one island from the first guess s.carries; return whether that is done.

    All wrong rows change place as long as their number falls, else the last one alone, which ends
    for every positive definite matrix. [JudicePires1994; Murty1974]
    """
    fewest, blocks, weak = end - begin + 1, BLOCKS, 0
    for iteration in range(3 * (end - begin) + 2 * BLOCKS):
        n = _number(s, begin, end)
        found = _factor(A, s, n, active, place)
        if found < 0:
            return False
        if found < n:
            a = s.listed[found]
            s.carries[a], s.dropped[a] = 0, 1
            weak += 1
            if weak > BLOCKS:
                return False
            continue
        _substitute(s, n, c)
        for l in range(begin, end):
            a = s.order[l]
            x[a] = s.y[s.rank[a]] if s.rank[a] >= 0 else 0.0
        count, last = _judge(A, s, begin, end, active, place, c, x, small)
        if count < 0:
            return False
        if count == 0:
            return True
        blocks = BLOCKS if count < fewest else blocks - 1
        fewest = min(fewest, count)
        _exchange(s, begin, end, blocks > 0, last)
    return False


@kernel
def solve_islands(A, s, n, active, place, c, x, small):
    """Write x of n unilateral rows; return whether all islands are solved.

    `active` names the rows of A that take part and `place` says where, -1 for all others; the
    diagonal of A stands first in every row. s.carries holds a first guess: which rows are closed.
    Rows count as right within `small`, a velocity. (T-12.31)
    """
    for a in range(n):
        s.spot[a], s.rank[a], s.dropped[a] = -1, -1, 0
    end = 0
    for a in range(n):
        if s.spot[a] >= 0:
            continue
        begin = end
        end = _gather(A, s, active, place, a, begin)
        if end > begin + 1:
            if not _pivot(A, s, begin, end, active, place, c, x, small):
                return False
        else:
            mobility = A.value[A.start[active[a]]]
            if not mobility > 0.0:
                return False
            x[a] = -c[a] / mobility if c[a] < 0.0 else 0.0
    return True
