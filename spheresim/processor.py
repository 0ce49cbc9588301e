"""What the processor can do and Python has no word for.

Each is here twice: as plain Python, and as the compiler is to say it. Both give the same.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from spheresim.compiled import COMPILED, SETTINGS
from spheresim.vector import TVector

LANES = 4
"""Points that are looked at in one go."""


def lowest_bit(bits: Any) -> int:
    """The place of the lowest bit that is set, in a number of 64 bits that is not 0."""
    number = int(bits)
    return (number & -number).bit_length() - 1


def prefetch(array: Any, i: int) -> None:
    """Fetch row i of an array into the cache, if it is not there, without waiting for it."""


def furthest(rows: Any, first: int, blocks: int, direction: TVector) -> int:
    """Which of many points lies furthest in a direction; the first of several.

    `rows`: shape (n, 3), where from row `first` on every four rows are a block of four
    points: the x of all four, their y, their z. One point at a time takes four times as long.
    """
    block = rows[first : first + LANES * blocks].reshape(-1, 3, LANES)
    x, y, z = block[:, 0], block[:, 1], block[:, 2]
    return int(np.argmax(direction.x * x + direction.y * y + direction.z * z))


if COMPILED:

    @intrinsic  # type: ignore[untyped-decorator]
    def _prefetch(_context: Any, array: Any, i: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
            of, _ = signature.args
            view = context.make_array(of)(context, builder, arguments[0])
            first = context.cast(builder, arguments[1], i, types.intp)
            address = _address(context, builder, of, view, first)
            pointer = builder.bitcast(address, cgutils.voidptr_t)
            word = cgutils.int32_t
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
            function = builder.module.declare_intrinsic("llvm.prefetch", (cgutils.voidptr_t,), kind)
            builder.call(function, [pointer, word(0), word(3), word(1)])  # to read, to keep, data

        return types.void(array, i), generate

    def _address(context: Any, builder: Any, kind: Any, view: Any, row: Any) -> Any:
        place = [row, *[context.get_constant(types.intp, 0)] * (kind.ndim - 1)]
        return cgutils.get_item_pointer(context, builder, kind, view, place)

    @overload(prefetch, jit_options={"forceinline": True, **SETTINGS})  # type: ignore[untyped-decorator]
    def _compiled_prefetch(array: Any, i: Any) -> Callable[[Any, Any], None]:  # noqa: ARG001
        def compiled(array: Any, i: Any) -> None:
            _prefetch(array, i)

        return compiled

    @intrinsic  # type: ignore[untyped-decorator]
    def _trailing_zeros(_context: Any, _bits: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], cgutils.true_bit)

        return types.int64(types.uint64), generate

    @overload(lowest_bit, jit_options={"forceinline": True, **SETTINGS})  # type: ignore[untyped-decorator]
    def _lowest_bit(bits: Any) -> Callable[[Any], Any]:  # noqa: ARG001
        def compiled(bits: Any) -> Any:
            return _trailing_zeros(bits)

        return compiled

    _FLOATS = ir.VectorType(cgutils.ir.DoubleType(), LANES)
    _WHOLES = ir.VectorType(cgutils.intp_t, LANES)

    def _in_all_lanes(builder: Any, number: Any, kind: Any) -> Any:
        filled = ir.Constant(kind, ir.Undefined)
        for lane in range(LANES):
            filled = builder.insert_element(filled, number, cgutils.int32_t(lane))
        return filled

    def _heights(builder: Any, pointer: Any, block: Any, direction: Any) -> Any:
        """How far the four points of a block lie in a direction; added up as `dot` does."""
        sums = None
        for coordinate in range(3):
            at = builder.add(
                builder.mul(block, cgutils.intp_t(3 * LANES)), cgutils.intp_t(LANES * coordinate)
            )
            address = builder.bitcast(builder.gep(pointer, [at]), _FLOATS.as_pointer())
            product = builder.fmul(direction[coordinate], builder.load(address, align=8))
            sums = product if sums is None else builder.fadd(sums, product)
        return sums

    def _first_of_the_highest(builder: Any, high: Any, block: Any) -> Any:
        """From the highest in every lane, and its block, to the highest of all."""
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

    @intrinsic  # type: ignore[untyped-decorator]
    def _furthest(
        _context: Any, rows: Any, _first: Any, _blocks: Any, _x: Any, _y: Any, _z: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            of = signature.args[0]
            view = context.make_array(of)(context, builder, arguments[0])
            pointer = _address(context, builder, of, view, arguments[1])
            direction = [_in_all_lanes(builder, number, _FLOATS) for number in arguments[3:]]
            zero = cgutils.intp_t(0)
            high = cgutils.alloca_once_value(builder, _heights(builder, pointer, zero, direction))
            where = cgutils.alloca_once_value(builder, ir.Constant(_WHOLES, [0] * LANES))
            with cgutils.for_range(builder, arguments[2], cgutils.intp_t(1)) as loop:
                heights = _heights(builder, pointer, loop.index, direction)
                better = builder.fcmp_ordered(">", heights, builder.load(high))
                block = _in_all_lanes(builder, loop.index, _WHOLES)
                builder.store(builder.select(better, heights, builder.load(high)), high)
                builder.store(builder.select(better, block, builder.load(where)), where)
            return _first_of_the_highest(builder, builder.load(high), builder.load(where))

        floats = types.float64
        return types.intp(rows, types.intp, types.intp, floats, floats, floats), generate

    @overload(furthest, jit_options={"forceinline": True, **SETTINGS})  # type: ignore[untyped-decorator]
    def _compiled_furthest(
        rows: Any,  # noqa: ARG001
        first: Any,  # noqa: ARG001
        blocks: Any,  # noqa: ARG001
        direction: Any,  # noqa: ARG001
    ) -> Callable[[Any, Any, Any, Any], int]:
        def compiled(rows: Any, first: Any, blocks: Any, direction: Any) -> int:
            found: int = _furthest(rows, first, blocks, direction.x, direction.y, direction.z)
            return found

        return compiled
