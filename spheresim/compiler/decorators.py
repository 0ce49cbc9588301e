"""Decorators that let one source run as plain Python and as machine code.

@kernel       a function that Python calls with arrays and numbers: compiled when it is first
              called, and kept on disk. Inside, it may call kernels and all of the following
@routine      a part of kernels, compiled as a function of its own
@inlined      a small part of kernels, copied into each caller
@value        a NamedTuple class whose methods and operators kernels may use, such as `TVector`
@python_only  a method of such a class that kernels cannot use

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
import operator
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba
import platformdirs
from numba.core import caching, event, types
from numba.extending import overload, overload_method, register_jitable

from spheresim.compiler import sources
from spheresim.compiler.compile_lock import compile_lock
from spheresim.compiler.spared_imports import spare_linear_algebra

COMPILED = not numba.config.DISABLE_JIT
"""False under `NUMBA_DISABLE_JIT=1`, where every kernel runs as plain Python."""

COMPILER_VERSION: str = numba.__version__

# error_model: x / 0 is infinity, as in numpy, and costs no check.
# _nrt: kernels allocate nothing, so the arrays inside the NamedTuples given to them need
# no reference counting, which would halve the speed of code that reads well.
# Neither fast-math nor contraction: the same input must give the same bits.
_SETTINGS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}

INLINED: dict[str, Any] = {"forceinline": True, **_SETTINGS}
"""Settings of a function that is copied into its callers."""

_OPERATORS: dict[str, Any] = {
    "__add__": operator.add,
    "__sub__": operator.sub,
    "__mul__": operator.mul,
    "__truediv__": operator.truediv,
    "__neg__": operator.neg,
}

F = TypeVar("F", bound=Callable[..., Any])
V = TypeVar("V", bound=type)


def kernel(function: F) -> F:
    """Compile a function that allocates no memory when Python first calls it; keep that on disk."""
    if not COMPILED:
        return function
    compiled: Any = numba.njit(**_SETTINGS)(function)
    folder = _cache_folder() if _is_ours(function) else None
    if folder is not None:
        compiled._cache = _SourceHashedCache(function)
        compiled.compile = _in_one_process(compiled, folder)
    return compiled  # type: ignore[no-any-return]


def specialised(compiled: F, *arguments: Any) -> F:
    """A kernel for arguments of the types of these, and no others: it does not look at types.

    To find out the types of an engine's thirty arrays takes 6 µs, the call itself half of one.
    It lets other threads of Python run meanwhile, such as one that writes what it has found. So
    it must not use arrays that a kernel in another thread may use, too.
    """
    if not COMPILED:
        return compiled
    kernel: Any = compiled
    kernel.targetoptions["nogil"] = True
    signature = tuple(numba.typeof(argument) for argument in arguments)
    kernel.compile(signature)
    return kernel.get_overload(signature)  # type: ignore[no-any-return]


def routine(function: F) -> F:
    """Let kernels call a function, compiled on its own; called from Python it runs as Python.

    It compiles in a third less time than a kernel, because it needs no entry from Python.
    """
    if not COMPILED:
        return function
    return register_jitable(**_SETTINGS)(function)  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """Let kernels call a small function, copied into each caller; from Python it runs as Python."""
    if not COMPILED:
        return function
    return register_jitable(**INLINED)(function)  # type: ignore[no-any-return]


def value(cls: V) -> V:
    """Register a NamedTuple's own methods and operators with the compiler.

    Methods that return one of several types are for Python alone: mark them with
    `@python_only`. The compiler finds a method by its name alone: methods of several classes
    that share a name must share parameter names, and no method may have the name of a field
    of another class. TypeError otherwise.
    """
    if COMPILED:
        _fields.update(cls._fields)  # type: ignore[attr-defined]
        for name, method in vars(cls).items():
            if inspect.isfunction(method) and not hasattr(method, "python_only"):
                _teach(cls, name, inspect.unwrap(method))
        if clash := _fields & _taught.keys():
            raise TypeError(f"{cls.__name__}: both a field and a method: {sorted(clash)}")
    return cls


def python_only(function: F) -> F:
    """Mark a method of a `@value` class that kernels do not call."""
    function.python_only = True  # type: ignore[attr-defined]
    return function


_fields: set[str] = set()
_taught: dict[str, dict[type, Callable[..., Any]]] = {}


def _teach(cls: type, name: str, method: Callable[..., Any]) -> None:
    """Let kernels call a method or operator of a class."""
    if name.startswith("__") and name not in _OPERATORS:
        return

    # Enter the method into the table of all classes that have one of this name.
    # Numba tries only one of several overloads of a method name, so this one looks the class up.
    methods = _taught.setdefault(name, {})
    methods[cls] = _without_annotations(method)
    signatures = {str(inspect.signature(known)) for known in methods.values()}
    if len(signatures) > 1:
        raise TypeError(f"{cls.__name__}.{name}: other parameters elsewhere: {signatures}")
    if len(methods) > 1:
        return

    # Register, once for each name, a function that looks the method up in that table.
    def implementation(*arguments: Any) -> Callable[..., Any] | None:
        return methods.get(getattr(arguments[0], "instance_class", None))  # type: ignore[arg-type]

    # Numba demands that an overload have its implementation's own parameters.
    implementation.__signature__ = inspect.signature(methods[cls])  # type: ignore[attr-defined]
    if name in _OPERATORS:
        overload(_OPERATORS[name], jit_options=INLINED)(implementation)
    else:
        for kind in (types.NamedTuple, types.NamedUniTuple):  # type: ignore[attr-defined]
            overload_method(kind, name, jit_options=INLINED)(implementation)

    # number * vector is vector * number.
    if name == "__mul__":

        @overload(operator.mul, jit_options=INLINED)
        def reflected(scalar, self):  # type: ignore[no-untyped-def]
            if isinstance(scalar, types.Number) and isinstance(self, types.BaseNamedTuple):  # type: ignore[attr-defined]
                return lambda scalar, self: self * scalar
            return None


def _without_annotations(method: Callable[..., Any]) -> Callable[..., Any]:
    # Numba compares parameters with their annotations, which differ from class to class.
    return FunctionType(method.__code__, method.__globals__, method.__name__, method.__defaults__)


# --- The cache ----------------------------------------------------------------------
# It lies outside the package, so that a read-only install works too. A kernel's files are
# named by all sources that it is made of.


@cache
def _cache_folder() -> Path | None:
    """The folder for compiled kernels, in the first place that is writable; None if none is."""
    places = [os.environ.get("NUMBA_CACHE_DIR"), platformdirs.user_cache_dir("spheresim")]
    for place in filter(None, places):
        with suppress(OSError):
            folder = Path(place) / "spheresim-kernels"
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
    return None


def _is_ours(function: Callable[..., Any]) -> bool:
    """Whether the function's source is one of this package."""
    return Path(function.__code__.co_filename).is_relative_to(sources.PACKAGE)


