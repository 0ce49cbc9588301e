"""The support point of many points: which lies furthest in a direction, four at a time.

The function exists twice, see `intrinsics`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing import Signature

from spheresim.compiler.callables import Intrinsic, in_kernels
from spheresim.compiler.intrinsics import broadcast, row_pointer

LANES = 4
"""Points in a block, whose heights are computed by one vector instruction."""


def support_index(rows: np.ndarray, first: int, blocks: int, direction: Any) -> int:
    """The index of the point that lies furthest in a direction; the first of several.

    rows: shape (n, 3), where from row `first` on every three rows are a block of four
    points, the x of all four, then their y, then their z; blocks: how many there are;
    direction: a `TVector` of any length. One point at a time takes four times as long.
    """
    block = rows[first : first + LANES * blocks].reshape(-1, 3, LANES)
    x, y, z = block[:, 0], block[:, 1], block[:, 2]
    return int(np.argmax(direction.x * x + direction.y * y + direction.z * z))


_FLOATS = ir.VectorType(ir.DoubleType(), LANES)
_WHOLES = ir.VectorType(cgutils.intp_t, LANES)


def _heights(
    builder: ir.IRBuilder, pointer: ir.Value, block: ir.Value, direction: Sequence[ir.Value]
) -> ir.Value:
    """How far the four points of a block lie in a direction, summed in the order of `dot`."""
    sums = None
    for coordinate in range(3):
        at = builder.add(
            builder.mul(block, cgutils.intp_t(3 * LANES)), cgutils.intp_t(LANES * coordinate)
        )
        address = builder.bitcast(builder.gep(pointer, [at]), _FLOATS.as_pointer())
        product = builder.fmul(direction[coordinate], builder.load(address, align=8))
        sums = product if sums is None else builder.fadd(sums, product)
    return sums


def _first_of_the_highest(builder: ir.IRBuilder, high: ir.Value, block: ir.Value) -> ir.Value:
    """The index of the highest point of all, given the highest of every lane and its block."""
    best = best_point = None
    for lane in range(LANES):
        place = cgutils.int32_t(lane)
        value = builder.extract_element(high, place)
        point = builder.mul(builder.extract_element(block, place), cgutils.intp_t(LANES))
        point = builder.add(point, cgutils.intp_t(lane))
        if best is None:
            best, best_point = value, point
            continue
        earlier = builder.and_(
            builder.fcmp_ordered("==", value, best),
            builder.icmp_signed("<", point, best_point),
        )
        better = builder.or_(builder.fcmp_ordered(">", value, best), earlier)
        best = builder.select(better, value, best)
        best_point = builder.select(better, point, best_point)
    return best_point


@in_kernels(support_index)
def _support_index(
    _context: object, rows: types.Array, _first: object, _blocks: object, direction: types.Type
) -> Intrinsic:
    def generate(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> ir.Value:
        of = signature.args[0]
        number = ir.DoubleType()
        pointer = row_pointer(context, builder, of, arguments[0], arguments[1], number)
        axes = [builder.extract_value(arguments[3], axis) for axis in range(3)]
        direction = [broadcast(builder, number, LANES) for number in axes]
        zero = cgutils.intp_t(0)
        high = cgutils.alloca_once_value(builder, _heights(builder, pointer, zero, direction))
        where = cgutils.alloca_once_value(builder, ir.Constant(_WHOLES, [0] * LANES))
        with cgutils.for_range(builder, arguments[2], cgutils.intp_t(1)) as loop:
            heights = _heights(builder, pointer, loop.index, direction)
            better = builder.fcmp_ordered(">", heights, builder.load(high))
            block = broadcast(builder, loop.index, LANES)
            builder.store(builder.select(better, heights, builder.load(high)), high)
            builder.store(builder.select(better, block, builder.load(where)), where)
        return _first_of_the_highest(builder, builder.load(high), builder.load(where))

    return types.intp(rows, types.intp, types.intp, direction), generate
