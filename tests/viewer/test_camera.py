"""The camera: what is in the window, what stays under the cursor, and how it goes with a ball."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spheresim_viewer.camera.camera import FILLED, Camera
from spheresim_viewer.camera.framing import WHOLE, Area
from spheresim_viewer.camera.ride import RIDE_HIGHEST, RIDE_LOWEST
from spheresim_viewer.picking import ray_through
from spheresim_viewer.stage import Stage
from stages import stage_of

HEIGHT = 720.0
ORIGIN = np.zeros(3)

angles = st.floats(-10.0, 10.0)
cursors = st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
ups = st.sampled_from([(0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 2), (-1, 0, 0), (1, 2, -3)])


def stage_with(up=(0, -1, 0), scale=1.0):
    """A stage with a box of 4 × 2 × 3 or so; `up` is gravity."""
    balls = scale * np.array([(-2.0, 0, 0), (2, 1, 0), (0, 0, 3)])
    return Stage.of([], balls, np.full(3, 0.1 * scale), up)


def projected(camera, points, aspect=None):
    """Points in stage units (m, 3) as the window has them: x, y, depth from −1 to 1."""
    view, projection = camera.matrices(aspect)
    clip = np.column_stack([points, np.ones(len(points))]) @ (projection @ view).T
    return clip[:, :3] / clip[:, 3:]


def under(camera, cursor):
    """The point at the target's depth that is under a cursor, by inverting the matrices."""
    view, projection = camera.matrices()
    depth = projected(camera, camera.target[None, :])[0, 2]
    x = np.linalg.solve(projection @ view, (*cursor, depth, 1.0))
    return x[:3] / x[3]


def state_of(camera):
    return np.concatenate([camera.eye, camera.forward, camera.upward, [camera.distance]])


def balls(*places, velocity=(0.0, 0.0, 0.0), radius=0.1):
    position = np.array(places, dtype=float)
    return position, np.broadcast_to(velocity, position.shape), np.full(len(position), radius)


@pytest.mark.cases(4)
@pytest.mark.parametrize("aspect", [0.4, 1.0, 16 / 9, 3.5])
@pytest.mark.parametrize("view", ["front", "right", "top", "corner"])
@pytest.mark.parametrize("name", ["magic_room", "newtons_cradle", "bouncing_ball", "pillars"])
def test_a_stage_that_is_framed_fits_in_the_window(name, view, aspect):
    stage = stage_of(name)
    camera = Camera(stage, aspect)
    camera.view(view)
    camera.settle()
    x, y, depth = projected(camera, stage.to_units(stage.subject), aspect).T
    assert np.all(np.abs(depth) < 1.0)
    # It fits, touches the margin in one direction or the other, and lies in the middle.
    assert max(x.max(), y.max()) == pytest.approx(FILLED)
    assert (x.max(), y.max()) == pytest.approx((-x.min(), -y.min()), abs=1e-3)


@pytest.mark.parametrize("areas", [[Area(-0.6, 0.4, -0.7, 1.0)], [WHOLE, Area(0.0, 1.0, 0.0, 1.0)]])
def test_what_is_framed_stays_clear_of_panels_and_under_the_cursor(areas):
    stage = stage_of("magic_room")
    camera = Camera(stage, 1.6)
    camera.keep_within(areas)
    x, y, _ = projected(camera, stage.to_units(stage.subject)).T
    best = areas[0]
    assert best.left < x.min() < x.max() < best.right
    assert best.bottom < y.min() < y.max() < best.top
    assert projected(camera, camera.target[None])[0, :2] == pytest.approx(best.centre)
    place = np.array([0.2, 0.1, -0.3])
    cursor = projected(camera, place[None])[0, :2]
    ray = ray_through(camera, *(50.0 * (1.0 + cursor) * (1.6, 1.0)), 160.0, 100.0)
    there = camera.stage.to_world(place)
    along = (there - np.array(ray.origin)) @ np.array(ray.direction)
    assert np.allclose(ray.at(along), there)


def test_a_framed_stage_stays_framed_when_the_window_changes_and_any_other_view_stays_as_high():
    stage = stage_of("magic_room")
    camera = Camera(stage, 1.0)
    for aspect in (0.3, 2.0, 0.7):
        corners = np.abs(projected(camera, stage.to_units(stage.subject), aspect)[:, :2])
        assert corners.max() == pytest.approx(FILLED)
    camera.zoom(2.0)
    camera.settle()
    distance = camera.distance
    camera.matrices(0.3)
    camera.settle()
    assert camera.distance == distance
    camera.reset()
    camera.follow(0)
    camera.update(10.0, *balls((1, 2, 3)))
    distance = camera.distance
    camera.matrices(2.0)
    camera.settle()
    assert camera.distance == distance


