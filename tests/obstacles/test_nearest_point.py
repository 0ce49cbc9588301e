"""The nearest point of each kind of obstacle lies on its surface, and the normal points from it."""

from typing import Any

import numpy as np
import pytest
from any_shape import SHAPES
from hypothesis import given
from hypothesis import strategies as st

from spheresim import CappedCylinder, Capsule, Compound, Cylinder, Disc, Polygon, Ring, TVector
from spheresim.obstacles.bounded import Bounded

KINDS = {name: shape for name, shape in SHAPES.items() if isinstance(shape, Bounded)} | {
    "tilted disc": Disc((1, 2, 3), (1, 2, -2), 1.5),
    "flat drum": CappedCylinder((0, 0, 0), (0.1, 0, 0.2), 2.0),
    "compound of round ones": Compound(
        [Disc((0, 0, 0), (0, 0, 1), 1), CappedCylinder((3, 0, 0), (3, 0, 2), 1)]
    ),
}
COORDINATES = st.integers(-24, 24).map(lambda k: k / 4) | st.floats(-6, 6)


def nearest_point(shape: Any, point: Any) -> tuple[Any, float, Any]:
    """The nearest point of a surface, as clearance and normal give it; both."""
    gap, normal = shape.clearance(point), np.array(shape.normal_at(point, point))
    return np.array(point) - gap * normal, gap, normal


@pytest.mark.parametrize("name", KINDS)
@given(x=COORDINATES, y=COORDINATES, z=COORDINATES)
def test_nearest_points_lie_on_the_surface(name: str, x: float, y: float, z: float) -> None:
    shape = KINDS[name]
    if shape.is_solid and shape.gap((x, y, z)) < 0.0:
        return  # no point of interest is inside a solid
    on_surface, gap, normal = nearest_point(shape, TVector(x, y, z))
    assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
    assert shape.clearance(TVector(on_surface)) <= 1e-9 * (1.0 + gap)


@pytest.mark.parametrize(
    ("shape", "point", "normal"),
    [
        (Disc((0, 0, 0), (0, 0, 1), 1), (3, 0, 0), (1, 0, 0)),
        (Disc((0, 0, 0), (0, 0, 1), 1), (4, 0, 4), (0.6, 0, 0.8)),
        (CappedCylinder((0, 0, 0), (0, 0, 2), 1), (4, 0, 6), (0.6, 0, 0.8)),
        (CappedCylinder((0, 0, 0), (0, 0, 2), 1), (0, -4, -4), (0, -0.6, -0.8)),
        (Polygon([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]), (0.5, -2, 0), (0, -1, 0)),
        (Polygon([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]), (-3, 0.5, 4), (-0.6, 0, 0.8)),
        (Ring((0, 0, 0), (0, 0, 1), 3, 0.5), (6, 0, -4), (0.6, 0, -0.8)),
    ],
)
def test_beyond_a_rim_the_normal_points_away_from_it(shape: Any, point: Any, normal: Any) -> None:
    assert np.allclose(shape.normal_at(point, point), normal, rtol=0, atol=1e-14)


def test_shapes_of_different_kinds_with_equal_fields_are_different_shapes() -> None:
    fields = (0, 0, 0), (0, 0, 1), 1
    shapes = [kind(*fields) for kind in (Capsule, Disc, CappedCylinder, Cylinder)]
    assert [shape.clearance((0, 0, 5)) for shape in shapes] == [3.0, 5.0, 4.0, 1.0]
    assert len(set(shapes)) == 4
    assert [one == other for one in shapes for other in shapes].count(True) == 4
    assert [one != other for one in shapes for other in shapes].count(False) == 4
