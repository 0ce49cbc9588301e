"""How the parts of kernels become machine code: once, in the kernel that calls them.

Numba makes each function a library: it links all that the function calls into it, optimises the
whole and emits machine code. For a part of a kernel that is work thrown away, since the caller
links, optimises and emits it again; with parts called by parts it is done over and over, and was a
third of all compilation. Here a part keeps its own code only, not yet optimised across functions,
and a kernel links each of its parts once. No result changes by it: without fast-math, optimisation
never changes what a floating-point operation gives.
"""

from typing import Any

from numba.core import compiler
from numba.core.codegen import JITCodeLibrary


class _Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of one function that only kernels call; it is never run by itself."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._final_module.verify()
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No function of that name has machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "_WithoutEnvironments":
        return _WithoutEnvironments(self._codegen)


class _WithoutEnvironments:
    """A code generator that leaves alone the Python objects of functions without machine code."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, _name: str, _environment: Any) -> None:
        pass


class _Kernel(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel, with that of all its parts, and of the parts' parts."""

    def finalize(self) -> None:
        found: dict[int, Any] = {}
        _gather(self._linking_libraries, found)
        self._linking_libraries: list[Any] = list(found.values())
        super().finalize()


def _gather(libraries: list[Any], found: dict[int, Any]) -> None:
    for library in libraries:
        if id(library) not in found:
            found[id(library)] = library
            if isinstance(library, _Part):
                _gather(library._linking_libraries, found)


class PartCompiler(compiler.Compiler):  # type: ignore[misc]
    """Compiles a part of kernels."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.state.library = _Part(self.state.targetctx.codegen(), "part")


class KernelCompiler(compiler.Compiler):  # type: ignore[misc]
    """Compiles a kernel."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.state.library = _Kernel(self.state.targetctx.codegen(), "kernel")
        self.state.library.enable_object_caching()
