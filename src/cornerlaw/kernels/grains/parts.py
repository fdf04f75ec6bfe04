"""Parts of space that can be worked on at once: a binary tree of cuts at medians. (T-19.4)"""

from cornerlaw.arrays.grains import SAMPLE
from cornerlaw.kernels._numba import kernel


@kernel
def _widest(x, sample, first, last):
    """Return the axis along which some balls are scattered most."""
    best, widest = 0, -1.0
    for a in range(3):
        mean, spread = 0.0, 0.0
        for k in range(first, last):
            mean += x[sample[k], a]
        mean /= last - first
        for k in range(first, last):
            spread += abs(x[sample[k], a] - mean)
        if spread > widest:
            best, widest = a, spread
    return best


@kernel
def _sort(x, a, sample, first, last):
    """Sort some balls by their coordinate a."""
    step = (last - first) // 2
    while step > 0:
        for k in range(first + step, last):
            i, l = sample[k], k
            while l - step >= first and x[sample[l - step], a] > x[i, a]:
                sample[l] = sample[l - step]
                l -= step
            sample[l] = i
        step //= 2


@kernel
def split_space(x, w, leaves):
    """Give every ball its leaf: cuts at medians of a sample, across the widest extent. (T-19.4)

    The sample is spread along the curve on which balls are numbered, and so over space.
    """
    n = x.shape[0]
    count = min(n, SAMPLE)
    for k in range(count):
        w.sample[k] = k * n // count
    w.sample_range[1, 0], w.sample_range[1, 1] = 0, count
    for h in range(1, leaves):
        first, last = w.sample_range[h]
        a = _widest(x, w.sample, first, last)
        _sort(x, a, w.sample, first, last)
        middle = (first + last) // 2
        w.cut_axis[h], w.cut[h] = a, x[w.sample[middle], a]
        w.sample_range[2 * h, 0], w.sample_range[2 * h, 1] = first, middle
        w.sample_range[2 * h + 1, 0], w.sample_range[2 * h + 1, 1] = middle, last
    for i in range(n):
        h = 1
        while h < leaves:
            h = 2 * h + (1 if x[i, w.cut_axis[h]] >= w.cut[h] else 0)
        w.leaf[i] = h


@kernel
def sort_by_node(w, leaves, count):
    """Sort the pairs by node, those of the leaves first and those of the root last."""
    first, last, order = w.node_first, w.node_last, w.order
    for h in range(1, 2 * leaves):
        last[h] = 0
    for k in range(count):
        last[w.node[k]] += 1
    total, level = 0, leaves
    while level >= 1:
        for h in range(level, 2 * level):
            first[h] = total
            total += last[h]
            last[h] = first[h]
        level //= 2
    for k in range(count):
        h = w.node[k]
        order[last[h]] = k
        last[h] += 1