def test_the_fixed_views():
    camera = Camera(stage_with())
    axes = {"front": (2, 1.0, 0, 1), "right": (0, 1.0, 2, -1), "top": (1, 1.0, 0, 1)}
    for name, (towards, sign, across, across_sign) in axes.items():
        camera.view(name)
        camera.settle()
        assert np.allclose(-camera.forward, sign * np.eye(3)[towards], atol=1e-12)
        assert np.allclose(camera.right, across_sign * np.eye(3)[across], atol=1e-12)
    assert np.allclose(camera.upward, (0, 0, -1))  # seen from the top, what is behind is above
    camera.view("corner")
    camera.settle()
    assert np.all(camera.eye > 0.3)
    assert camera.upward[1] > 0.8


@given(ups, angles, st.sampled_from([-9.0, -math.pi / 2, -1.5707963, 0.0, 0.3, 1.5707963, 9.0]))
def test_axes_are_orthonormal_and_the_horizon_level_at_every_pitch(gravity, dx, dy):
    stage = stage_with(gravity)
    camera = Camera(stage)
    camera.view("front")
    camera.orbit(dx, dy)
    camera.settle()
    axes = np.array([camera.right, camera.upward, -camera.forward])
    assert np.allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.isclose(np.linalg.det(axes), 1.0)
    assert abs(camera.right @ stage.up) < 1e-12
    assert camera.upward @ stage.up >= -1e-12
    assert np.isclose(camera.forward @ stage.up, math.sin(np.clip(dy, -np.pi / 2, np.pi / 2)))
    view = camera.matrices()[0]
    assert np.allclose(view[:3, :3], axes)
    assert np.allclose(view @ (*camera.eye, 1.0), (0, 0, 0, 1), atol=1e-12)


def test_dragging_turns_what_is_seen_along():
    camera = Camera(stage_with())
    camera.view("front")
    camera.settle()
    before = projected(camera, np.array([(0, 0, 0.3)]))[0]
    camera.orbit(0.2, 0.1)
    camera.settle()
    after = projected(camera, np.array([(0, 0, 0.3)]))[0]
    assert after[0] > before[0]
    assert after[1] > before[1]


@given(angles, st.floats(-1.5, 1.5), st.floats(0.1, 10.0), cursors, st.floats(-300, 300))
def test_what_is_under_the_cursor_stays_there_when_panned(yaw, pitch, nearer, cursor, drag):
    camera = Camera(stage_with(), 1.5)
    camera.orbit(yaw, pitch)
    camera.zoom(nearer)
    camera.settle()
    point = under(camera, cursor)
    dx, dy = drag, -0.7 * drag
    camera.pan(dx, dy, HEIGHT)
    camera.settle()
    moved = projected(camera, point[None, :])[0]
    wanted = cursor[0] + 2 * dx / (1.5 * HEIGHT), cursor[1] + 2 * dy / HEIGHT
    assert np.allclose(moved[:2], wanted, atol=1e-9)


@given(angles, st.floats(-1.5, 1.5), st.floats(0.05, 20.0), cursors)
def test_what_is_under_the_cursor_stays_there_when_zoomed_and_on_the_way(yaw, pitch, by, cursor):
    camera = Camera(stage_with(), 1.5)
    camera.orbit(yaw, pitch)
    camera.settle()
    point, distance = under(camera, cursor), camera.distance
    camera.zoom(by, cursor)
    for _ in range(3):
        camera.update(0.05)
        assert np.allclose(projected(camera, point[None, :])[0, :2], cursor, atol=1e-9)
    camera.settle()
    assert np.allclose(projected(camera, point[None, :])[0, :2], cursor, atol=1e-9)
    assert np.isclose(camera.distance, distance / by)


@pytest.mark.parametrize(("factor", "bound"), [(10.0, 1e-3), (0.1, 1e3)])
def test_zoom_has_bounds_and_comes_back_from_them(factor, bound):
    camera = Camera(stage_with())
    for _ in range(50):
        camera.zoom(factor, (0.3, -0.2))
    camera.settle()
    assert camera.distance == bound
    assert np.all(np.isfinite(camera.matrices()))
    camera.zoom(1.0 / factor)
    camera.settle()
    assert np.isclose(camera.distance, bound * factor)


@given(st.floats(0.0, 0.5), st.floats(0.0, 1.0), st.booleans(), st.sampled_from(["", "f", "r"]))
def test_a_time_may_be_cut_into_frames_anyhow(dt, part, turning, held):
    cameras = [Camera(stage_with(scale=3.0)) for _ in range(2)]
    snapshot = balls((0, 0, 0), (1, 2, 3), velocity=(1, -2, 0.5))
    for camera, cuts in zip(cameras, [(dt,), (dt * part, dt - dt * part)], strict=True):
        camera.turning = turning
        camera.follow(1 if held == "f" else None)
        if held == "r":
            camera.ride(1)
        camera.update(0.0, *snapshot)
        camera.orbit(0.7, -0.3)
        camera.pan(30, -50, HEIGHT)
        camera.zoom(3.0, (0.5, 0.5))
        for cut in cuts:
            camera.update(cut, *snapshot)
    assert np.allclose(state_of(cameras[0]), state_of(cameras[1]), atol=1e-9)


