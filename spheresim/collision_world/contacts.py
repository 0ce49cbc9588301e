"""The contacts of a cycle, as arrays for those who ask, and one by one for callbacks."""

from typing import Any, NamedTuple

import numpy as np

from spheresim.collision_world.pairs.side import Points, no_points

_NO_TRIANGLES = np.zeros((0, 2), np.int64)


class Contact(NamedTuple):
    """Two shapes that touch, a the one with the lower handle.

    time: when they first touched in the cycle's step, 0 if they did at its start; points (k, 3),
    normals (k, 3), unit, from b towards a, and depths (k,) there; triangles (k, 2): which rows of
    the `triangles` of a and of b, if these are meshes, −1 of other shapes. Where nobody asked for
    points, and at the end of a contact, there are none.
    """

    a: int
    b: int
    time: float
    points: Any
    normals: Any
    depths: Any
    triangles: Any

    @property
    def deepest(self) -> int:
        """The index of the deepest point; ValueError if there are no points."""
        if len(self.depths) == 0:
            raise ValueError("this contact has no points: it has ended, or was asked for without")
        return int(np.argmax(self.depths))

    @property
    def point(self) -> Any:
        """The deepest point, (3,): midway between the two surfaces."""
        return self.points[self.deepest]

    @property
    def normal(self) -> Any:
        """The normal at the deepest point, (3,), unit, from b towards a."""
        return self.normals[self.deepest]

    @property
    def depth(self) -> float:
        """How deep the two are in each other there [length]."""
        return float(self.depths[self.deepest])


class Contacts:
    """All contacts of a cycle, sorted by a, then b.

    a, b: handles, a < b, (n,); time: (n,), see `Contact`. Of their points: contact: which of the
    contacts each is of, (k,); point, normal: (k, 3); depth: (k,); triangle: (k, 2).
    """

    def __init__(
        self,
        a: Any,
        b: Any,
        time: Any,
        points: Points,
        triangle: Any,
    ) -> None:
        self.a, self.b, self.time = a, b, time
        self.contact, self.point, self.normal, self.depth = points
        self.triangle = triangle
        self._starts = np.searchsorted(self.contact, np.arange(len(a) + 1))

    @classmethod
    def none(cls) -> "Contacts":
        """No contacts."""
        none = np.zeros(0, np.int64)
        return cls(none, none, np.zeros(0), no_points(), _NO_TRIANGLES)

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, k: int) -> Contact:
        if not -len(self) <= k < len(self):
            raise IndexError(f"there are {len(self)} contacts, and none of the index {k}")
        k %= len(self)
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
    def pairs(self) -> Any:
        """The handles of both, (n, 2)."""
        return np.column_stack([self.a, self.b])

    def of(self, handle: int) -> list[Contact]:
        """Those of one shape."""
        return [self[int(k)] for k in np.flatnonzero((self.a == handle) | (self.b == handle))]


def ended_contact(a: int, b: int) -> Contact:
    """A contact that is none any more."""
    return Contact(a, b, 0.0, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), _NO_TRIANGLES)
