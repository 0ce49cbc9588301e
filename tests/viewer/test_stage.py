"""The surfaces of a stage: where they lie, and that nothing of them is left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stages import (
    FALL,
    SCENES,
    check_geometry,
    corners_of,
    radial,
    stage_between,
    stage_of,
    total_area,
)

from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane


@pytest.mark.cases(3)
@pytest.mark.parametrize("offset", [0.0, 0.3])
@pytest.mark.parametrize("name", SCENES)
def test_surfaces_of_the_shipped_scenes(name, offset):
    stage = stage_of(name)
    surfaces = check_geometry(stage, offset)
    assert [surface.index for surface in surfaces] == list(range(len(stage.obstacles)))
    assert all(surface.name for surface in surfaces)
    for surface in surfaces:  # fine enough to fade smoothly
        assert np.max(np.ptp(surface.fade[surface.triangles], axis=1)) < 0.4
        assert np.max(np.ptp(surface.outline_fade, axis=1), initial=0.0) < 0.4


def test_the_tutorials_room():
    stage = stage_of("magic_room")
    assert stage.low.tolist() == [-320.0, -320.0, -320.0]
    assert stage.high[[0, 2]].tolist() == [320.0, 320.0]
    assert 322.0 < stage.high[1] < 345.0
    assert stage.open_low.tolist() == [False] * 3
    assert stage.open_high.tolist() == [False, True, False]
    assert stage.up.tolist() == [0.0, 1.0, 0.0]
    assert stage.grid == 50.0
    kinds = [surface.kind for surface in stage.surfaces()]
    assert kinds == ["plane"] * 5 + ["pillar"] * 3
    # On walls u is level and v goes up; on the floor both are level.
    along = np.array([(surface.u, surface.v) for surface in stage.surfaces()[:5]]) @ stage.up
    assert along.tolist() == [[0.0, 0.0]] + [[0.0, 1.0]] * 4


def test_the_slanting_pillar_ends_in_the_floor_and_in_the_walls():
    stage = stage_of("magic_room")
    slanting = stage.surfaces()[7]
    low, high = slanting.vertices.min(axis=0), slanting.vertices.max(axis=0)
    assert np.allclose(low, (-230, -320, -320), atol=1e-9)
    # Its upper end, past the edge of wall and open top, is partly in the one, partly in the other.
    assert np.isclose(high[2], 320.0)
    ends = slanting.outline.reshape(-1, 3)
    to_sides = np.abs(np.stack([ends[:, 1] + 320, ends[:, 2] + 320, ends[:, 2] - 320], axis=1))
    to_sides = np.append(to_sides, np.abs(ends[:, 1:2] - stage.high[1]), axis=1)
    assert np.max(np.min(to_sides, axis=1)) < 1e-9
    assert all(np.sum(side < 1e-9) > 20 for side in to_sides.T)
    # Where floor and back wall meet, the curve has a corner of its own on their edge.
    edge = (np.abs(ends[:, 1] + 320) < 1e-9) & (np.abs(ends[:, 2] + 320) < 1e-9)
    assert np.unique(np.round(ends[edge, 0], 6)).size == 2


def test_the_lying_pillar_meets_the_floor_without_a_slit():
    lying = stage_of("magic_room").surfaces()[6]
    at_floor = lying.vertices[np.abs(lying.vertices[:, 1] + 320.0) < 1e-9]
    half = np.sqrt(60.0**2 - 20.0**2)  # the axis is 20 above the floor
    assert np.allclose(np.unique(np.round(at_floor[:, 0], 6)), 200.0 + np.array([-half, half]))
    angle = 2.0 * (np.pi - np.arccos(20.0 / 60.0))  # of the part above the floor
    assert np.isclose(total_area(lying), 60.0 * angle * 640.0, rtol=2e-3)


@pytest.mark.parametrize("tilt", [0.0, *10.0 ** np.arange(-17.0, -3.0)])
def test_a_wall_almost_along_a_cylinder_leaves_no_slit(tilt):
    wall = Plane((0, 0, -3.34), (tilt, 0.0104, 1))
    stage = stage_between([wall, Cylinder((0, 0, 0), (1, 0, 0), 14)], [(0, 0, 0), (0, 0, 0)])
    _, tube = check_geometry(stage)
    angle = np.pi + 2.0 * np.arcsin(3.34 / np.hypot(1.0, 0.0104) / 14.0)
    length = stage.high[0] - stage.low[0]
    assert np.isclose(total_area(tube), 14.0 * angle * length, rtol=1e-3)


@pytest.mark.parametrize("turn", np.linspace(0.0, 0.1, 7))
def test_a_pillar_that_just_pokes_through_a_wall_is_open_there(turn):
    normal = (-np.cos(turn), 0.0, -np.sin(turn))
    wall = Plane(np.array(normal) * -2.999, normal)
    pillar = Cylinder((0, 0, 0), (0, 1, 0), 3.0)
    stage = stage_between([wall, pillar], [(-5, 3, 0), (-5, -3, 0)])
    _, surface = check_geometry(stage)
    on_wall = np.abs((surface.vertices - wall.point) @ np.array(normal)) < 1e-9
    assert on_wall.any()
    assert not np.any(np.all(on_wall[surface.triangles], axis=1))


def test_the_offset_primitives_of_the_tutorial():
    stage = stage_of("magic_room")
    plain, grown = stage.surfaces(), stage.surfaces(20.0)
    assert np.allclose(grown[0].vertices[:, 1], -300.0)
    assert np.allclose(grown[1].vertices[:, 0], 300.0)
    reach = np.linalg.norm(grown[5].vertices[:, [0, 2]], axis=1)
    assert np.allclose(reach, 80.0)
    assert grown[5].vertices[:, 1].min() == plain[5].vertices[:, 1].min()
    tube = stage_of("billiard_in_a_tube").surfaces(1.0)[0]
    assert np.allclose(np.linalg.norm(tube.vertices[:, :2], axis=1), 4.0)
    assert stage_of("billiard_in_a_tube").surfaces(5.0) == []


@pytest.mark.parametrize("scale", [1e-75, 1.0, 2.5e74])
def test_any_scale_is_the_same_stage(scale):
    def scaled(by):
        shapes = [
            Plane((0, -3 * by, 0), (0, 1, 0)),
            Plane((4 * by, 0, 0), (-1, 0.3, 0)),
            Cylinder((0, 0, -2 * by), (1, 1, 0.2), 1.5 * by),
        ]
        balls = np.array([(0, 0, 2), (1, 5, 1), (-3, 0, 1)]) * by
        return stage_between(shapes, balls, 0.4 * by, FALL)

    stage, plain = scaled(scale), scaled(1.0)
    assert np.allclose(stage.low / scale, plain.low)
    assert np.allclose(stage.high / scale, plain.high)
    assert stage.grid > 0.0
    for one, other in zip(check_geometry(stage), plain.surfaces(), strict=True):
        assert np.allclose(one.vertices / scale, other.vertices)
        assert np.array_equal(one.triangles, other.triangles)


@pytest.mark.parametrize("radius", [1e3, 1e6])
@pytest.mark.parametrize("inside", [True, False])
def test_a_huge_cylinder_is_a_gentle_slope(radius, inside):
    height = radius + (-4.0 if inside else 4.0)
    stage = stage_between(
        [Cylinder((0, 0, 0), (0, 0, 1), radius)], [(-2, height, 0), (2, height, 3)]
    )
    assert stage.size < 30.0
    (slope,) = check_geometry(stage)
    assert slope.kind == ("tube" if inside else "pillar")
    extent = stage.high - stage.low
    assert np.isclose(total_area(slope), extent[0] * extent[2], rtol=1e-2)
    lines = np.unique(np.round(slope.normals[:, 0] * radius / stage.size, 6))
    assert len(lines) > 50  # as many as there are around a small one, but all of them here


def test_a_tube_is_what_most_balls_start_inside_of():
    cylinder = Cylinder((0, 0, 0), (0, 1, 0), 3.0)
    inside, outside, further = (0, 0, 0), (9, 0, 0), (0, 0, -9)
    assert stage_between([cylinder], [inside]).tubes == {0}
    assert stage_between([cylinder], [outside]).tubes == set()
    assert stage_between([cylinder], [inside, outside, further]).tubes == set()
    # As many inside as outside: the stage's centre decides.
    assert stage_between([cylinder], [inside, (4, 0, 0)]).tubes == {0}
    assert stage_between([cylinder], [inside, (40, 0, 0)]).tubes == set()


numbers = st.floats(-10.0, 10.0)
points = st.tuples(numbers, numbers, numbers)
directions = points.filter(lambda v: np.linalg.norm(v) > 0.1) | st.sampled_from(
    [(1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, 0), (1, 0, -1)]
)
shapes = st.builds(Plane, points, directions) | st.builds(
    Cylinder, points, directions, st.floats(0.01, 30.0)
)


@given(
    st.lists(shapes, max_size=6),
    st.lists(points, min_size=1, max_size=8),
    st.floats(0.01, 2.0),
    st.sampled_from([(0, 0, 0), FALL, (1, 2, -3)]),
    st.sampled_from([0.0, 0.5]),
)
def test_surfaces_of_any_world(shapes, balls, radius, gravity, offset):
    stage = stage_between(shapes, balls, radius, gravity)
    check_geometry(stage, offset)


def test_a_tube_of_which_no_length_is_seen_is_not_drawn():
    walls = [Plane((0, 0, 0), (1, 0, 0)), Plane((-3.7e-49, 0, 0), (1, 0, 0))]
    across = Plane((0, 0, 1), (-1, 0, -2.5e-126))
    stage = stage_between([*walls, across, Cylinder((0, 0, 0), (1, 0, 0), 1.0)], [(0, 0, 0)], 1.0)
    check_geometry(stage)
    assert {surface.index for surface in stage.surfaces()} == {0, 1, 2}


@settings(max_examples=30)
@given(st.lists(shapes, min_size=1, max_size=4), st.lists(points, min_size=2, max_size=6))
def test_nothing_is_left_out(shapes, balls):
    """Wherever a random ray meets a surface inside the region, a triangle is near by."""
    stage = stage_between(shapes, balls)
    found = {surface.index: surface for surface in stage.surfaces()}
    rng = np.random.default_rng(3)
    for index, shape in enumerate(shapes):
        x = on_surface(shape, rng.uniform(stage.low, stage.high, (60, 3)))
        depth = np.min(np.hstack([x - stage.low, stage.high - x]), axis=1)
        for wall in set(stage.walls) - {index}:
            plane = shapes[wall]
            depth = np.minimum(depth, (x - plane.point) @ np.array(plane.normal))
        x = x[depth > 0.01 * stage.size]
        if len(x) == 0:
            continue
        assert index in found
        assert np.max(distance_from(found[index], x)) < 0.005 * stage.size


def on_surface(shape, points):
    if isinstance(shape, Plane):
        return points - np.outer((points - shape.point) @ np.array(shape.normal), shape.normal)
    d = radial(shape, points)
    length = np.linalg.norm(d, axis=1, keepdims=True)
    return points - d + d / length * shape.radius


def distance_from(surface, points):
    """From points to the nearest triangle's plane, among those above which they are: (p,)."""
    a, b, c = corners_of(surface)
    normal = np.cross(b - a, c - a)
    area = np.sum(normal * normal, axis=1)
    above = np.ones((len(points), len(a)), dtype=bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inwards = np.cross(normal, q - p) / area[:, None]
        above &= points @ inwards.T - np.sum(p * inwards, axis=1) > -1e-6
    unit = normal / np.sqrt(area)[:, None]
    height = np.abs(points @ unit.T - np.sum(a * unit, axis=1))
    return np.min(height, axis=1, initial=np.inf, where=above)
