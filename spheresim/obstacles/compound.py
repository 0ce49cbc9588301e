"""Several shapes under one name, as a single obstacle."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spheresim.numerics.arrays import Booleans, Floats
from spheresim.obstacles.bounded import Bounded
from spheresim.obstacles.catalogue import BOUNDED
from spheresim.obstacles.drawing import Drawing, together
from spheresim.obstacles.features.rows import FeatureRows, joined_rows
from spheresim.obstacles.fields import ShapeField
from spheresim.obstacles.shape import Keep

_KINDS = {shape.kind: shape for shape in BOUNDED}


class _Parts(NamedTuple):
    parts: tuple[Bounded, ...]


class Compound(Bounded, _Parts):
    """One obstacle that is made of several shapes.

    parts: a list of shapes of any kinds except `Plane`, `Cylinder` and `Compound`.

    >>> from spheresim.obstacles.sphere import Sphere
    >>> dumbbell = Compound([Sphere((0, 0, 0), 1), Sphere((5, 0, 0), 2)])
    >>> dumbbell.gap((2, 0, 0)), len(dumbbell.features().kind)
    (1.0, 2)
    """

    __slots__ = ()

    kind: ClassVar[str] = "compound"
    title: ClassVar[str] = "Several shapes under one name"
    fields: ClassVar[dict[str, ShapeField]] = {
        shape.kind: ShapeField("parts", shape.title, []) for shape in BOUNDED
    }

    def __new__(cls, parts: Iterable[Bounded]) -> "Compound":
        shapes = tuple(parts) if isinstance(parts, Iterable) else (parts,)
        if not shapes:
            raise ValueError("a compound needs at least one shape")
        for shape in shapes:
            if not isinstance(shape, BOUNDED):
                raise TypeError(f"a compound is made of {', '.join(_KINDS)}, not of {shape!r}")
        return super().__new__(cls, shapes)

    @classmethod
    def of_table(cls, given: dict[str, Any], folder: Path) -> "Compound":
        """The compound of a table in a scene file, which holds tables of its parts."""
        parts = []
        for kind, tables in given.items():
            for index, table in enumerate(tables):
                try:
                    parts.append(_KINDS[kind].of_table(dict(table), folder))
                except ValueError as failure:
                    raise ValueError(f"its {kind}[{index}] is not valid: {failure}") from None
        return cls(parts)

    @classmethod
    def files_of(cls, item: Any) -> list[Path]:
        """The files of all parts."""
        parts = ((shape, part) for kind, shape in _KINDS.items() for part in getattr(item, kind))
        return [file for shape, part in parts for file in shape.files_of(part)]

    def table(self, keep: Keep | None = None) -> dict[str, Any]:
        """The tables of its parts, by their kinds."""
        parts: dict[str, Any] = {}
        for shape in self.parts:
            parts.setdefault(shape.kind, []).append(shape.table(keep))
        return parts

    @property
    def is_solid(self) -> bool:
        """Whether all of its parts are."""
        return all(shape.is_solid for shape in self.parts)

    @property
    def is_large(self) -> bool:
        """Whether one of its parts is."""
        return any(shape.is_large for shape in self.parts)

    @property
    def pieces(self) -> tuple[Bounded, ...]:
        """Its parts."""
        return self.parts

    def features(self) -> FeatureRows:
        """The features of all parts."""
        return joined_rows([shape.features() for shape in self.parts])

    def encloses(self, points: Floats) -> Booleans:
        """Which of the points (n, 3) are inside of any part, (n,) bool."""
        return np.any([shape.encloses(points) for shape in self.parts], axis=0)

    def drawing(self, offset: float = 0.0, inside: bool = False) -> Drawing:
        """All parts."""
        return together([shape.drawing(offset, inside) for shape in self.parts])
