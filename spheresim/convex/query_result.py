"""The answers to questions: a record of named fields for each pair of bodies.

A result class declares its fields in the order in which `repr` shows them. The fields make up the
dtype of the records that the kernel writes. Each is an attribute: a number or a vector for one
answer, an array with a leading axis for many.
"""

from typing import Any, ClassVar, TypeAlias

import numpy as np

from spheresim.compiler.decorators import inlined
from spheresim.numerics.arrays import Booleans
from spheresim.numerics.vector import TVector

Kind: TypeAlias = tuple[type] | tuple[type, tuple[int, ...]]
"""The type of a field in a record, and its shape if it is no single number."""

NUMBER: Kind = (np.float64,)
WHOLE: Kind = (np.int64,)
VECTOR: Kind = (np.float64, (3,))


class Field:
    """A field of an answer: a number, a whole number or a vector, with its meaning."""

    def __init__(self, kind: Kind, meaning: str) -> None:
        self.kind = kind
        self.__doc__ = meaning

    def __set_name__(self, _owner: type, name: str) -> None:
        self.name = name

    def __get__(self, result: "QueryResult | None", _owner: type | None = None) -> Any:
        return self if result is None else result.records[self.name][()]


class Flag(Field):
    """A field that is true or false; stored as a whole number, so that records need no padding."""

    def __init__(self, meaning: str) -> None:
        super().__init__(WHOLE, meaning)

    def __get__(self, result: "QueryResult | None", _owner: type | None = None) -> Any:
        return self if result is None else result.records[self.name][()] != 0


class QueryResult:
    """One answer, or many: an array of `dtype` without a dimension, or with one."""

    __slots__ = ("records",)

    dtype: ClassVar[np.dtype[Any]]

    def __init__(self, records: Any) -> None:
        self.records = records

    def __init_subclass__(cls) -> None:
        fields = {name: kind for name, kind in _attributes(cls) if isinstance(kind, Field)}
        cls.dtype = np.dtype([(name, *field.kind) for name, field in fields.items()])

    def __len__(self) -> int:
        if self.records.ndim == 0:
            raise TypeError("one answer has no length")
        return len(self.records)

    def __repr__(self) -> str:
        names = [
            name for name, kind in _attributes(type(self)) if isinstance(kind, Field | property)
        ]
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{type(self).__name__}({fields})"


def _attributes(cls: type) -> list[tuple[str, Any]]:
    """What a class and its bases define, those of the bases first."""
    return [pair for base in reversed(cls.__mro__) for pair in vars(base).items()]


class SweepResult(QueryResult):
    """The times at which two bodies that move without turning begin to touch, and part."""

    __slots__ = ()

    @property
    def meets(self) -> Booleans:
        """Whether the two ever touch, at any time before or after 0."""
        return self.enter <= self.leave

    enter = Field(NUMBER, "Time at which they begin to touch; inf if never, −inf if always.")
    leave = Field(
        NUMBER, "Time at which they part; inf if they stay in touch, −inf if they never touch."
    )
    normal = Field(
        VECTOR,
        "At `enter`, unit, from b towards a; zeros if there is no such time or no direction.",
    )
    contact = Field(
        VECTOR,
        "A point at which they touch at `enter`, in the world; zeros if there is no such time.",
    )


@inlined
def without_minus_zero(vector: TVector) -> TVector:
    """A vector as records hold it: 0.0 in place of −0.0, all else as it is."""
    return TVector(vector.x + 0.0, vector.y + 0.0, vector.z + 0.0)
