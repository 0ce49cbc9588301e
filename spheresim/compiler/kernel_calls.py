"""Kernels that kernels call: compiled once each, and called at the address of their machine code.

A part is linked into every kernel that calls it, and translated there again. A large one that many
kernels call is better a kernel of its own, such as the contact solver, which both engines use in
all kinds of worlds.

In the machine code of a caller a symbol stands for the address. The symbol is random, since no name
of a type is unique, and is kept with that machine code on disk: whoever loads it defines the symbol
before.
"""

import uuid
from copy import copy
from importlib import import_module
from typing import Any, NamedTuple

from llvmlite import binding
from llvmlite.binding import ModuleRef
from numba.core import types
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target


class CalledKernel(NamedTuple):
    """By which another process finds a kernel, for arguments of some types, and its symbol."""

    symbol: str
    module: str
    name: str
    kinds: tuple[types.Type, ...]


_called: dict[str, CalledKernel] = {}
"""By symbol: those whose symbols this process has defined."""


def compile_called(kernel: Any, kinds: tuple[types.Type, ...]) -> CompileResult:
    """Compile a kernel for arguments of these types, or load it, and let others call it; its entry
    point is then the symbol."""
    function = kernel.py_func
    symbol = f"{function.__module__}.{function.__name__}.{uuid.uuid4().hex}"
    made = _define(CalledKernel(symbol, function.__module__, function.__name__, kinds), kernel)
    described = copy(made.fndesc)
    described.mangled_name = symbol
    cpu_target.target_context.insert_user_function(symbol, described)
    return made._replace(entry_point=symbol)


def kernels_called_in(module: ModuleRef) -> list[CalledKernel]:
    """The kernels that the LLVM IR of another one calls."""
    declared = (each.name for each in module.functions if each.is_declaration)
    return [_called[name] for name in declared if name in _called]


def load_called(kernels: list[CalledKernel]) -> None:
    """Load kernels, or compile them, before one is loaded that calls them."""
    for each in kernels:
        if each.symbol not in _called:
            _define(each, getattr(import_module(each.module), each.name))


def _define(called: CalledKernel, kernel: Any) -> CompileResult:
    """Let the symbol stand for the address of the kernel in this process."""
    kernel.compile(called.kinds)
    made = kernel.overloads[called.kinds]
    address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    binding.add_symbol(called.symbol, address)
    _called[called.symbol] = called
    return made