class _SourceHashedLocator(caching._CacheLocator):  # type: ignore[misc]
    """Tells Numba where the cache is, and that files of this name are never stale."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._module = function.__module__
        self._py_file = function.__code__.co_filename  # Numba names it in a warning
        self._digest = sources.digest(Path(self._py_file))

    @classmethod
    def from_function(cls, function: Callable[..., Any], _file: str) -> "_SourceHashedLocator":
        return cls(function)

    def get_cache_path(self) -> str:
        return str(_cache_folder())

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return f"{self._module}-{self._digest}"


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_SourceHashedLocator,)


class _SourceHashedCache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged pickle may raise
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        # A full disk costs the next start a compilation, not this run its result.
        with suppress(OSError):
            super().save_overload(sig, data)


def _in_one_process(compiled: Any, folder: Path) -> Callable[[Any], Any]:
    """Its way to compile, or to load from the cache, which one process goes at a time."""
    compile_or_load = compiled.compile
    function = compiled.py_func

    def compile_alone(signature: Any) -> Any:
        spare_linear_algebra()
        digest = sources.digest(Path(function.__code__.co_filename))
        with compile_lock(folder, f"{function.__module__}.{function.__qualname__}-{digest}"):
            return compile_or_load(signature)

    return compile_alone


# --- Measuring compile time ----------------------------------------------------------


class CompileTime(event.Listener):  # type: ignore[misc]
    """Measures the seconds spent compiling; calls `announce` when the first compilation starts."""

    def __init__(self, announce: Callable[[], object]) -> None:
        self.seconds = 0.0
        self._announce: Callable[[], object] | None = announce
        self._depth = 0
        self._started = 0.0

    def on_start(self, event: Any) -> None:
        if self._announce is not None:
            self._announce()
            self._announce = None
        if self._depth == 0:
            self._started = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._started


@contextmanager
def watch_compilation(announce: Callable[[], object] = lambda: None) -> Iterator[CompileTime]:
    """Measure what is compiled inside the `with` block; `announce` is called once, at its start."""
    listener = CompileTime(announce)
    with event.install_listener("numba:compile", listener):
        yield listener
