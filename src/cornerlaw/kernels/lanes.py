"""Sums over stretches of arrays, four lanes at a time.

The compiler leaves the order of sums as written, so that a sum in a loop waits for every addition;
and an index that may be negative keeps it from taking several numbers at once. Here the order is
that of four lanes, (s0 + s1) + (s2 + s3), then what is left one by one, on every processor that
fuses products and sums. Sums that are formed together read what they share once. The memory is
borrowed, as in `views`: whoever calls knows that the stretches lie inside.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_LANES = 4
_NUMBER, _PLACE = ir.DoubleType(), ir.IntType(64)
_VECTOR = ir.VectorType(_NUMBER, _LANES)


def _start(context, builder, kind, array, place):
    """Return the pointer to a place of an array."""
    return builder.gep(make_array(kind)(context, builder, array).data, [place])


def _fuse(builder, a, b, c):
    """Return a b + c, of numbers or lanes, in one rounding where the processor has it."""
    kind = a.type
    name = "llvm.fmuladd." + ("f64" if kind == _NUMBER else f"v{_LANES}f64")
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [kind] * 3), name
    )
    return builder.call(function, [a, b, c])


def _load(builder, pointer, place, kind):
    """Return the number, or the lanes, at a place behind a pointer."""
    at = builder.gep(pointer, [place])
    return builder.load(builder.bitcast(at, kind.as_pointer()), align=8)


def _loop(builder, begin, end, width, starts, body):
    """Run `body(place, values)` from begin to end by the width; return the last place and values.

    The values are carried from one turn to the next.
    """
    before = builder.block
    head = builder.append_basic_block("head")
    inside = builder.append_basic_block("inside")
    after = builder.append_basic_block("after")
    builder.branch(head)
    builder.position_at_end(head)
    place = builder.phi(_PLACE)
    place.add_incoming(begin, before)
    values = []
    for start in starts:
        value = builder.phi(start.type)
        value.add_incoming(start, before)
        values.append(value)
    builder.cbranch(builder.icmp_signed("<", place, end), inside, after)
    builder.position_at_end(inside)
    results = body(place, values)
    place.add_incoming(builder.add(place, _PLACE(width)), builder.block)
    for value, result in zip(values, results, strict=True):
        value.add_incoming(result, builder.block)
    builder.branch(head)
    builder.position_at_end(after)
    return place, values


def _sums(builder, pointers, products, n):
    """Return the sums of n products for every pair of pointers in `products`."""
    whole = builder.and_(n, _PLACE(-_LANES))

    def add(kind):
        def body(place, values):
            loaded = [_load(builder, pointer, place, kind) for pointer in pointers]
            return [
                _fuse(builder, loaded[i], loaded[j], value)
                for (i, j), value in zip(products, values, strict=True)
            ]

        return body

    zeros = [ir.Constant(_VECTOR, [0.0] * _LANES)] * len(products)
    place, lanes = _loop(builder, _PLACE(0), whole, _LANES, zeros, add(_VECTOR))
    totals = []
    for lane in lanes:
        s = [builder.extract_element(lane, ir.IntType(32)(k)) for k in range(_LANES)]
        totals.append(builder.fadd(builder.fadd(s[0], s[1]), builder.fadd(s[2], s[3])))
    return _loop(builder, place, n, 1, totals, add(_NUMBER))[1]


@intrinsic
def dot(typing_context, a, i, b, j, n):
    """Return the sum of a[i + k] b[j + k] over n places."""
    signature = types.float64(a, types.int64, b, types.int64, types.int64)

    def codegen(context, builder, signature, args):
        pointers = [
            _start(context, builder, signature.args[0], args[0], args[1]),
            _start(context, builder, signature.args[2], args[2], args[3]),
        ]
        return _sums(builder, pointers, [(0, 1)], args[4])[0]

    return signature, codegen


@intrinsic
def dot_crossed(typing_context, a, b, i, j, n):
    """Return the sums of a[i + k] b[j + k] and of b[i + k] a[j + k] over n places."""
    place = types.int64
    signature = types.UniTuple(types.float64, 2)(a, b, place, place, place)

    def codegen(context, builder, signature, args):
        kinds = signature.args
        pointers = [
            _start(context, builder, kinds[array], args[array], args[place])
            for array, place in ((0, 2), (1, 3), (1, 2), (0, 3))
        ]
        found = _sums(builder, pointers, [(0, 1), (2, 3)], args[4])
        return context.make_tuple(builder, signature.return_type, found)

    return signature, codegen


@intrinsic
def dot_crossed_rows(typing_context, a, b, i_1, i_2, j, n):
    """Return what `dot_crossed` does, for i_1 and then for i_2."""
    place = types.int64
    signature = types.UniTuple(types.float64, 4)(a, b, place, place, place, place)

    def codegen(context, builder, signature, args):
        kinds = signature.args
        pointers = [
            _start(context, builder, kinds[array], args[array], args[place])
            for array, place in ((0, 2), (1, 2), (0, 3), (1, 3), (1, 4), (0, 4))
        ]
        found = _sums(builder, pointers, [(0, 4), (1, 5), (2, 4), (3, 5)], args[5])
        return context.make_tuple(builder, signature.return_type, found)

    return signature, codegen


@intrinsic
def dot_rows(typing_context, a, i_1, i_2, j, n):
    """Return the sums of a[i + k] a[j + k] over n places for i = i_1 and i = i_2."""
    place = types.int64
    signature = types.UniTuple(types.float64, 2)(a, place, place, place, place)

    def codegen(context, builder, signature, args):
        pointers = [
            _start(context, builder, signature.args[0], args[0], args[place]) for place in (1, 2, 3)
        ]
        found = _sums(builder, pointers, [(0, 2), (1, 2)], args[4])
        return context.make_tuple(builder, signature.return_type, found)

    return signature, codegen


@intrinsic
def add_multiple(typing_context, a, i, factor, b, j, n):
    """Add factor b[j + k] to a[i + k] at n places of another array."""
    place = types.int64
    signature = types.void(a, place, types.float64, b, place, place)

    def codegen(context, builder, signature, args):
        kinds, n = signature.args, args[5]
        target = _start(context, builder, kinds[0], args[0], args[1])
        source = _start(context, builder, kinds[3], args[3], args[4])
        lanes = ir.Constant(_VECTOR, ir.Undefined)
        for k in range(_LANES):
            lanes = builder.insert_element(lanes, args[2], ir.IntType(32)(k))

        def add(kind, factor):
            def body(place, values):
                at = builder.bitcast(builder.gep(target, [place]), kind.as_pointer())
                more = _load(builder, source, place, kind)
                total = _fuse(builder, factor, more, builder.load(at, align=8))
                builder.store(total, at, align=8)
                return values

            return body

        whole = builder.and_(n, _PLACE(-_LANES))
        place, _ = _loop(builder, _PLACE(0), whole, _LANES, [], add(_VECTOR, lanes))
        _loop(builder, place, n, 1, [], add(_NUMBER, args[2]))
        return context.get_dummy_value()

    return signature, codegen
