"""Decorators that let one source run as plain Python and as machine code.

@kernel       a function that Python calls with arrays and numbers: compiled when it is first
              called, and kept on disk. Inside, it may call all of the following, and kernels, but
              not itself; those that it calls are found again by their names in their modules
@routine      a part of kernels, compiled as a function of its own
@inlined      a small part of kernels, copied into each caller
@value        a NamedTuple class whose methods and operators kernels may use, such as `TVector`;
              a method is copied into each caller, or with `@routine` a function of its own
@python_only  a method of such a class that kernels cannot use
@checked_in_python  a method of such a class whose arguments are checked where Python calls it

A NamedTuple of many arrays is handed over as one address where its class is `@by_reference`.

Under `NUMBA_DISABLE_JIT=1` none of them changes anything, and all runs as plain Python, to
the same bits.

>>> from typing import NamedTuple
>>> @value
... class Interval(NamedTuple("Interval", [("low", float), ("high", float)])):
...     def breadth(self):
...         return self.high - self.low
>>> @kernel
... def breadth_of_both(a, b):
...     return a.breadth() + b.breadth()
>>> breadth_of_both(Interval(0.0, 2.0), Interval(3.0, 7.0))
6.0

The compiler is Numba. Only the files of this folder name it.
"""

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar, overload

import numba

from spheresim.compiler.callables import register_function, register_kernel, register_method
from spheresim.compiler.kernel_cache import keep_on_disk
from spheresim.compiler.linking import SETTINGS, KernelCompiler

COMPILED = not numba.config.DISABLE_JIT
"""False under `NUMBA_DISABLE_JIT=1`, where every kernel runs as plain Python."""

COMPILER_VERSION: str = numba.__version__

F = TypeVar("F", bound=Callable[..., Any])
V = TypeVar("V", bound=type)


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, label: str, parts: int) -> Callable[[F], F]: ...
def kernel(function: Any = None, *, label: str = "", parts: int = 0) -> Any:
    """Compile a function that allocates no memory when Python first calls it; keep that on disk.

    label, parts: what to call it while it compiles, and of about how many functions it is made,
    from which follows how long that takes.
    """
    if function is None:
        return partial(kernel, label=label, parts=parts)
    if not COMPILED:
        return function
    compiled: Any = numba.njit(pipeline_class=KernelCompiler, **SETTINGS)(function)
    keep_on_disk(compiled, label or f"`{function.__name__}`", parts)
    register_kernel(compiled)
    return compiled


def specialised(compiled: F, *arguments: object) -> F:
    """A kernel for arguments of the types of these, and no others: it does not look at types.

    To find out the types of an engine's thirty arrays takes 6 µs, the call itself half of one.
    It lets other threads of Python run meanwhile, such as one that writes what it has found. So
    it must not use arrays that a kernel in another thread may use, too.
    """
    if COMPILED:
        kernel: Any = compiled
        kernel.targetoptions["nogil"] = True
    return for_types_of(compiled, *arguments)


def for_types_of(compiled: F, *arguments: object) -> F:
    """A kernel for arguments of the types of these, and no others, that other threads wait for."""
    if not COMPILED:
        return compiled
    kernel: Any = compiled
    signature = tuple(numba.typeof(argument) for argument in arguments)
    kernel.compile(signature)
    return kernel.get_overload(signature)


def routine(function: F) -> F:
    """Let kernels call a function, from machine code of its own; from Python it runs as Python.

    Of a method of a `@value` class: let kernels call it so, not copied into each caller.
    """
    if COMPILED:
        register_function(function, inline=False)
    function.is_routine = True  # type: ignore[attr-defined]
    return function


def inlined(function: F) -> F:
    """Let kernels call a small function, copied into each caller; from Python it runs as Python."""
    if COMPILED:
        register_function(function, inline=True)
    return function


def value(cls: V) -> V:
    """Let kernels call a NamedTuple's own methods and operators, copied into each caller.

    A `@routine` among them is not copied. Methods that return one of several types are for Python
    alone: mark them with `@python_only`.
    """
    if COMPILED:
        for name, method in vars(cls).items():
            if inspect.isfunction(method) and not hasattr(method, "python_only"):
                is_inlined = not hasattr(method, "is_routine")
                register_method(cls, name, inspect.unwrap(method), inline=is_inlined)
    return cls


def checked_in_python(check: Callable[..., object]) -> Callable[[F], F]:
    """Let Python call a check with the same arguments before a method of a `@value` class.

    Kernels use the method as it is written, without the check.
    """

    def decorate(method: F) -> F:
        @wraps(method)
        def checked(*given: Any, **named: Any) -> Any:
            check(*given, **named)
            return method(*given, **named)

        return checked  # type: ignore[return-value]

    return decorate


def python_only(function: F) -> F:
    """Mark a method of a `@value` class that kernels do not call."""
    function.python_only = True  # type: ignore[attr-defined]
    return function
