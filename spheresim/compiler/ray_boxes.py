"""A ray against eight boxes at once, for trees of boxes.

The function exists twice, see `intrinsics`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.base import BaseContext
from numba.core.typing import Signature

from spheresim.compiler.callables import Intrinsic, in_kernels
from spheresim.compiler.intrinsics import broadcast, row_pointer

BOXES = 8
"""With how many boxes a ray is compared."""

_LATER = np.float32(1.0 + 2.0**-20)
"""The times at which boxes are left are made longer by this: more than rounding takes."""


def ray_boxes(
    boxes: np.ndarray, node: int, origin: Any, inverse: Any, best: float, enter: np.ndarray
) -> np.uint64:
    """Bit k is set if a ray meets box k of a node before `best`; when it does is in enter[k].

    boxes: 32-bit floats, shape (nodes, 6, BOXES): lowest x, y, z, then highest; an empty place has
    its lowest above its highest. inverse: 1 over the components of the direction. In 32-bit floats;
    no product may be NaN.
    """
    one, two = boxes[node, :3], boxes[node, 3:]
    start = np.array(origin, np.float32)[:, np.newaxis]
    slope = np.array(inverse, np.float32)[:, np.newaxis]
    first, last = (one - start) * slope, (two - start) * slope
    begin = np.minimum(first, last).max(axis=0)
    begin = np.maximum(begin, np.float32(0.0))
    end = np.minimum(np.maximum(first, last).min(axis=0), np.float32(best)) * _LATER
    enter[:] = begin
    is_empty = one[0] > two[0]
    return np.uint64(sum(1 << k for k in np.nonzero((begin <= end) & ~is_empty)[0].tolist()))


@in_kernels(ray_boxes)
def _ray_boxes(
    _context: object,
    boxes: types.Array,
    node: types.Type,
    origin: types.Type,
    inverse: types.Type,
    best: types.Type,
    enter: types.Array,
) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> ir.Value:
        of = ir.VectorType(ir.FloatType(), BOXES)
        place = context.cast(builder, arguments[1], node, types.intp)
        pointer = row_pointer(context, builder, boxes, arguments[0], place, of)
        planes = [
            builder.load(builder.gep(pointer, [ir.IntType(64)(k)]), align=4) for k in range(6)
        ]

        def lanes_of(number: ir.Value) -> ir.Value:
            return broadcast(builder, builder.fptrunc(number, ir.FloatType()), BOXES)

        def smaller(a: ir.Value, b: ir.Value) -> ir.Value:
            return builder.select(builder.fcmp_ordered("<", a, b), a, b)

        def larger(a: ir.Value, b: ir.Value) -> ir.Value:
            return builder.select(builder.fcmp_ordered(">", a, b), a, b)

        begin = broadcast(builder, ir.Constant(ir.FloatType(), 0.0), BOXES)
        end = lanes_of(arguments[4])
        for axis in range(3):
            start = lanes_of(builder.extract_value(arguments[2], axis))
            slope = lanes_of(builder.extract_value(arguments[3], axis))
            first = builder.fmul(builder.fsub(planes[axis], start), slope)
            last = builder.fmul(builder.fsub(planes[axis + 3], start), slope)
            begin = larger(begin, smaller(first, last))
            end = smaller(end, larger(first, last))
        later = broadcast(builder, ir.Constant(ir.FloatType(), float(_LATER)), BOXES)
        meets = builder.fcmp_ordered("<=", begin, builder.fmul(end, later))
        meets = builder.and_(meets, builder.fcmp_ordered("<=", planes[0], planes[3]))
        zero = context.get_constant(types.intp, 0)
        to = row_pointer(context, builder, enter, arguments[5], zero, of)
        builder.store(begin, to, align=4)
        bits = builder.bitcast(meets, ir.IntType(BOXES))
        return builder.zext(bits, ir.IntType(64))

    return types.uint64(boxes, node, origin, inverse, best, enter), code