def test_a_command_is_approached_smoothly_and_reached():
    camera = Camera(stage_with())
    start = state_of(camera)
    camera.orbit(1.0, 0.2)
    assert np.array_equal(state_of(camera), start)
    before = camera.forward
    camera.update(0.08)
    half_way = camera.forward
    camera.update(5.0)
    assert np.arccos(before @ half_way) < np.arccos(before @ camera.forward)
    reached = state_of(camera)
    camera.settle()
    assert np.allclose(state_of(camera), reached, atol=1e-12)


def test_it_turns_by_itself_as_fast_as_in_the_tutorial():
    camera = Camera(stage_with())
    camera.view("front")
    camera.settle()
    camera.turning = True
    camera.update(1.0)
    start = math.atan2(camera.eye[0], camera.eye[2])
    camera.update(1.0)
    turned = math.atan2(camera.eye[0], camera.eye[2]) - start
    assert np.isclose(math.degrees(turned), 12.0, atol=1e-3)
    camera.reset()
    camera.settle()
    assert not camera.turning
    assert np.allclose(camera.eye, Camera(stage_with()).eye)


def test_a_ball_that_is_followed_comes_to_the_middle_and_stays_there():
    stage = stage_with()
    camera = Camera(stage)
    camera.follow(1)
    before = state_of(camera)
    places = [np.array([(0.0, 0, 0), (1.0 + 40 * t, -t, 0.3)]) for t in np.arange(0, 2, 1 / 60)]
    camera.update(0.0, *balls(*places[0]))
    assert np.allclose(state_of(camera), before, atol=1e-12)  # no jump
    for place in places:
        camera.update(1 / 60, *balls(*place))
    assert camera.following == 1
    seen = projected(camera, stage.to_units(places[-1]))
    assert np.allclose(seen[1, :2], 0.0, atol=1e-6)
    camera.zoom(2.0, (0.8, 0.8))  # to the ball, not to the cursor
    camera.settle()
    camera.update(0.0, *balls(*places[-1]))
    assert np.allclose(projected(camera, stage.to_units(places[-1]))[1, :2], 0.0, atol=1e-6)


@pytest.mark.parametrize("hold", ["follow", "ride"])
def test_letting_go_keeps_the_view(hold):
    camera = Camera(stage_with())
    getattr(camera, hold)(0)
    snapshot = balls((1, 2, 3), velocity=(1, 0, 2))
    for _ in range(10):
        camera.update(0.02, *snapshot)
    before = state_of(camera)
    getattr(camera, hold)(None)
    for _ in range(10):
        camera.update(0.02, *balls((9, 9, 9)))
    assert np.allclose(state_of(camera), before, atol=1e-12)
    assert camera.following is camera.riding is None


@pytest.mark.parametrize("hold", ["follow", "ride"])
def test_a_ball_that_is_no_more_is_let_go(hold):
    camera = Camera(stage_with())
    getattr(camera, hold)(1)
    camera.update(0.1, *balls((0, 0, 0), (1, 1, 1)))
    before = state_of(camera)
    camera.update(0.1, *balls((5, 5, 5)))
    assert camera.following is camera.riding is None
    assert np.allclose(state_of(camera), before, atol=1e-12)
    getattr(camera, hold)(7)
    camera.update(0.1, *balls((5, 5, 5)))
    assert camera.following is camera.riding is None
    assert np.allclose(state_of(camera), before, atol=1e-12)


def test_from_one_ball_to_another_without_a_jump():
    camera = Camera(stage_with())
    snapshot = balls((0, 0, 0), (2, 1, 1), velocity=(1, 0, 0))
    for hold, index in [(camera.follow, 0), (camera.ride, 1), (camera.follow, 1), (camera.ride, 0)]:
        hold(index)
        before = state_of(camera)
        camera.update(0.0, *snapshot)
        assert np.allclose(state_of(camera), before, atol=1e-12)
        for _ in range(20):
            camera.update(0.1, *snapshot)


