"""What kernels may call: functions of their own, and methods and operators of values.

Each is a type of Numba's, which is asked for the signature of a call, and compiles the function
for the types of the arguments when that is new (see `linking`).
"""

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

from llvmlite import ir
from numba.core import types
from numba.core.compiler import CompileResult
from numba.core.datamodel import models, register_default
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typing import Signature
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    fold_arguments,
    infer_getattr,
    infer_global,
    make_intrinsic_template,
)
from numba.core.typing.typeof import typeof_impl

from spheresim.compiler.compile_time import note_part
from spheresim.compiler.kernel_calls import compile_called
from spheresim.compiler.linking import compile_part, is_compiling

F = TypeVar("F", bound=Callable[..., Any])

Intrinsic: TypeAlias = tuple[Signature, Callable[..., ir.Value | None]]
"""A signature, and what writes the LLVM IR of a call; see `in_kernels`."""

CompileFor: TypeAlias = Callable[[tuple[types.Type, ...]], CompileResult]
"""Compiles a function for arguments of some types."""

_OPERATORS: dict[str, Callable[..., object]] = {
    "__add__": operator.add,
    "__sub__": operator.sub,
    "__mul__": operator.mul,
    "__truediv__": operator.truediv,
    "__neg__": operator.neg,
}


def register_function(function: Callable[..., Any], *, inline: bool) -> None:
    """Let kernels call a function."""
    cpu_target.typing_context.insert_global(function, _part(function, inline))


def register_kernel(compiled: Any) -> None:
    """Let other kernels call a kernel."""
    _kernels[compiled] = Part(compiled.py_func, partial(compile_called, compiled))


_kernels: "dict[CPUDispatcher, Part]" = {}


@typeof_impl.register(CPUDispatcher)  # type: ignore[untyped-decorator]
def _type_of_kernel(compiled: CPUDispatcher, _context: object) -> types.Type:
    """In kernels of ours not Numba's own type, by which its code is linked into each caller."""
    numba_type = compiled._numba_type_
    return _kernels.get(compiled, numba_type) if is_compiling() else numba_type


def in_kernels(function: Callable[..., Any]) -> Callable[[F], F]:
    """Let kernels that call a function run LLVM IR for it, which the decorated one writes.

    That is asked with the types of the arguments, and returns a signature and what writes the IR.
    """

    def register(written: F) -> F:
        name = written.__name__
        template = make_intrinsic_template(function, written, name, prefer_literal=False, kwargs={})
        infer_global(function, types.Function(template))
        return written

    return register


def register_method(cls: type, name: str, method: Callable[..., Any], *, inline: bool) -> None:
    """Let kernels call a method or operator of a NamedTuple class."""
    if name.startswith("__") and name not in _OPERATORS:
        return
    _methods[cls, name] = _part(method, inline)


class Part(types.Callable, types.Dummy):
    """The type of a function that kernels call."""

    def __init__(self, function: Callable[..., Any], compile_for: CompileFor) -> None:
        self._function = function
        self._compile_for = compile_for
        self._parameters = inspect.signature(function)
        self._compiled: dict[tuple[types.Type, ...], CompileResult] = {}
        super().__init__(f"part({function.__module__}.{function.__qualname__})")

    @property
    def key(self) -> Callable[..., Any]:
        """What tells parts apart."""
        return self._function

    def get_call_type(
        self, _context: object, arguments: Sequence[types.Type], keywords: Mapping[str, types.Type]
    ) -> Signature:
        """The signature of a call with arguments of these types."""
        kinds = fold_arguments(
            self._parameters, arguments, dict(keywords), _given, _omitted, _given
        )
        kinds = tuple(_parameter_kind(kind) for kind in kinds)
        if kinds not in self._compiled:
            self._compiled[kinds] = self._compile_for(kinds)
            note_part()
        return self._compiled[kinds].signature.replace(pysig=self._parameters)

    def get_call_signatures(self) -> tuple[list[Signature], bool]:
        """Those so far, for error messages of the compiler."""
        return [made.signature for made in self._compiled.values()], True

    def get_impl_key(self, signature: Signature) -> object:
        """By which the compiler knows the code of a call."""
        return self._compiled[signature.args].entry_point


def _part(function: Callable[..., Any], inline: bool) -> Part:
    return Part(function, partial(compile_part, function, is_inlined=inline))


_NARROW = types.signed_domain | types.unsigned_domain - {types.uint64}


def _parameter_kind(kind: types.Type) -> types.Type:
    """The type as which an argument is taken: one for all integers that 64 bits with sign hold."""
    kind = types.unliteral(kind)  # type: ignore[attr-defined]
    return types.int64 if kind in _NARROW else kind


def _given(_place: int, _parameter: object, kind: types.Type) -> types.Type:
    return kind


def _omitted(_place: int, _parameter: object, default: object) -> Any:
    return types.Omitted(default)  # type: ignore[attr-defined]


register_default(Part)(models.OpaqueModel)

_methods: dict[tuple[type, str], Part] = {}


def _method_of(kind: types.Type, name: str) -> Part | None:
    return _methods.get((getattr(kind, "instance_class", None), name))  # type: ignore[arg-type]


class _Method(types.BoundFunction):
    """The type of a method of a value: a part without its first argument."""

    def __init__(self, part: Part, this: types.Type) -> None:
        self._part = part
        super().__init__(type("Method", (AbstractTemplate,), {"key": (part, this)}), this)

    def get_call_type(
        self, context: object, arguments: Sequence[types.Type], keywords: Mapping[str, types.Type]
    ) -> Signature:
        """The signature of a call with arguments of these types."""
        return self._part.get_call_type(context, (self.this, *arguments), keywords).as_method()

    def get_impl_key(self, signature: Signature) -> object:
        return self._part.get_impl_key(signature)


register_default(_Method)(models.handle_bound_function)  # in kernels it is the value itself


@infer_getattr
class _Methods(AttributeTemplate):  # type: ignore[misc]
    key = types.BaseNamedTuple  # type: ignore[attr-defined]

    def generic_resolve(self, kind: types.Type, name: str) -> "_Method | None":
        """The type of `value.name`; None where it is no method."""
        part = _method_of(kind, name)
        return None if part is None else _Method(part, kind)


class _Operator(AbstractTemplate):  # type: ignore[misc]
    """An operator whose first operand is a value, or number * value, which is value * number."""

    method: str

    def generic(
        self, arguments: Sequence[types.Type], keywords: Mapping[str, types.Type]
    ) -> Signature | None:
        """The signature of `a + b` for operands of these types; None for others."""
        part = _method_of(arguments[0], self.method)
        if part is None and self.method == "__mul__" and isinstance(arguments[0], types.Number):
            part = _method_of(arguments[1], self.method) and _reversed_product
        if part is None:
            return None
        signature = part.get_call_type(self.context, arguments, keywords)
        _operations[self.key, signature.args] = part
        return signature

    def get_impl_key(self, signature: Signature) -> object:
        return _operations[self.key, signature.args].get_impl_key(signature)


_operations: dict[Any, Part] = {}
_reversed_product = _part(lambda scalar, value: value * scalar, inline=True)

for _method, _operator in _OPERATORS.items():
    _template = type(_method, (_Operator,), {"key": _operator, "method": _method})
    infer_global(_operator, types.Function(_template))
