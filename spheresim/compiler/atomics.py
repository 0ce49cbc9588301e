"""Numbers by which threads wait for each other.

Each operation exists twice, see `intrinsics`.
"""

from collections.abc import Sequence

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.base import BaseContext

from spheresim.compiler.callables import Intrinsic, in_kernels
from spheresim.compiler.intrinsics import row_pointer

_BYTES = 8


def load_acquire(array: np.ndarray, i: int) -> int:
    """array[i], of 64-bit integers, which another thread may write with `store_release`: what that
    thread wrote before it is then seen here."""
    return int(array[i])


def store_release(array: np.ndarray, i: int, number: int) -> None:
    """Write a number into array[i], for another thread to read with `load_acquire`."""
    array[i] = number


@in_kernels(load_acquire)
def _load_acquire(_context: object, array: types.Array, i: types.Type) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        _signature: object,
        arguments: Sequence[ir.Value],
    ) -> ir.Value:
        place = context.cast(builder, arguments[1], i, types.intp)
        pointer = row_pointer(context, builder, array, arguments[0], place, ir.IntType(64))
        return builder.load_atomic(pointer, "acquire", _BYTES)

    return types.int64(array, i), code


@in_kernels(store_release)
def _store_release(
    _context: object, array: types.Array, i: types.Type, number: types.Type
) -> Intrinsic:
    def code(
        context: BaseContext,
        builder: ir.IRBuilder,
        _signature: object,
        arguments: Sequence[ir.Value],
    ) -> None:
        place = context.cast(builder, arguments[1], i, types.intp)
        pointer = row_pointer(context, builder, array, arguments[0], place, ir.IntType(64))
        value = context.cast(builder, arguments[2], number, types.int64)
        builder.store_atomic(value, pointer, "release", _BYTES)

    return types.void(array, i, number), code
