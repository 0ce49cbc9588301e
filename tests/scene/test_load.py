"""Scene files: what they say, which file is meant, and the schema."""

import hashlib
import json

import numpy as np
import pytest
from scene_files import BALL, HEADER, SMALLEST, faults_of

from spheresim import Plane, TVector
from spheresim.scene import find_scene, load_scene, scene_schema, shipped_scenes, write_scene
from spheresim.scene.schema.balls import Region
from spheresim.scene.schema.obstacles import PARTS, RotationTable
from spheresim.scene.schema.scene import TABLES, SceneTable
from spheresim.scene.schema_messages import REQUIRED

# --- What a scene says ----------------------------------------------------------------


def test_the_smallest_scene_gets_every_default(room):
    path = room(SMALLEST)
    scene = load_scene(path)
    assert (scene.duration, scene.step, scene.frame_every) == (1.0, 0.01, 0.01)
    assert (scene.gravity, scene.restitution) == (TVector(0, 0, 0), 1.0)
    assert (scene.title, scene.name, scene.comment) == ("room", "room", "")
    assert (scene.obstacles, scene.warnings, scene.seed) == ([], (), None)
    assert str(scene.path) == path
    assert scene.sha256 == hashlib.sha256(SMALLEST.encode()).hexdigest()
    (ball,) = scene.balls
    assert (ball.name, ball.color, ball.radius, ball.mass) == ("ball 0", None, 1.0, 1.0)
    assert (ball.position, ball.velocity) == (TVector(0, 0, 0), TVector(0, 0, 0))
    assert ball.restitution == 1.0


def test_everything_that_a_scene_can_say_arrives(room):
    scene = load_scene(
        room(
            """\
# What it shows.
#
#   In two paragraphs.
title = "A — room"
duration = 2
step = 0.25
frame_every = 0.5
gravity = [0, -9.81, 0]
restitution = 0.5
[[cylinder]]
point = [100, 0, 0]
axis = [0, 3, 4]
radius = 2
restitution = 1
[[plane]]
point = [0, -1, 0]
normal = [0, 10, 0]
[[plane]]
name = "left"
point = [-1, 0, 0]
normal = [1, 0, 0]
restitution = 0.25
[[ball]]
name = "first"
position = [1, 2, 3]
velocity = [4, 5, 6.5]
radius = 0.5
mass = 7
restitution = 0
color = "red"
[[ball]]
position = [9, 2, 3]
radius = 0.5
color = "#00FF00"
"""
        )
    )
    assert scene.comment == "What it shows.\n\n  In two paragraphs."
    assert (scene.title, scene.duration, scene.step, scene.frame_every) == (
        "A — room",
        2,
        0.25,
        0.5,
    )
    assert scene.gravity == TVector(0, -9.81, 0)
    names = [(o.name, o.restitution) for o in scene.obstacles]
    assert names == [("plane 0", 0.5), ("left", 0.25), ("cylinder 0", 1.0)]
    assert scene.obstacles[0].shape == Plane((0, -1, 0), (0, 1, 0))
    assert scene.obstacles[2].shape.axis == pytest.approx((0, 0.6, 0.8))
    first, second = scene.balls
    assert (first.name, first.mass, first.restitution, first.color) == ("first", 7, 0, "#ff0000")
    assert (second.name, second.restitution, second.color) == ("ball 1", 0.5, "#00ff00")
    assert first.velocity == TVector(4, 5, 6.5)


def test_balls_come_in_order_single_ones_then_fills_then_files(room):
    scene = load_scene(
        room(
            'duration = 1\n[[ball_file]]\npath = "balls.csv"\n'
            "[[fill]]\ncount = 2\nradius = 0.5\nregion = { low = [9, 9, 9], high = [15, 15, 15] }\n"
            + BALL,
            balls=f"{HEADER},name\n-5,0,0,1,2,3,1,mine\n-9,0,0,1,2,3,1,\n",
        )
    )
    assert [ball.name for ball in scene.balls] == ["ball 0", "ball 1", "ball 2", "mine", "ball 4"]
    assert [ball.radius for ball in scene.balls] == [1, 0.5, 0.5, 1, 1]


