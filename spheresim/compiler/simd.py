"""SIMD (one instruction, several numbers) for the exact engine's inner loops.

Each function exists twice, see `intrinsics`. A lane is a number's place in a vector register.
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

LANES = 28
"""How many records `gather_transpose` reads at most."""

SPHERES = 16
"""With how many spheres `overlap_mask` compares."""

SQUARE = 4
"""How many records `gather_transpose` transposes at once. Eight would need 512-bit registers,
and while those are in use some processors close one of three execution ports: measured, a fifth
slower."""

EQUALS = 32
"""How many numbers `equal_mask` compares."""


def equal_mask(array: np.ndarray, start: Any, number: Any) -> np.uint64:
    """Bit k is set if array[start + k] equals the number, for k below EQUALS; both of 32 bits."""
    equal = array[start : start + EQUALS] == np.uint32(number)
    return np.uint64(sum(1 << k for k in np.nonzero(equal)[0].tolist()))


def overlap_mask(spheres: np.ndarray, start: Any, sphere: Any, kept: Any) -> np.uint64:
    """Bit k is set if sphere number k from `start` on touches a given one, for k below SPHERES.

    spheres: whole numbers of 16 bits, x and y of SPHERES spheres in turn, then z and radius in
    turn, 128 bytes in all; sphere: x, y, z and radius of the given one; kept: (3,), −1 for each
    axis, or 0 for one to be left out. No difference along an axis that is kept, and no sum of two
    radii, may take more than 15 bits; sums of squares are taken modulo 2³².
    """
    x, y, z, radius = np.array(sphere).astype(np.int16).reshape(4, 1)
    theirs = spheres[start : start + 4 * SPHERES].reshape(2, SPHERES, 2)
    differences = [x - theirs[0, :, 0], y - theirs[0, :, 1], z - theirs[1, :, 0]]
    dx, dy, dz = (
        (d & np.int16(k)).astype(np.int32) for d, k in zip(differences, kept, strict=True)
    )
    together = (radius + theirs[1, :, 1]).astype(np.int32)
    touch = dx * dx + dy * dy + dz * dz <= together * together
    return np.uint64(sum(1 << k for k in np.nonzero(touch)[0].tolist()))


def append_chosen(
    numbers: np.ndarray, start: Any, bits: Any, left_out: Any, to: np.ndarray, end: np.uint64
) -> np.uint64:
    """Write numbers[start + k], for each bit k that is set, one after the other into `to` from
    `end` on, but those equal to `left_out`; returns the new end.

    All numbers are of 32 bits, and k is below SPHERES. What is behind the new end, up to SPHERES
    places after the old one, may be overwritten.
    """
    chosen = [k for k in range(SPHERES) if int(bits) >> k & 1]
    kept = [number for number in numbers[start : start + SPHERES][chosen] if number != left_out]
    to[end : end + np.uint64(len(kept))] = kept
    return end + np.uint64(len(kept))


def gather_transpose(
    records: np.ndarray, indices: np.ndarray, start: int, squares: int, lanes: np.ndarray
) -> None:
    """Write field f of record indices[start + k] into lanes[f * LANES + k], for k below
    squares * SQUARE.

    So each field of all the records lies together, as vector instructions need it. A record
    holds a multiple of four numbers of 64 bits.
    """
    many, fields = squares * SQUARE, records.dtype.itemsize // 8
    chosen = records[indices[start : start + many]].view(np.float64)
    lanes.reshape(-1, LANES)[:fields, :many] = chosen.reshape(many, fields).T


def _bits(builder: ir.IRBuilder, truths: ir.Value, lanes: int) -> ir.Value:
    """A vector of truth values as the bits of a 64-bit number."""
    return builder.zext(builder.bitcast(truths, ir.IntType(lanes)), ir.IntType(64))


@in_kernels(equal_mask)
def _equal_mask(
    _context: object, array: types.Array, start: types.Type, number: types.Type
) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> ir.Value:
        of = ir.VectorType(ir.IntType(32), EQUALS)
        place = context.cast(builder, arguments[1], start, types.intp)
        pointer = row_pointer(context, builder, array, arguments[0], place, of)
        sought = broadcast(
            builder, context.cast(builder, arguments[2], number, types.uint32), EQUALS
        )
        equal = builder.icmp_unsigned("==", builder.load(pointer, align=4), sought)
        return _bits(builder, equal, EQUALS)

    return types.uint64(array, start, number), code


@in_kernels(overlap_mask)
def _overlap_mask(
    _context: object, spheres: types.Array, start: types.Type, sphere: types.Type, kept: types.Type
) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> ir.Value:
        # Load the spheres: two vectors of pairs.
        of = ir.VectorType(ir.IntType(16), 2 * SPHERES)
        place = context.cast(builder, arguments[1], start, types.intp)
        pointer = row_pointer(context, builder, spheres, arguments[0], place, of)
        x_and_y = builder.load(pointer, align=2)
        z_and_radius = builder.load(builder.gep(pointer, [ir.IntType(64)(1)]), align=2)
        x, y, z, radius = (_number(builder, arguments[2], k) for k in range(4))
        keep_x, keep_y, keep_z = (_number(builder, arguments[3], k) for k in range(3))
        # Differences, without the axes to be left out; and sums of the radii.
        d = builder.sub(_pairs(builder, x, y), x_and_y)
        d = builder.and_(d, _pairs(builder, keep_x, keep_y))
        rest = builder.sub(_pairs(builder, z, builder.neg(radius)), z_and_radius)
        word = ir.VectorType(ir.IntType(32), SPHERES)
        half = ir.Constant(word, [16] * SPHERES)
        rest = builder.bitcast(rest, word)
        dz = builder.ashr(builder.shl(rest, half), half)
        dz = builder.and_(dz, broadcast(builder, builder.sext(keep_z, ir.IntType(32)), SPHERES))
        together = builder.ashr(rest, half)
        # They touch where the squares of the differences are at most the square of the sum.
        square = builder.add(_squares_of_pairs(builder, d), builder.mul(dz, dz))
        touch = builder.icmp_signed("<=", square, builder.mul(together, together))
        return _bits(builder, touch, SPHERES)

    return types.uint64(spheres, start, sphere, kept), code


def _number(builder: ir.IRBuilder, numbers: ir.Value, k: int) -> ir.Value:
    """Number k of a tuple, in 16 bits."""
    return builder.trunc(builder.extract_value(numbers, k), ir.IntType(16))


def _pairs(builder: ir.IRBuilder, first: ir.Value, second: ir.Value) -> ir.Value:
    """A vector that holds two numbers of 16 bits in turn, SPHERES times."""
    word = ir.IntType(32)
    high = builder.shl(builder.zext(second, word), word(16))
    vector = broadcast(builder, builder.or_(builder.zext(first, word), high), SPHERES)
    return builder.bitcast(vector, ir.VectorType(ir.IntType(16), 2 * SPHERES))


def _squares_of_pairs(builder: ir.IRBuilder, vector: ir.Value) -> ir.Value:
    """The sum of the squares of each pair, which processors have as one instruction."""
    word = ir.VectorType(ir.IntType(32), SPHERES)
    parts = []
    for side in range(2):
        order = ir.Constant(word, list(range(side, 2 * SPHERES, 2)))
        part = builder.sext(builder.shuffle_vector(vector, vector, order), word)
        parts.append(builder.mul(part, part))
    return builder.add(*parts)


@in_kernels(append_chosen)
def _append_chosen(
    _context: object,
    numbers: types.Array,
    start: types.Type,
    bits: types.Type,
    left_out: types.Type,
    to: types.Array,
    end: types.Type,
) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> ir.Value:
        of = ir.VectorType(ir.IntType(32), SPHERES)
        place = context.cast(builder, arguments[1], start, types.intp)
        source = row_pointer(context, builder, numbers, arguments[0], place, of)
        vector = builder.load(source, align=4)
        number = context.cast(builder, arguments[3], left_out, types.uint32)
        other = builder.icmp_unsigned("!=", vector, broadcast(builder, number, SPHERES))
        few = builder.trunc(arguments[2], ir.IntType(SPHERES))
        kept = builder.and_(builder.bitcast(other, few.type), few)
        place = context.cast(builder, arguments[5], end, types.intp)
        target = row_pointer(context, builder, to, arguments[4], place, ir.IntType(32))
        if "+avx512f" in context.codegen()._tm_features:
            mask = ir.VectorType(ir.IntType(1), SPHERES)
            kind = ir.FunctionType(of, [of, of, mask])
            name = f"llvm.x86.avx512.mask.compress.v{SPHERES}i32"
            compress = cgutils.get_or_insert_function(builder.module, kind, name)
            chosen = [vector, ir.Constant(of, None), builder.bitcast(kept, mask)]
            together = builder.bitcast(target, of.as_pointer())
            builder.store(builder.call(compress, chosen), together, align=4)
        else:
            place = target
            for k in range(SPHERES):
                lane = ir.IntType(32)(k)
                builder.store(builder.extract_element(vector, lane), place, align=4)
                bit = builder.and_(builder.lshr(kept, kept.type(k)), kept.type(1))
                place = builder.gep(place, [builder.zext(bit, ir.IntType(64))])
        many = builder.zext(builder.ctpop(kept), ir.IntType(64))
        return builder.add(arguments[5], many)

    return types.uint64(numbers, start, bits, left_out, to, types.uint64), code


@in_kernels(gather_transpose)
def _gather_transpose(
    _context: object,
    records: Any,
    indices: types.Array,
    start: types.Type,
    squares: types.Type,
    lanes: types.Array,
) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> None:
        of = ir.VectorType(ir.DoubleType(), SQUARE)
        first = context.cast(builder, arguments[2], start, types.intp)
        ids = row_pointer(context, builder, indices, arguments[1], first, ir.IntType(32))
        zero = context.get_constant(types.intp, 0)
        to = row_pointer(context, builder, lanes, arguments[4], zero, of)
        word = ir.IntType(64)
        many = context.cast(builder, arguments[3], squares, types.intp)
        with cgutils.for_range(builder, many) as loop:
            side = builder.mul(loop.index, word(SQUARE))
            here = []
            for k in range(SQUARE):
                id_place = builder.gep(ids, [builder.add(side, word(k))])
                i = builder.zext(builder.load(id_place, align=4), word)
                here.append(row_pointer(context, builder, records, arguments[0], i, of))
            for part in range(records.dtype.size // (8 * SQUARE)):
                rows = [builder.load(builder.gep(record, [word(part)]), align=8) for record in here]
                for f, column in enumerate(_transposed(builder, rows)):
                    at = word((part * SQUARE + f) * LANES // SQUARE)
                    place = builder.gep(to, [builder.add(loop.index, at)])
                    builder.store(column, place, align=8)

    return types.void(records, indices, start, squares, lanes), code


def _transposed(builder: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """The columns of a square matrix, given its rows as vectors.

    Exchange the two off-diagonal blocks, then do the same within each block of half the size.
    """
    width = len(rows) // 2
    while width > 0:
        rows = _exchanged(builder, rows, width)
        width //= 2
    return rows


def _exchanged(builder: ir.IRBuilder, rows: list[ir.Value], width: int) -> list[ir.Value]:
    """Exchange the two blocks beside the diagonal in each square of twice this width."""
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
