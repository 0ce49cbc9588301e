"""The stage: which part of an infinite world is shown, and where its surfaces lie."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spheresim_viewer.stage import Stage

from spheresim.model.state import Obstacle
from spheresim.obstacles.cylinder import Cylinder
from spheresim.obstacles.plane import Plane
from spheresim.scene.find import shipped_scenes
from spheresim.scene.load import load_scene

SCENES = sorted(set(shipped_scenes()) - {"lorentz_gas"})
FALL = (0.0, -9.81, 0.0)


def stage_of(name):
    scene = load_scene(shipped_scenes()[name])
    position = np.array([ball.position for ball in scene.balls])
    radius = np.array([ball.radius for ball in scene.balls])
    return Stage.of(scene.obstacles, position, radius, scene.gravity)


def stage_between(shapes, position, radius=1.0, gravity=(0.0, 0.0, 0.0)):
    position = np.array(position, dtype=float).reshape(-1, 3)
    return Stage.of(
        [Obstacle(s) for s in shapes], position, np.full(len(position), radius), gravity
    )


def corners_of(surface):
    return (surface.vertices[surface.triangles[:, corner]] for corner in range(3))


def total_area(surface):
    a, b, c = corners_of(surface)
    return float(np.sum(np.linalg.norm(np.cross(b - a, c - a), axis=1)) / 2)


def radial(shape, points):
    """From the axis to points, shape (m, 3)."""
    d = points - np.array(shape.point)
    return d - np.outer(d @ np.array(shape.axis), shape.axis)


def check_geometry(stage, offset=0.0):
    """What holds for every surface of every stage."""
    surfaces = stage.surfaces(offset)
    fine = 1e-9 * stage.size
    for surface in surfaces:
        shape = stage.obstacles[surface.index].shape
        x, normals = surface.vertices, surface.normals
        m = len(x)
        assert normals.shape == (m, 3)
        assert surface.fade.shape == (m,)
        assert surface.outline.shape[1:] == (2, 3)
        assert surface.outline_fade.shape == surface.outline.shape[:2]
        assert surface.triangles.min() >= 0
        assert surface.triangles.max() < m
        # Normals have length 1, and the way they point; vertices lie on the surface.
        assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
        if isinstance(shape, Plane):
            assert surface.kind == "plane"
            assert np.array_equal(normals, np.broadcast_to(shape.normal, (m, 3)))
            gap = (x - np.array(shape.point)) @ np.array(shape.normal) - offset
            assert np.allclose([surface.u @ surface.v, surface.u @ normals[0]], 0.0, atol=1e-12)
            assert np.allclose(np.cross(surface.u, surface.v), shape.normal, atol=1e-12)
        else:
            sign = -1.0 if surface.kind == "tube" else 1.0
            d = radial(shape, x)
            distance = np.linalg.norm(d, axis=1)
            gap = distance - shape.radius - sign * offset
            assert np.allclose(sign * d / distance[:, None], normals, atol=1e-6)
            assert surface.u is surface.v is None
        assert np.max(np.abs(gap)) < fine
        # All is inside the box and in front of the walls, borders as well.
        for points in (x, surface.outline.reshape(-1, 3)):
            assert np.all(points >= stage.low - fine)
            assert np.all(points <= stage.high + fine)
            for wall in set(stage.walls) - {surface.index}:
                plane = stage.obstacles[wall].shape
                assert np.min((points - plane.point) @ np.array(plane.normal)) > -fine
        # Triangles are counter-clockwise seen from the open side.
        a, b, c = corners_of(surface)
        across = np.cross(b - a, c - a)
        seen = np.sum(across * normals[surface.triangles[:, 0]], axis=1)
        assert np.all(seen > 0.9 * np.linalg.norm(across, axis=1))
        # What fades is somewhere not faded, and is gone just where the box is open.
        assert np.all((surface.fade >= 0.0) & (surface.fade <= 1.0))
        at_open = np.any((np.abs(x - stage.low) < fine) & stage.open_low, axis=1)
        at_open |= np.any((np.abs(x - stage.high) < fine) & stage.open_high, axis=1)
        assert np.allclose(surface.fade[at_open], 1.0, atol=1e-9)
        assert np.all(surface.fade[~at_open] < 1.0)
        assert at_open.any() or not surface.fade.any()
    return surfaces


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


def test_an_upright_pillar_has_its_whole_area():
    stage = stage_of("magic_room")
    upright = stage.surfaces()[5]
    assert np.isclose(total_area(upright), 2 * np.pi * 60 * (stage.high[1] + 320), rtol=2e-3)


def test_a_wall_has_its_whole_area():
    floor = stage_of("magic_room").surfaces()[0]
    assert np.isclose(total_area(floor), 640.0**2)
    assert floor.fade.max() == 0.0


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


def test_a_floor_patch_two_to_three_times_as_wide_as_the_drop():
    stage = stage_of("bouncing_ball")
    width = stage.high - stage.low
    assert 2.0 < width[0] / 1.1 < 3.0
    assert width[0] == width[2]
    assert stage.low[1] == 0.0
    assert 1.2 < stage.high[1] < 1.5
    floor = stage.surfaces()[0]
    assert floor.fade[np.linalg.norm(floor.vertices[:, [0, 2]], axis=1) < 0.6].max() == 0.0


def test_a_piece_of_tube_about_as_long_as_wide():
    tube = stage_of("billiard_in_a_tube").surfaces()[0]
    assert tube.kind == "tube"
    extent = np.ptp(tube.vertices, axis=0)
    assert np.allclose(extent[:2], 10.0)
    assert 8.0 < extent[2] < 16.0
    assert np.all(np.sum(tube.normals * tube.vertices, axis=1) < 0.0)


@pytest.mark.parametrize("name", ["newtons_cradle", "pi_by_collisions"])
def test_walls_beside_balls_in_a_row_are_modest(name):
    stage = stage_of(name)
    largest = 2.0 * max(ball.radius for ball in load_scene(shipped_scenes()[name]).balls)
    assert stage.low[0] == {"newtons_cradle": -4.0, "pi_by_collisions": 0.0}[name]
    assert np.all((stage.high - stage.low)[1:] >= 2.0 * largest)
    assert np.all((stage.high - stage.low)[1:] <= 7.0 * largest)


def test_two_balls_have_room_to_part():
    stage = stage_of("two_balls")
    for end in ((0.06, -2.21, 0), (2.94, 4.26, 0)):  # where they are after 8 time units
        assert np.all(stage.low < end)
        assert np.all(stage.high > end)
    assert stage.surfaces() == []


@pytest.mark.parametrize("scale", [1e-75, 1.0, 1e75])
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


def test_a_ball_too_small_for_its_place_still_has_a_stage():
    stage = stage_between([], [(1e75, -1e75, 3e74)], 1e-75)
    assert stage.size > 0.0
    assert np.all(np.isfinite(stage.to_units(stage.corners)))
    assert np.all(stage.high >= stage.low)


@pytest.mark.parametrize("n", [5, 10, 1000])
def test_one_far_ball_does_not_stretch_the_stage(n):
    near = np.random.default_rng(1).uniform(-10, 10, (n - 1, 3))
    without = stage_between([], near)
    stage = stage_between([], np.vstack([near, (1e6, 0, 0)]))
    assert np.array_equal(stage.low, without.low)
    assert np.array_equal(stage.high, without.high)


def test_every_ball_of_an_even_crowd_is_shown():
    crowd = np.random.default_rng(2).uniform(-10, 10, (1000, 3)) * (1, 3, 1)
    stage = stage_between([], crowd, 0.1)
    assert np.all(crowd.min(axis=0) - 0.1 >= stage.low)
    assert np.all(crowd.max(axis=0) + 0.1 <= stage.high)


def test_a_plane_far_away_changes_nothing():
    balls = [(0, 0, 0), (5, 1, 2)]
    near = Plane((0, -4, 0), (0, 1, 0))
    far = [Plane((1e7, 0, 0), (-1, 0, 0)), Plane((0, 0, -1e7), (0, 1, 3))]
    stage, without = stage_between([near, *far], balls), stage_between([near], balls)
    assert np.array_equal(stage.low, without.low)
    assert np.array_equal(stage.high, without.high)
    assert [surface.index for surface in check_geometry(stage)] == [0]


def test_a_ball_alone_is_shown_with_its_floor_however_deep_it_falls():
    stage = stage_between([Plane((0, -500, 0), (0, 1, 0))], [(0, 0, 0)], 0.1, FALL)
    assert stage.low[1] == -500.0
    assert len(check_geometry(stage)) == 1


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


def test_planes_back_to_back_are_both_shown():
    planes = [Plane((1, 0, 0), (1, 0, 0)), Plane((-1, 0, 0), (-1, 0, 0))]
    stage = stage_between(planes, [(4, 0, 0), (-4, 0, 0)])
    assert stage.walls == ()
    assert len(check_geometry(stage)) == 2


def test_a_plane_that_most_balls_are_behind_does_not_bound():
    planes = [Plane((1, 0, 0), (1, 0, 0)), Plane((-1, 0, 0), (-1, 0, 0))]
    stage = stage_between(planes, [(4, 0, 0), (5, 3, 0), (-4, 0, 0)])
    assert stage.walls == (0,)
    assert stage.low[0] == 1.0


def test_walls_that_leave_no_ball_between_them_do_not_bound():
    """Each of three balls is behind another side of a triangle."""
    sides = [
        Plane((0, 0, 0), (1, 0, 0)),
        Plane((0, 0, 0), (0, 1, 0)),
        Plane((1, 0, 0), (-1, -1, 0)),
    ]
    stage = stage_between(sides, [(-1, 0.3, 0), (0.3, -1, 0), (1, 1, 0)], 0.1)
    assert stage.walls == ()
    assert stage.low[0] < -1.1
    assert stage.high[0] > 1.1
    assert len(check_geometry(stage)) == 3


def test_a_ball_behind_a_wall_does_not_open_the_room():
    room = [Plane((0, 0, -5), (0, 0, 1)), Plane((0, 0, 5), (0, 0, -1))]
    stage = stage_between(room, [(0, 0, 0), (3, 0, 0), (0, 0, -40)])
    assert stage.low[2] == -5.0
    assert stage.high[2] == 5.0


def test_planes_with_nothing_between_them():
    planes = [Plane((0, 0, 0), (0, 0, 1)), Plane((0, 0, 0), (0, 0, -1))]
    for balls in ([], [(0, 0, 0)], [(0, 0, 1), (1, 0, 0)]):
        stage = stage_between(planes, balls)
        assert stage.size > 0.0
        assert np.all(np.isfinite([stage.low, stage.high]))
        check_geometry(stage)


def test_a_tube_is_what_most_balls_start_inside_of():
    cylinder = Cylinder((0, 0, 0), (0, 1, 0), 3.0)
    inside, outside, further = (0, 0, 0), (9, 0, 0), (0, 0, -9)
    assert stage_between([cylinder], [inside]).tubes == {0}
    assert stage_between([cylinder], [outside]).tubes == set()
    assert stage_between([cylinder], [inside, outside, further]).tubes == set()
    # As many inside as outside: the stage's centre decides.
    assert stage_between([cylinder], [inside, (4, 0, 0)]).tubes == {0}
    assert stage_between([cylinder], [inside, (40, 0, 0)]).tubes == set()


def test_up_is_against_gravity():
    assert stage_between([], [(0, 0, 0)]).up.tolist() == [0.0, 1.0, 0.0]
    assert stage_between([], [(0, 0, 0)], 1.0, (0, 0, -2)).up.tolist() == [0.0, 0.0, 1.0]
    assert np.allclose(stage_between([], [(0, 0, 0)], 1.0, (3e-80, 4e-80, 0)).up, (-0.6, -0.8, 0))


@given(st.floats(1e-70, 1e70))
def test_the_grid_is_readable(scale):
    stage = stage_between([], [(0, 0, 0), (scale, 0, 0)], 0.1 * scale)
    assert 8.0 * (1 - 1e-9) <= stage.size / stage.grid <= 20.0 * (1 + 1e-9)
    assert f"{stage.grid:.6e}"[0] in "125"
    assert f"{stage.grid:.6e}"[1:8] == ".000000"


def test_stage_units_and_back():
    stage = stage_of("magic_room")
    assert np.allclose(np.linalg.norm(stage.to_units(stage.corners), axis=1), 1.0)
    assert np.allclose(stage.to_world(stage.to_units(stage.corners)), stage.corners)


numbers = st.floats(-10.0, 10.0)
points = st.tuples(numbers, numbers, numbers)
directions = points.filter(lambda v: np.linalg.norm(v) > 0.1) | st.sampled_from(
    [(1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, 0), (1, 0, -1)]
)
shapes = st.builds(Plane, points, directions) | st.builds(
    Cylinder, points, directions, st.floats(0.01, 30.0)
)


@settings(max_examples=100)
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


@settings(max_examples=30)
@given(st.lists(shapes, min_size=1, max_size=4), st.lists(points, min_size=2, max_size=6))
def test_nothing_is_left_out(shapes, balls):
    """Wherever a random ray meets a surface inside the region, a triangle is near by."""
    stage = stage_between(shapes, balls)
    found = {surface.index: surface for surface in stage.surfaces()}
    rng = np.random.default_rng(3)
    for index, shape in enumerate(shapes):
        x = on_surface(shape, rng.uniform(stage.low, stage.high, (200, 3)))
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
