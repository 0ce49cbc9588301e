"""NamedTuples of arrays, handed to kernels and between their parts as one address.

By value, a tuple of thirty arrays is some two hundred arguments of each function that gets it:
most of what the compiler would then have to translate is their way from one call to the next.
By reference it is one, and a field is read from memory where it is used. The fields never change
while a kernel runs, so the compiler may read each once and keep it.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.datamodel import DataModelManager, models, register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.pythonapi import NativeValue, unbox
from numba.core.typing.typeof import typeof_impl

V = TypeVar("V", bound=type)


def by_reference(cls: V) -> V:
    """Let kernels take NamedTuples of this class, made in Python, by the address of their fields.

    A tuple of this class that is made inside a kernel goes by value, as all others do.
    """

    @typeof_impl.register(cls)  # type: ignore[untyped-decorator]
    def type_of(fields: tuple[object, ...], context: object) -> "Reference | None":
        kinds = [_writable(typeof_impl(field, context)) for field in fields]
        return None if None in kinds else Reference(kinds, cls)

    return cls


def _writable(kind: types.Type) -> types.Type:
    """Kernels are the same for arrays that may be written to and for those that may not."""
    return kind.copy(readonly=False) if isinstance(kind, types.Array) else kind


class Reference(types.NamedTuple):  # type: ignore[name-defined,misc]
    """The type of such a NamedTuple."""

    def __init__(self, fields: Sequence[types.Type], cls: type) -> None:
        super().__init__(fields, cls)
        # Symbols hold the types of all arguments: the name of a field's type is up to 2000 letters.
        long_name = ", ".join(str(field) for field in fields)
        digest = hashlib.sha256(long_name.encode()).hexdigest()[:16]
        self.name = f"{cls.__name__}_{digest}"


@register_default(Reference)
class _ReferenceModel(models.PrimitiveModel):  # type: ignore[misc]
    """An address, without the type of what lies there, which is long and would be all over."""

    def __init__(self, manager: DataModelManager, kind: Reference) -> None:
        super().__init__(manager, kind, cgutils.voidptr_t)
        self.fields = ir.LiteralStructType(
            [_in_memory(manager.lookup(field), field) for field in kind.types]
        )


def _in_memory(model: models.DataModel, field: types.Type) -> ir.Type:
    """What stands for a field: of a record its address, because kernels write into it."""
    is_record = isinstance(field, types.Record)
    return model.get_value_type() if is_record else model.get_data_type()


@lower_getattr_generic(Reference)  # type: ignore[untyped-decorator]
def _field(
    context: BaseContext, builder: ir.IRBuilder, kind: Reference, address: ir.Value, name: str
) -> ir.Value:
    place = kind.fields.index(name)
    models = context.data_model_manager
    fields = builder.bitcast(address, models[kind].fields.as_pointer())
    field, of = kind.types[place], models[kind.types[place]]
    unused = _NEVER_USED if isinstance(field, types.Array) else ()
    number = _read(builder, cgutils.gep_inbounds(builder, fields, 0, place), unused)
    if isinstance(field, Reference | types.Record):
        size = field.size if isinstance(field, types.Record) else size_of(context, field)
        of_bytes = builder.module.add_metadata([ir.IntType(64)(size)])
        number.set_metadata("dereferenceable", of_bytes)
    # Numbers in memory are the same in use, but for truth values.
    is_same = _in_memory(of, field) == of.get_value_type()
    return number if is_same else of.from_data(builder, number)


def size_of(context: BaseContext, kind: Reference) -> int:
    """How many bytes may be read at the address of such a tuple, at any time."""
    return int(context.get_abi_sizeof(context.data_model_manager[kind].fields))


_NEVER_USED = (0, 1)
"""Places in an array's structure of what owns its memory, as kernels count no references."""


def _read(builder: ir.IRBuilder, address: ir.Value, unused: tuple[int, ...] = ()) -> ir.Value:
    """What is at an address, number by number: the compiler drops those that nobody uses."""
    of = address.type.pointee
    if isinstance(of, ir.BaseStructType):
        whole = ir.Constant(of, ir.Undefined)
        for k in range(len(of.elements)):
            if k in unused:
                continue
            part = _read(builder, cgutils.gep_inbounds(builder, address, 0, k))
            whole = builder.insert_value(whole, part, k)
        return whole
    number = builder.load(address)
    number.set_metadata("invariant.load", builder.module.add_metadata([]))
    return number


@unbox(Reference)  # type: ignore[untyped-decorator]
def _unbox(kind: Reference, fields: ir.Value, c: Any) -> NativeValue:
    """Write the fields to the stack of the kernel's entry from Python."""
    models = c.context.data_model_manager
    address = cgutils.alloca_once(c.builder, models[kind].fields)
    is_error = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    cleanups: list[Callable[[], object]] = []
    for place, field in enumerate(kind.types):
        is_record = isinstance(field, types.Record)
        in_python = c.pyapi.tuple_getitem(fields, place)
        native = _unbox_record(field, in_python, c) if is_record else c.unbox(field, in_python)
        to = cgutils.gep_inbounds(c.builder, address, 0, place)
        value = native.value if is_record else models[field].as_data(c.builder, native.value)
        c.builder.store(value, to)
        with c.builder.if_then(native.is_error, likely=False):
            c.builder.store(cgutils.true_bit, is_error)
        if native.cleanup is not None:
            cleanups.append(native.cleanup)

    def cleanup() -> None:
        for clean in reversed(cleanups):
            clean()

    address = c.builder.bitcast(address, cgutils.voidptr_t)
    return NativeValue(
        address, is_error=c.builder.load(is_error), cleanup=cleanup if cleanups else None
    )


def _unbox_record(kind: types.Record, record: ir.Value, c: Any) -> NativeValue:
    """The address of a record.

    numba asks for the record's attribute `data`, which numpy looks up in Python: where a Ctrl-C
    raised an exception there, the fields that follow would be unboxed with an exception set.
    """
    buffer = c.pyapi.alloca_buffer()
    failed = c.pyapi.get_buffer(record, buffer)
    pointer = c.context.get_value_type(kind)
    address = c.builder.load(c.builder.bitcast(buffer, pointer.as_pointer()))

    def cleanup() -> None:
        c.pyapi.release_buffer(buffer)

    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, failed), cleanup=cleanup)
