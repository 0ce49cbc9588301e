"""Several numbers at once, for the exact engine: see `processor`."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from spheresim.compiler.decorators import COMPILED
from spheresim.compiler.intrinsics import all_lanes, in_kernels, row_pointer

LANES = 16
"""How many records `gather_transpose` spreads."""

SPHERES = 8
"""With how many spheres `overlap_mask` compares."""

_SQUARE = 4
"""How many records `gather_transpose` turns at once. Eight would take the widest registers, and
where those are in use the processor shuts one of three ports: a fifth slower."""

EQUALS = 32
"""How many numbers `equal_mask` compares."""


def equal_mask(array: Any, start: Any, number: Any) -> Any:
    """Bit k is set if array[start + k] is that number, for k below EQUALS; both of 32 bits."""
    equal = array[start : start + EQUALS] == np.uint32(number)
    return np.uint64(sum(1 << k for k in np.nonzero(equal)[0].tolist()))


def overlap_mask(spheres: Any, start: Any, centre: Any, weight: Any, radius: float) -> Any:
    """Bit k is set if sphere k of those from `start` on touches this one, in 32-bit floats.

    spheres: whole numbers of 16 bits, SPHERES times x, then y, z and radius, 64 bytes in all;
    weight: of each axis, 1, or 0 for one that does not count.
    """
    theirs = spheres[start : start + 4 * SPHERES].reshape(4, SPHERES).astype(np.float32)
    d = np.array(centre, np.float32)[:, np.newaxis] - theirs[:3]
    dx, dy, dz = d * np.array(weight, np.float32)[:, np.newaxis]
    together = np.float32(radius) + theirs[3]
    touch = dx * dx + dy * dy + dz * dz <= together * together
    return np.uint64(sum(1 << k for k in np.nonzero(touch)[0].tolist()))


def gather_transpose(records: Any, who: Any, start: int, lanes: Any) -> None:
    """Write field f of record who[start + k] into lanes[f * LANES + k], for k below LANES.

    records: each of a multiple of four numbers of 64 bits.
    """
    chosen = records[who[start : start + LANES]].view(np.float64)
    lanes[: len(chosen)] = chosen.reshape(LANES, -1).T.ravel()


def _bits(builder: Any, truths: Any, lanes: int) -> Any:
    """A vector of truths as a number of 64 bits."""
    return builder.zext(builder.bitcast(truths, ir.IntType(lanes)), ir.IntType(64))


@intrinsic  # type: ignore[untyped-decorator]
def _which_equal(_context: Any, array: Any, start: Any, number: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        of = ir.VectorType(ir.IntType(32), EQUALS)
        place = context.cast(builder, arguments[1], start, types.intp)
        pointer = row_pointer(context, builder, array, arguments[0], place, of)
        sought = all_lanes(
            builder, context.cast(builder, arguments[2], number, types.uint32), EQUALS
        )
        equal = builder.icmp_unsigned("==", builder.load(pointer, align=4), sought)
        return _bits(builder, equal, EQUALS)

    return types.uint64(array, start, number), code


@intrinsic  # type: ignore[untyped-decorator]
def _which_touch(
    _context: Any, spheres: Any, start: Any, centre: Any, weight: Any, radius: Any
) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        of = ir.VectorType(ir.IntType(16), SPHERES)
        place = context.cast(builder, arguments[1], start, types.intp)
        pointer = row_pointer(context, builder, spheres, arguments[0], place, of)
        word = ir.VectorType(ir.IntType(32), SPHERES)
        theirs = []
        for k in range(4):
            whole = builder.load(builder.gep(pointer, [ir.IntType(64)(k)]), align=2)
            wide = builder.zext(whole, word)
            theirs.append(builder.sitofp(wide, ir.VectorType(ir.FloatType(), SPHERES)))

        def lanes_of(number: Any) -> Any:
            return all_lanes(builder, builder.fptrunc(number, ir.FloatType()), SPHERES)

        square = None
        for k in range(3):
            d = builder.fsub(lanes_of(builder.extract_value(arguments[2], k)), theirs[k])
            d = builder.fmul(d, lanes_of(builder.extract_value(arguments[3], k)))
            part = builder.fmul(d, d)
            square = part if square is None else builder.fadd(square, part)
        together = builder.fadd(lanes_of(arguments[4]), theirs[3])
        touch = builder.fcmp_ordered("<=", square, builder.fmul(together, together))
        return _bits(builder, touch, SPHERES)

    return types.uint64(spheres, start, centre, weight, radius), code


@intrinsic  # type: ignore[untyped-decorator]
def _spread(_context: Any, records: Any, who: Any, start: Any, lanes: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        of = ir.VectorType(ir.DoubleType(), _SQUARE)
        first = context.cast(builder, arguments[2], start, types.intp)
        ids = row_pointer(context, builder, who, arguments[1], first, ir.IntType(32))
        zero = context.get_constant(types.intp, 0)
        to = row_pointer(context, builder, lanes, arguments[3], zero, of)
        word = ir.IntType(64)
        for side in range(0, LANES, _SQUARE):
            here = []
            for k in range(side, side + _SQUARE):
                i = builder.zext(builder.load(builder.gep(ids, [word(k)]), align=4), word)
                here.append(row_pointer(context, builder, records, arguments[0], i, of))
            for part in range(records.dtype.size // (8 * _SQUARE)):
                rows = [builder.load(builder.gep(record, [word(part)]), align=8) for record in here]
                for f, column in enumerate(_transposed(builder, rows)):
                    at = (part * _SQUARE + f) * LANES + side
                    builder.store(column, builder.gep(to, [word(at // _SQUARE)]), align=8)

    return types.void(records, who, start, lanes), code


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """The columns of a square of vectors: blocks are exchanged, then those within blocks."""
    width = len(rows) // 2
    while width > 0:
        rows = _exchanged(builder, rows, width)
        width //= 2
    return rows


def _exchanged(builder: Any, rows: list[Any], width: int) -> list[Any]:
    """Exchange the blocks of this width beside the diagonal."""
    lanes = len(rows)
    out = list(rows)
    upper = [k if k & width == 0 else lanes + k - width for k in range(lanes)]
    lower = [k + width if k & width == 0 else lanes + k for k in range(lanes)]
    for k in range(lanes):
        if k & width == 0:
            for order, to in ((upper, k), (lower, k + width)):
                mask = ir.Constant(ir.VectorType(ir.IntType(32), lanes), order)
                out[to] = builder.shuffle_vector(rows[k], rows[k + width], mask)
    return out


if COMPILED:
    in_kernels(equal_mask, lambda array, start, number: _which_equal(array, start, number))
    in_kernels(
        overlap_mask,
        lambda spheres, start, centre, weight, radius: _which_touch(
            spheres, start, centre, weight, radius
        ),
    )
    in_kernels(
        gather_transpose, lambda records, who, start, lanes: _spread(records, who, start, lanes)
    )
