"""From a pixel to the ball under it: against projecting the balls, and against spheresim's rays."""

import numpy as np
import pytest
from any_shape import SHAPES
from hypothesis import assume, example, given
from hypothesis import strategies as st
from spheresim_viewer.camera.camera import Camera
from spheresim_viewer.picking import (
    drag_plane,
    dragged,
    hit_parameters,
    pick,
    pick_obstacle,
    pixel_slope,
    ray_through,
)
from spheresim_viewer.stage import Stage

from spheresim import (
    CappedCylinder,
    Capsule,
    Cuboid,
    Obstacle,
    Plane,
    Polygon,
    Ring,
    Sphere,
)
from spheresim.numerics.ray import TRay
from spheresim.numerics.roots import contact_quadratic
from spheresim.numerics.vector import TVector

pytestmark = pytest.mark.thorough

WIDTH, HEIGHT = 900.0, 600.0
pixels = st.tuples(st.floats(0.0, WIDTH), st.floats(0.0, HEIGHT))


def camera_at(yaw=0.4, pitch=0.3, nearer=1.0, scale=1.0):
    places = scale * np.array([(-3.0, 0, 0), (3, 2, 0), (0, 0, 3)])
    camera = Camera(Stage.of([], places, np.full(3, 0.2 * scale), (0, -1, 0)), WIDTH / HEIGHT)
    camera.orbit(yaw, pitch)
    camera.zoom(nearer)
    camera.settle()
    return camera


def pixels_of(camera, points):
    """Where points in the world (m, 3) are in the window, shape (m, 2)."""
    view, projection = camera.matrices(WIDTH / HEIGHT)
    units = np.column_stack([camera.stage.to_units(points), np.ones(len(points))])
    clip = units @ (projection @ view).T
    return (clip[:, :2] / clip[:, 3:] + 1.0) / 2.0 * (WIDTH, HEIGHT)


@given(pixels, st.floats(-4, 4), st.floats(-2, 2), st.floats(0.1, 50), st.floats(0.1, 90))
def test_a_ray_goes_through_its_pixel(pixel, yaw, pitch, nearer, distance):
    camera = camera_at(yaw, pitch, nearer)
    ray = ray_through(camera, *pixel, WIDTH, HEIGHT)
    assert np.isclose(ray.direction.mag(), 1.0)
    assert np.allclose(ray.origin, camera.stage.to_world(camera.eye))
    assert np.allclose(pixels_of(camera, np.array([ray.at(distance)])), pixel, atol=1e-6)


@pytest.mark.cases(1)
@pytest.mark.parametrize("scale", [1e-70, 1.0, 1e70])
def test_pick_finds_what_is_drawn_in_the_pixel(scale):
    """Against points drawn on all spheres: the nearest one in a pixel is of the picked ball."""
    rng = np.random.default_rng(4)
    position = rng.uniform(-3, 3, (40, 3)) * scale
    radius = rng.uniform(0.1, 0.6, 40) * scale
    camera = camera_at(nearer=1.5, scale=scale)
    eye = camera.stage.to_world(camera.eye)
    dots = rng.normal(size=(5000, 3))
    dots /= np.linalg.norm(dots, axis=1, keepdims=True)
    dots = position[:, None, :] + radius[:, None, None] * dots
    depth = np.linalg.norm((dots - eye) / scale, axis=2)
    seen = pixels_of(camera, dots.reshape(-1, 3)).reshape(40, -1, 2)
    agreed, hits = 0, 0
    for pixel in rng.uniform((150, 50), (750, 550), (300, 2)):
        near = np.linalg.norm(seen - pixel, axis=2) < 3.0
        drawn = np.argmin(np.min(np.where(near, depth, np.inf), axis=1)) if near.any() else None
        found = pick(ray_through(camera, *pixel, WIDTH, HEIGHT), position, radius)
        agreed += found == drawn
        hits += found is not None
    assert hits > 100
    assert agreed >= 280  # silhouettes are blurred by the size of the dots


