"""Compiled kernels on disk: outside the package, so that a read-only install works too.

A kernel's files are named by all sources that it is made of, so none is ever stale.
"""

import gc
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
from numba.core import caching
from numba.core.compiler import CompileResult

from spheresim.compiler import sources
from spheresim.compiler.compile_lock import compile_lock
from spheresim.compiler.compile_time import compiling
from spheresim.compiler.kernel_calls import load_called
from spheresim.compiler.spared_imports import spare_linear_algebra


@cache
def cache_folder() -> Path | None:
    """The folder for compiled kernels, in the first place that is writable; None if none is."""
    places = [os.environ.get("NUMBA_CACHE_DIR"), platformdirs.user_cache_dir("spheresim")]
    for place in filter(None, places):
        with suppress(OSError):
            folder = Path(place) / "spheresim-kernels"
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
    return None


def keep_on_disk(compiled: Any, label: str, parts: int) -> None:
    """Let a kernel of this package be loaded from disk where it is there, and be kept there.

    label, parts: see `compile_time.compiling`.
    """
    function, folder = compiled.py_func, cache_folder()
    if folder is None or not Path(function.__code__.co_filename).is_relative_to(sources.PACKAGE):
        return
    compiled._cache = _SourceHashedCache(function)
    compiled.compile = _in_one_process(compiled, folder, label, parts)


class _SourceHashedLocator(caching._CacheLocator):  # type: ignore[misc]
    """Tells Numba where the cache is, and that files of this name are never stale."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._module = function.__module__
        self._folder = folder
        self._py_file = function.__code__.co_filename  # Numba names it in a warning
        self._digest = sources.digest(Path(self._py_file), folder)

    @classmethod
    def from_function(cls, function: Callable[..., Any], _file: str) -> Any:
        folder = cache_folder()
        return None if folder is None else cls(function, folder)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return f"{self._module}-{self._digest}"


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_SourceHashedLocator,)

    def reduce(self, made: CompileResult) -> tuple[Any, ...]:
        """With the kernels that it calls."""
        return made.library.kernels_called, *super().reduce(made)

    def rebuild(self, target_context: object, payload: tuple[Any, ...]) -> CompileResult:
        """Load the kernels that it calls first: the linker of the JIT needs their addresses."""
        kernels_called, *reduced = payload
        load_called(kernels_called)
        return super().rebuild(target_context, reduced)


class _SourceHashedCache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _Implementation

    def load_overload(self, sig: object, target_context: object) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged pickle may raise
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: object, data: object) -> None:
        # A full disk costs the next start a compilation, not this run its result.
        with suppress(OSError):
            super().save_overload(sig, data)


def _in_one_process(
    compiled: Any, folder: Path, label: str, parts: int
) -> Callable[[object], object]:
    """Its way to compile, or to load from the cache, which one process goes at a time."""
    compile_or_load = compiled.compile
    function = compiled.py_func

    def compile_alone(signature: object) -> object:
        spare_linear_algebra()
        digest = sources.digest(Path(function.__code__.co_filename), folder)
        name = f"{function.__module__}.{function.__qualname__}-{digest}"
        with compile_lock(folder, name), compiling(label, parts), _without_garbage_collection():
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
