"""The contacts of a cycle: all as arrays, and each as a `Contact`, which callbacks are given."""

from typing import NamedTuple, overload

import numpy as np

from spheresim.collision_world.pairs.side import Points, no_points
from spheresim.numerics.arguments import index_among
from spheresim.numerics.arrays import Floats, Integers

_NO_TRIANGLES = np.zeros((0, 2), np.int64)


class Contact(NamedTuple):
    """Two shapes that touch; a is the one with the lower handle.

    time: when they first touch in the cycle's step, 0 at its start; points: (k, 3), midway between
    the surfaces at that time; normals: (k, 3), unit, from b towards a; depths: (k,) [length];
    triangles: (k, 2), row numbers in the `triangles` of a and of b, −1 where that shape is no mesh.
    A contact that has ended, and one of `cycle(answer="touch")`, has no points: k is 0.
    """

    a: int
    b: int
    time: float
    points: Floats
    normals: Floats
    depths: Floats
    triangles: Integers

    @property
    def deepest(self) -> int:
        """The index of the deepest point; ValueError if there are no points."""
        if len(self.depths) == 0:
            raise ValueError("this contact has no points: it has ended, or cycle found no points")
        return int(np.argmax(self.depths))

    @property
    def point(self) -> Floats:
        """The deepest point, (3,): midway between the two surfaces."""
        return self.points[self.deepest]

    @property
    def normal(self) -> Floats:
        """The normal at the deepest point, (3,), unit, from b towards a."""
        return self.normals[self.deepest]

    @property
    def depth(self) -> float:
        """The depth of the overlap at the deepest point [length]."""
        return float(self.depths[self.deepest])


class Contacts:
    """All contacts of a cycle as arrays, sorted by a, then b; `contacts[i]` is one `Contact`,
    and a slice a list of them.

    One row for each of n contacts: a, b: handles, a < b, (n,); time: (n,). One row for each of k
    points: contact: the index of its contact, (k,); point, normal: (k, 3); depth: (k,); triangle:
    (k, 2). `Contact` explains them.
    """

    def __init__(
        self,
        a: Integers,
        b: Integers,
        time: Floats,
        points: Points,
        triangle: Integers,
    ) -> None:
        self.a, self.b, self.time = a, b, time
        self.contact, self.point, self.normal, self.depth = points
        self.triangle = triangle
        self._starts = np.searchsorted(self.contact, np.arange(len(a) + 1))

    @classmethod
    def none(cls) -> "Contacts":
        """An empty set of contacts."""
        none = np.zeros(0, np.int64)
        return cls(none, none, np.zeros(0), no_points(), _NO_TRIANGLES)

    def __len__(self) -> int:
        return len(self.a)

    @overload
    def __getitem__(self, index: int) -> Contact: ...
    @overload
    def __getitem__(self, index: slice) -> list[Contact]: ...
    def __getitem__(self, index: int | slice) -> Contact | list[Contact]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        k = index_among(index, len(self), "contacts")
        rows = slice(self._starts[k], self._starts[k + 1])
        return Contact(
            int(self.a[k]),
            int(self.b[k]),
            float(self.time[k]),
            self.point[rows],
            self.normal[rows],
            self.depth[rows],
            self.triangle[rows],
        )

    def __repr__(self) -> str:
        return f"<{len(self)} contacts, {len(self.point)} points>"

    @property
    def pairs(self) -> Integers:
        """The handles of both shapes of each contact, (n, 2)."""
        return np.column_stack([self.a, self.b])

    def of(self, handle: int) -> list[Contact]:
        """All contacts of one shape."""
        return [self[int(k)] for k in np.flatnonzero((self.a == handle) | (self.b == handle))]


def ended_contact(a: int, b: int) -> Contact:
    """A contact that has ended, as `on_end` is given it."""
    return Contact(a, b, 0.0, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), _NO_TRIANGLES)