coordinate = st.floats(-10.0, 10.0)
vectors = st.tuples(coordinate, coordinate, coordinate)


@example((0.0, 1.0, 0.587890625), (0.0, -3.1526344111220697, 0.0), (0.0, 0.0, 0.0), 0.587890625)
@given(vectors, vectors.filter(lambda v: np.linalg.norm(v) > 1e-3), vectors, st.floats(0.01, 5))
def test_the_intersection_is_spheresims(origin, direction, centre, radius):
    ray = TRay(origin, direction)
    d = ray.origin - TVector(centre)
    assume(d.mag() > radius * 1.001)
    wanted = contact_quadratic(d, ray.direction, radius).first_root()
    (found,) = hit_parameters(ray, np.array([centre]), radius)
    assert found == wanted


def test_a_small_ball_far_away_keeps_its_digits():
    ray = TRay((0, 0, 0), (1, 0, 0))
    position = np.array([(1e8, 0.9e-3, 0), (1e8, 1.1e-3, 0)])
    found = hit_parameters(ray, position, np.full(2, 1e-3))
    assert np.isfinite(found[0])
    assert np.isinf(found[1])


def test_the_nearest_hit_wins_and_nothing_behind_the_eye_is_hit():
    ray = TRay((0, 0, 0), (0, 0, -3))
    position = np.array([(0, 0, 4.0), (0, 0, -9), (0, 0.5, -5), (0, 0, -20)])
    assert pick(ray, position, np.ones(4)) == 2
    assert pick(ray, position[:1], np.ones(1)) is None
    assert pick(ray, np.empty((0, 3)), np.empty(0)) is None
    for around in (0.5, -0.5):  # a ball is not seen from inside
        assert pick(ray, np.array([(0, 0, around), (0, 0, -9)]), np.ones(2)) == 1
        assert pick(ray, np.array([(0, 0, around)]), np.ones(1), 0.1) is None


def test_a_ball_of_a_few_pixels_can_be_picked_but_a_true_hit_is_preferred():
    camera = camera_at()
    eye, forward = camera.stage.to_world(camera.eye), camera.forward
    middle = eye + 10.0 * forward
    pixel = 2.0 * np.linalg.norm(
        pixels_of(camera, np.array([middle + 0.5 * camera.right]))
        - pixels_of(camera, middle[None, :])
    )
    tiny = np.array([middle + 3.0 / pixel * camera.right, middle - 3.5 / pixel * camera.right])
    radius = np.full(2, 0.2 / pixel)
    ray = ray_through(camera, WIDTH / 2, HEIGHT / 2, WIDTH, HEIGHT)
    slope = pixel_slope(HEIGHT, 4.0)
    assert pick(ray, tiny, radius) is None
    assert pick(ray, tiny, radius, slope) == 0
    assert pick(ray, tiny, radius, pixel_slope(HEIGHT, 2.0)) is None
    assert pick(ray, tiny[1:], radius[1:], slope) == 0
    # A ball that is really hit wins, even further away.
    behind = np.vstack([tiny, eye + 30.0 * forward])
    assert pick(ray, behind, np.append(radius, 0.5), slope) == 2


@given(pixels, pixels, st.floats(-4, 4), st.floats(-2, 2))
def test_a_dragged_ball_stays_under_the_cursor_and_as_deep(start, end, yaw, pitch):
    camera = camera_at(yaw, pitch)
    ball = ray_through(camera, *start, WIDTH, HEIGHT).at(5.0)
    plane = drag_plane(camera, ball)
    moved = dragged(ray_through(camera, *end, WIDTH, HEIGHT), *plane)
    assert np.allclose(pixels_of(camera, np.array([moved])), end, atol=1e-6)
    assert abs((moved - ball).dot(TVector(camera.forward))) < 1e-9
    away = TRay(camera.stage.to_world(camera.eye), -camera.forward)
    assert dragged(away, *plane) == ball