def test_a_ball_file_may_order_its_columns_and_leave_out_what_has_a_default(room):
    scene = load_scene(
        room(
            'duration = 1\nrestitution = 0.5\n[[ball_file]]\npath = "balls.csv"\n',
            balls="\ufeffradius, x,y,z,vx,vy,vz,mass,restitution,color\r\n"
            "1,0,0,0,1e-3,0,0,2,1,red\r\n\r\n1,5,0,0,0,0,0,,,\r\n",
        )
    )
    first, second = scene.balls
    assert (first.velocity.x, first.mass, first.restitution, first.color) == (1e-3, 2, 1, "#ff0000")
    assert (second.position.x, second.mass, second.restitution) == (5, 1, 0.5)
    assert second.color is None


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(room):
    assert load_scene(room(b"\xef\xbb\xbf# hi\r\n" + SMALLEST.replace("\n", "\r\n").encode()))


def test_overrides_replace_the_files_values_before_they_are_checked(room):
    path = room("duration = 1\nstep = 0.3\nframe_every = 0.5\n" + BALL)
    scene = load_scene(path, step=0.25, duration=3)
    assert (scene.step, scene.frame_every, scene.duration) == (0.25, 0.5, 3.0)
    assert load_scene(path, frame_every=0.6).frame_every == 0.6
    assert faults_of(path, step=-1, duration=float("nan")) == [
        "room.toml: duration: must be a finite number, not nan",
        "room.toml: step: must be greater than 0, not -1",
    ]


def test_any_field_of_a_file_may_be_given_from_python(room):
    path = room("duration = 1\n" + BALL)
    own = {"ball[0].radius": 0.7}
    scene = load_scene(path, gravity=np.array([0, -2, 0]), restitution=np.float64(0.5), **own)
    assert scene.gravity == (0, -2, 0)
    assert (scene.balls[0].restitution, scene.balls[0].radius) == (0.5, 0.7)
    assert load_scene(path, gravity=(0, -2, 0)).gravity == (0, -2, 0)
    assert "room.toml: gravty: is no field" in faults_of(path, gravty=(0, -1, 0))[0]


def test_a_seed_for_a_scene_without_fills_is_said_to_change_nothing(room):
    scene = load_scene(room(SMALLEST), seed=3)
    assert scene.seed is None
    assert scene.warnings == ("room.toml: the seed 3 changes nothing, for there is no [[fill]]",)


# --- Which file -----------------------------------------------------------------------


def test_a_scene_is_a_file_or_a_shipped_name_or_a_runs_directory(room, tmp_path):
    assert "magic_room" in shipped_scenes()
    assert find_scene("magic_room") == shipped_scenes()["magic_room"]
    assert find_scene(tmp_path / room(SMALLEST)) == tmp_path / "room.toml"
    run = tmp_path / "my run"
    write_scene(load_scene("room.toml"), run)
    assert find_scene(run) == run / "scene.toml"
    assert load_scene(run).name == "my run"
    assert load_scene(run / "scene.toml").name == "my run"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("magic_rom", "did you mean magic_room?"),
        ("pillars.toml", "did you mean pillars?"),
        ("room", "did you mean room.toml?"),
        ("qqqqqqqq", "nor a shipped scene (those are billiard_in_a_tube, bouncing_ball"),
        ("nowhere/room.toml", "there is neither such a file"),
        ("/dev/zero", "must be a file or a directory"),
        (".", "is a directory without scene.toml"),
        ("a\0b", "there is neither such a file"),
        ("a" * 5000, "cannot be read: File name too long"),
    ],
)
def test_an_unknown_scene_is_one_helpful_sentence(room, source, words):
    room(SMALLEST)
    (fault,) = faults_of(source)
    assert words in fault
    assert len(fault) < 600


def test_for_a_name_that_is_far_from_all_there_is_no_guess():
    (fault,) = faults_of("nofile.toml")
    assert "did you mean" not in fault


# --- Schema ---------------------------------------------------------------------------


def test_the_schema_describes_every_field():
    schema = scene_schema()
    assert schema["properties"].keys() == SceneTable.model_fields.keys()
    for table in (schema, *schema["$defs"].values()):
        assert table["description"]
        assert table["additionalProperties"] is False
        for name, field in table["properties"].items():
            assert field.get("description"), name
    json.dumps(schema, allow_nan=False)


def test_every_field_without_a_default_is_explained_when_it_is_missing():
    for table in (SceneTable, Region, RotationTable, *TABLES.values(), *PARTS.values()):
        required = {name for name, field in table.model_fields.items() if field.is_required()}
        assert required <= REQUIRED.keys()
