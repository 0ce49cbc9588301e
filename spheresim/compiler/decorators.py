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

import gc
import inspect
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs
from numba.core import caching, event

from spheresim.compiler import sources
from spheresim.compiler.compile_lock import compile_lock
from spheresim.compiler.linking import SETTINGS, KernelCompiler
from spheresim.compiler.parts import register_function, register_method
from spheresim.compiler.spared_imports import spare_linear_algebra

COMPILED = not numba.config.DISABLE_JIT
"""False under `NUMBA_DISABLE_JIT=1`, where every kernel runs as plain Python."""

COMPILER_VERSION: str = numba.__version__

F = TypeVar("F", bound=Callable[..., Any])
V = TypeVar("V", bound=type)


def kernel(function: F) -> F:
    """Compile a function that allocates no memory when Python first calls it; keep that on disk."""
    if not COMPILED:
        return function
    compiled: Any = numba.njit(pipeline_class=KernelCompiler, **SETTINGS)(function)
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
    """Let kernels call a function, from machine code of its own; from Python it runs as Python."""
    if COMPILED:
        register_function(function, inline=False)
    return function


def inlined(function: F) -> F:
    """Let kernels call a small function, copied into each caller; from Python it runs as Python."""
    if COMPILED:
        register_function(function, inline=True)
    return function


def value(cls: V) -> V:
    """Let kernels call a NamedTuple's own methods and operators, copied into each caller.

    Methods that return one of several types are for Python alone: mark them with
    `@python_only`.
    """
    if COMPILED:
        for name, method in vars(cls).items():
            if inspect.isfunction(method) and not hasattr(method, "python_only"):
                register_method(cls, name, inspect.unwrap(method))
    return cls


def python_only(function: F) -> F:
    """Mark a method of a `@value` class that kernels do not call."""
    function.python_only = True  # type: ignore[attr-defined]
    return function


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
        name = f"{function.__module__}.{function.__qualname__}-{digest}"
        with compile_lock(folder, name), _without_garbage_collection():
            return compile_or_load(signature)

    return compile_alone


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """A tenth of the time to compile is spent on looking for cycles, of which nearly none end."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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
