"""Operations that processors have and Python has not.

Each operation exists twice, here, in `simd` and in `support_index`: as plain Python, and for
kernels as LLVM IR, which runs on processors of any vector width. Both give the same bits.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing import Signature

from spheresim.compiler.callables import Intrinsic, in_kernels

CACHE_LINE = 64
"""Bytes that the processor moves between memory and cache at once."""


def cache_aligned_zeros(shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> np.ndarray:
    """An array of zeros that begins at a cache line.

    A record of 64 bytes then lies in one line, not in two: numpy's own arrays begin 16 bytes
    after the start of a line.
    """
    size = math.prod(np.atleast_1d(shape).tolist()) * np.dtype(dtype).itemsize
    memory = np.zeros(size + CACHE_LINE, dtype=np.uint8)
    first = -memory.ctypes.data % CACHE_LINE
    return memory[first : first + size].view(dtype).reshape(shape)


def lowest_bit(bits: int | np.uint64) -> int:
    """The place of the lowest bit that is set, counted from 0, in 64 bits that are not all 0."""
    number = int(bits)
    return (number & -number).bit_length() - 1


def prefetch(array: np.ndarray, i: int) -> None:
    """Ask for row i of an array to be brought into the cache, and do not wait for it."""


def copy_record(source: Any, target: Any) -> None:
    """Copy all numbers of one record to another with the same fields."""
    for name in source.dtype.names:
        target[name] = source[name]


# --- Building blocks of functions written in LLVM IR --------------------------------------


def row_pointer(
    context: BaseContext,
    builder: ir.IRBuilder,
    kind: types.Array,
    array: ir.Value,
    place: ir.Value,
    of: ir.Type,
) -> ir.Value:
    """A pointer to array[place], as one to values of the LLVM type `of`."""
    view = context.make_array(kind)(context, builder, array)
    zeros = [context.get_constant(types.intp, 0)] * (kind.ndim - 1)
    address = cgutils.get_item_pointer(context, builder, kind, view, [place, *zeros])
    return builder.bitcast(address, of.as_pointer())


def broadcast(builder: ir.IRBuilder, number: ir.Value, lanes: int) -> ir.Value:
    """A vector that holds the same number in every lane."""
    of = ir.VectorType(number.type, lanes)
    zero = ir.Constant(ir.IntType(32), 0)
    one = builder.insert_element(ir.Constant(of, ir.Undefined), number, zero)
    order = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    return builder.shuffle_vector(one, ir.Constant(of, ir.Undefined), order)


@in_kernels(lowest_bit)
def _trailing_zeros(_context: object, _bits: object) -> Intrinsic:
    def code(
        _context: object, builder: ir.IRBuilder, _signature: object, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.int64(types.uint64), code


@in_kernels(prefetch)
def _prefetch(_context: object, array: types.Array, i: types.Type) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> None:
        place = context.cast(builder, arguments[1], i, types.intp)
        byte = ir.IntType(8)
        pointer = row_pointer(context, builder, array, arguments[0], place, byte)
        word = cgutils.int32_t
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", (cgutils.voidptr_t,), kind)
        builder.call(function, [pointer, word(0), word(3), word(1)])  # read, high locality, data

    return types.void(array, i), code


@in_kernels(copy_record)
def _copy_record(_context: object, source: types.Record, target: types.Record) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        _signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> ir.Value:
        cgutils.raw_memcpy(
            builder, arguments[1], arguments[0], context.get_constant(types.intp, source.size), 1
        )
        return context.get_dummy_value()

    return types.void(source, target), code
