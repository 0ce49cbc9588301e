"""The one driver of all questions about pairs of bodies.

A question is a function `answer(difference, k, scratch, given, records)` for kernels. It writes
record k, the answer about the bodies of pair k, given as their Minkowski difference; `given` is a
tuple of its further arguments. It is a `@routine`, which is compiled for itself: inlined into its
kernel, the time of impact takes seven times as long to compile.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spheresim.compiler.decorators import for_types_of, kernel
from spheresim.convex.body import Body, BodyArrays
from spheresim.convex.epa.polytope import empty_polytope
from spheresim.convex.geometry.posed_body import difference_of, posed_body
from spheresim.convex.gjk.simplex import COLUMNS, CORNERS
from spheresim.convex.query_arguments import pair_count
from spheresim.numerics.arrays import Floats


class Scratch(NamedTuple):
    """Working memory: simplices, shape (2 or more, 4, 6), and a polytope, see `epa`."""

    simplices: Floats
    polytope: Floats


_SIMPLICES = np.empty((2, CORNERS, COLUMNS))
"""Kept from question to question: no two kernels run at once, as each holds the interpreter's
lock."""


def pair_kernel(answer: Callable[..., None]) -> Callable[..., None]:
    """The kernel that answers a question about all pairs, one after the other."""

    # Array by array: to make tuples of them takes a third of the time of a question about a pair.
    def ask_all(
        geometry_a: Floats,
        poses_a: Floats,
        geometry_b: Floats,
        poses_b: Floats,
        simplices: Floats,
        polytope: Floats,
        records: np.ndarray,
        given: Any,
    ) -> None:
        for k in range(len(records)):
            a, b = posed_body(geometry_a, poses_a, k), posed_body(geometry_b, poses_b, k)
            answer(difference_of(a, b), k, Scratch(simplices, polytope), given, records)

    # The compiler keeps each kernel on disk under its module and its name.
    ask_all.__module__, ask_all.__qualname__ = answer.__module__, f"{answer.__qualname__}.ask_all"
    return kernel(ask_all)


def ask(
    question: Callable[..., None],
    a: BodyArrays,
    b: BodyArrays,
    dtype: np.dtype[Any],
    *given: object,
    simplices: np.ndarray = _SIMPLICES,
) -> np.ndarray:
    """The records of a pair kernel's answers, shape (n,).

    Raises ValueError unless both sides hold as many bodies, of the same dimension.
    """
    is_one = type(a) is type(b) is Body and a.dimension == b.dimension
    if is_one and dtype.names is not None:
        # For a single structured record numpy takes twice as long to allocate the memory itself.
        records = np.ndarray(1, dtype, bytearray(dtype.itemsize))
    else:
        records = np.empty(1 if is_one else pair_count(a, b), dtype)
    polytope = empty_polytope(len(a.geometry) + len(b.geometry))
    bodies = a.geometry, a.poses, b.geometry, b.poses
    if is_one:
        # Arrays of one body are contiguous; many may be every other one of an array.
        answer = _KERNELS.get(question)
        if answer is None:
            answer = for_types_of(question, *bodies, simplices, polytope, records, given)
            _KERNELS[question] = answer
        answer(*bodies, simplices, polytope, records, given)
    else:
        question(*bodies, simplices, polytope, records, given)
    return records


_KERNELS: dict[Callable[..., None], Callable[..., None]] = {}
"""The compiled form of each question for two single bodies, which skips the check of types."""