# --- Obstacles ------------------------------------------------------------------------

ROW = [
    Sphere((-6, 0, 0), 1),
    Capsule((-3, -1, 0), (-3, 1, 0.5), 0.6),
    Cuboid((0, 0, 0), (1.5, 2, 1), ((0, 1, 1), 30)),
    CappedCylinder((3, -1, 0), (3.2, 1, 0), 0.7),
    Ring((6, 0, 0), (0, 0.3, 1), 1, 0.3),
    Polygon([(-7, -2, -1), (7, -2, -1), (7, -2, 1), (-7, -2, 1)]),
    Plane((0, -4, 0), (0, 1, 0)),
]


def test_the_picked_obstacle_is_the_first_that_a_ray_meets():
    """Against the obstacles' own answers, but beside edges, where the picture is of triangles."""
    stage = Stage.of([Obstacle(shape) for shape in ROW], [(0, 3, 0)], [0.1], (0, -1, 0))
    surfaces = stage.surfaces()
    random = np.random.default_rng(3)
    found = np.zeros(len(ROW) + 1, int)
    for _ in range(400):
        eye = TVector(*random.uniform((-9, -1, 6), (9, 4, 9)))
        goal = TVector(*random.uniform((-7, -3, -1), (7, 1.5, 1)))
        ray = TRay(eye, (goal - eye).unit())
        hits = [hit.distance if (hit := shape.hit(ray)) else np.inf for shape in ROW]
        beside = [shape.offset(0.02).hit(ray) for shape in ROW[:-1]]
        sure = [(hit is None) == (t == np.inf) for hit, t in zip(beside, hits, strict=False)]
        index = pick_obstacle(ray, surfaces)
        if not all(sure) or (index is None and np.argmin(hits) == len(ROW) - 1):
            continue  # it grazes, or is beyond the part of the floor that is shown
        expected = int(np.argmin(hits)) if min(hits) < np.inf else None
        assert index == expected
        found[-1 if index is None else index] += 1
    assert (found[:-1] > 5).all()


def test_a_room_is_seen_through_its_near_walls_and_picked_at_its_far_ones():
    stage = Stage.of([Obstacle(Cuboid((0, 0, 0), (4, 4, 4)))], [(0, 0, 0)], [0.1])
    wall = Cuboid((0, 0, -1), (1, 1, 0.1))
    both = Stage.of(
        [Obstacle(Cuboid((0, 0, 0), (4, 4, 4))), Obstacle(wall)], [(0, 0, 1)], [0.1], (0, -1, 0)
    )
    ray = TRay((0, 0, 9), (0, 0, -1))
    assert pick_obstacle(ray, stage.surfaces()) == 0
    assert pick_obstacle(ray, both.surfaces()) == 1
    assert pick_obstacle(TRay((0, 9, 9), (0, 0, -1)), both.surfaces()) is None


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_shown_of_an_obstacle_fits_a_line_each(name, screen):
    from spheresim_viewer.hud.readouts import obstacle_rows  # it needs a display

    rows = obstacle_rows(Obstacle(SHAPES[name], 0.5))
    assert rows[0] == ("obstacle", SHAPES[name].kind.replace("_", " "))
    assert rows[-1] == ("restitution", "0.5")
    assert all(0 < len(words) < 40 for _, words in rows)


def test_numbers_and_directions_of_an_obstacle_are_shown(screen):
    from spheresim_viewer.hud.readouts import obstacle_rows

    turned = Cuboid((1, 2, 3), (4, 5, 6), ((0, 0, 1), 30))
    assert obstacle_rows(Obstacle(turned, 1.0))[1:4] == [
        ("center", "1, 2, 3"),
        ("size", "4, 5, 6"),
        ("rotation", "30° about 0, 0, 1"),
    ]
