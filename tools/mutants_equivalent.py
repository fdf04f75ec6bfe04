"""Changes of a sign or an inequality that no test can notice, each with the reason.

The key is the file within the kernels and the statement after the change.
"""

_CM = "complementarity"
_IS = f"{_CM}/islands.py"
_UNSET = "read only where it has been written after this line"

EQUIVALENT: dict[tuple[str, str], str] = {
    (f"{_CM}/accelerated.py", "s.y[i] = 1.0 - 0.1 * (i * 7 % 5)"):
        "any first vector leads a power iteration to the largest eigenvalue",
    (f"{_CM}/accelerated.py", "total -= p.G[i, j] * s.y[j]"):
        "the vector of a power iteration changes its sign, its length does not",
    (f"{_CM}/fischer_burmeister.py", "if lower == math.inf and upper == math.inf:"):
        "the last case gives the same for two infinite bounds: a - (a - b), and a row of G",
    (_IS, "count, last = (0, 1)"): _UNSET,
    (_IS, "fewest, blocks, weak = (end + begin + 1, BLOCKS, 0)"):
        "any number above the count of rows is the same first bound",
    (_IS, "for iteration in range(3 * (end + begin) + 2 * BLOCKS):"):
        "more rounds than an island with a solution takes; one without ends by its weak rows",
    (f"{_CM}/lemke.py", "best, row, column = (1e-10, -1, 1)"): _UNSET,
    (f"{_CM}/lemke.py", "return s.basic[i] > s.basic[j]"):
        "no two rows of an inverse are multiples of each other: some entry decides before",
    (f"{_CM}/pivoting.py", "last = 1"): _UNSET,
    (f"{_CM}/single.py", "forward = c_T < 0.0"):
        "the order in which cases are tried: no two hold at once for a positive definite G",
    (f"{_CM}/sparse/convex.py", "total -= c.inverse[at + x] * c.rhs[first + x]"):
        "the sum changes its sign, and its size alone is returned",
    (f"{_CM}/sparse/order.py", "probe, mark = (c.serial[0] + 1, c.serial[0])"):
        "the second search meets what the first one met: none of it keeps the mark of the first",
    (f"{_CM}/sparse/order.py", "c.first[l] = l + m.groups.place[j]"):
        "all velocities of a group begin where the first of them does, whose place is 0",
    (f"{_CM}/prox.py", "s.next_tied[k] = 1"): _UNSET,
    (f"{_CM}/sparse/rows.py", "c.next_tied[k] = 1"): _UNSET,
    (f"{_CM}/linear_form.py", "s.lcp_of[i] = 1"): _UNSET,
}  # fmt: skip