@pytest.mark.parametrize("velocity", [(1, 0, 0), (0, 0, 1e-9), (-3, 4, 1), (0, -1, 0), (0, 1e9, 0)])
def test_riding_looks_along_the_flight_from_a_little_above_and_behind(velocity):
    stage = stage_with()
    camera = Camera(stage)
    camera.ride(0)
    place, radius = np.array((0.5, 0.2, 0.3)), 0.1
    for _ in range(60):
        camera.update(0.1, *balls(place, velocity=velocity, radius=radius))
    along = np.array(velocity) / np.linalg.norm(velocity)
    # As far up or down as it flies, but never so far that the horizon is lost.
    steepness = math.asin(np.clip(along[1], -1.0, 1.0))
    seen = min(max(steepness, -RIDE_HIGHEST), -RIDE_LOWEST)
    assert camera.forward[1] == pytest.approx(math.sin(seen), abs=1e-9)
    level = np.hypot(along[0], along[2])
    if level > 0.0:
        aim = math.cos(seen) * along[[0, 2]] / level
        assert np.allclose(camera.forward[[0, 2]], aim, atol=1e-9)
    from_ball = (stage.to_world(camera.eye) - place) / radius
    ahead = camera.forward
    assert from_ball @ ahead < -1.0  # behind, and not in the ball
    assert from_ball[1] - (from_ball @ ahead) * ahead[1] >= 0.0
    assert np.linalg.norm(from_ball) < 10.0
    seen = projected(camera, stage.to_units(place)[None, :])[0]
    assert np.all(np.abs(seen) < 0.8 + 0.2 * np.eye(3)[2])  # the ball is in the picture


def test_riding_on_a_ball_that_comes_to_rest_keeps_looking_where_it_flew():
    camera = Camera(stage_with())
    camera.ride(0)
    for _ in range(60):
        camera.update(0.1, *balls((0, 0, 0), velocity=(1, 0, 1)))
    for rest in ((0, 0, 0), (0, -1e-9, 0), (1e-12, 0, -1e-12)):
        for _ in range(60):
            camera.update(0.1, *balls((0, 0, 0), velocity=rest))
        assert np.allclose(camera.forward, np.sqrt([0.5, 0, 0.5]), atol=1e-9)


def test_a_ball_that_falls_straight_down_does_not_spin_its_rider():
    camera = Camera(stage_with())
    camera.ride(0)
    for velocity in [(1, 0, 1), (0, -1, 0), (-1e-9, -1, 1e-9), (1e-9, 1, 0)]:
        for _ in range(60):
            camera.update(0.1, *balls((0, 0, 0), velocity=velocity))
        assert np.allclose(camera.right, np.sqrt([0.5, 0, 0.5]) * (-1, 0, 1), atol=1e-6)


def test_riding_on_a_ball_at_rest_looks_where_the_camera_looked():
    camera = Camera(stage_with())
    forward = camera.forward
    camera.ride(0)
    for _ in range(60):
        camera.update(0.1, *balls((0, 0, 0)))
    assert np.allclose(camera.forward, forward)


def test_a_rider_turns_smoothly_and_may_look_around():
    camera = Camera(stage_with())
    camera.ride(0)
    for _ in range(60):
        camera.update(0.1, *balls((0, 0, 0), velocity=(1, 0, 0)))
    camera.update(1 / 60, *balls((0, 0, 0), velocity=(-1, 0, 0.01)))
    assert 0.9 < camera.forward[0] < 1.0  # thrown back, it does not look back at once
    camera.orbit(math.pi / 2, 0.0)
    for _ in range(60):
        camera.update(0.1, *balls((0, 0, 0), velocity=(1, 0, 0)))
    assert np.allclose(camera.forward, (0, 0, 1), atol=1e-9)  # it went to the ball's left


def test_a_view_is_reached_the_shorter_way_round():
    camera = Camera(stage_with())
    camera.orbit(-20.0, 0.0)
    camera.settle()
    camera.view("front")
    swept, last = 0.0, camera.right
    for _ in range(200):
        camera.update(0.01)
        swept += math.acos(min(1.0, last @ camera.right))
        last = camera.right
    assert swept < math.pi + 0.01
    assert np.allclose(camera.right, (1, 0, 0), atol=1e-6)


def test_another_stage_is_framed_at_once():
    camera = Camera(stage_of("magic_room"), 1.3)
    camera.follow(3)
    camera.pan(500, 20, HEIGHT)
    stage = stage_of("newtons_cradle")
    camera.frame(stage)
    assert camera.stage is stage
    assert camera.following is None
    assert np.allclose(state_of(camera), state_of(Camera(stage, 1.3)))


@given(st.floats(-3.0, 3.0))
def test_depth_tells_near_things_apart_at_every_distance(power):
    """Two points a thousandth of the distance apart differ by several steps of a 24-bit depth."""
    camera = Camera(stage_with())
    camera.zoom(camera.distance / 10.0**power)
    camera.settle()
    step = 1e-3 * camera.distance * camera.forward
    here, there = projected(camera, np.array([camera.target, camera.target + step]))
    assert there[2] - here[2] > 20 * 2.0**-23
    assert np.all(np.abs([here[2], there[2]]) < 1.0)
    # The whole stage is in front of the far plane.
    assert camera.far > np.linalg.norm(camera.eye) + 1.0
