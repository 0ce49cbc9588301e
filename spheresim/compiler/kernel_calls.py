"""Kernels that kernels call: compiled once each, and called at the address of their machine code.

A part is linked into every kernel that calls it, and translated there again. A large one that many
kernels call is better a kernel of its own, such as the contact solver, which both engines use in
all kinds of worlds.
"""

import hashlib
from copy import copy
from importlib import import_module
from typing import Any, NamedTuple

from llvmlite import binding
from llvmlite.binding import ModuleRef
from numba.core import types
from numba.core.registry import cpu_target
from numba.core.typing import Signature


class KernelCall(NamedTuple):
    """A call of a kernel with arguments of some types; its symbol in machine code."""

    signature: Signature
    entry_point: str


class KernelName(NamedTuple):
    """By which a kernel, for arguments of some types, is found again in another process."""

    module: str
    name: str
    kinds: tuple[types.Type, ...]


_called: dict[str, KernelName] = {}
"""By symbol: all kernels that kernels of this process call."""


def compile_called(kernel: Any, kinds: tuple[types.Type, ...]) -> KernelCall:
    """Compile a kernel for arguments of these types, or load it, and let others call it."""
    kernel.compile(kinds)
    made = kernel.overloads[kinds]
    name = KernelName(kernel.py_func.__module__, kernel.py_func.__name__, kinds)
    # The compiler's own name for it is another in each process.
    digest = hashlib.sha256(str(kinds).encode()).hexdigest()[:16]
    symbol = f"{name.module}.{name.name}.{digest}"
    if symbol not in _called:
        _called[symbol] = name
        address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
        binding.add_symbol(symbol, address)
        described = copy(made.fndesc)
        described.mangled_name = symbol
        cpu_target.target_context.insert_user_function(symbol, described)
    return KernelCall(made.signature, symbol)


def kernels_called_in(module: ModuleRef) -> list[KernelName]:
    """The kernels that the LLVM IR of another one calls."""
    declared = (each.name for each in module.functions if each.is_declaration)
    return [_called[name] for name in declared if name in _called]


def load_called(kernels: list[KernelName]) -> None:
    """Load kernels, or compile them, before one is loaded that calls them."""
    for each in kernels:
        compile_called(getattr(import_module(each.module), each.name), each.kinds)
