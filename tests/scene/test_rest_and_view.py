"""The tables [rest] and [view]: when bounces are contact, and how a scene wants to be watched."""

import pytest
from scene_files import write_room

from spheresim import Ball, Simulation, Thresholds
from spheresim.scene import SceneError, load_scene, scene_schema, write_scene
from spheresim.scene.view import ENDS, Counts, View

pytestmark = pytest.mark.usefixtures("folder")

ROOM = 'duration = 1\n{table}\n[[ball]]\nname = "red"\nposition = [0, 1, 0]\nradius = 0.5\n'
ALL = """camera = [1, 2, 3]
target = [0, 0.5, 0]
follow = "red"
trails = true
ghosts = true
end = "go on"
caption = "Say \\"when\\"."
counter = true
azimuth = -20
elevation = 30.5
counts = { low = [-1, 0, 0], high = [1, 2, 0.5], cells = [4, 1, 1] }
"""


def scene_with(table, text):
    return load_scene(write_room(ROOM.format(table=f"[{table}]\n{text}")))


def test_without_the_tables_all_is_as_usual_and_they_are_not_written(tmp_path):
    scene = load_scene(write_room(ROOM.format(table="")))
    assert scene.rest == Thresholds()
    assert scene.view == View()
    assert scene.view.end == "stop"
    write_scene(scene, tmp_path / "run")
    written = (tmp_path / "run" / "scene.toml").read_text()
    assert "[rest]" not in written
    assert "[view]" not in written


@pytest.mark.parametrize(
    ("table", "text", "fault"),
    [
        ("rest", "rest_height = 0", "rest.rest_height: must be at least 1e-12, not 0"),
        ("rest", "rest_height = 0.5", "rest.rest_height: must be at most 0.01, not 0.5"),
        ("rest", "sleep_height = nan", "rest.sleep_height: must be a finite number, not nan"),
        ("rest", "soft_height = '1'", 'rest.soft_height: must be a number, not "1"'),
        ("rest", "wake_height = 1e-9", "rest.wake_height: must be at least rest_height (1e-06)"),
        ("rest", "height = 1", "rest.height: is no field of [rest], its value is 1; did you mean"),
        ("view", "camera = [1, 2]", "view.camera: must be three numbers, [x, y, z], not [1, 2]"),
        ("view", "trails = 1", "view.trails: must be true or false, not 1"),
        ("view", 'end = "rest"', 'view.end: must be "stop", "loop" or "go on", not "rest"'),
        (
            "view",
            'follow = "blue"',
            'view.follow: must be the name of a ball, such as "red", not "blue"',
        ),
        (
            "view",
            "camera = [0, 1, 0]\ntarget = [0, 1, 0]",
            "view.camera: must be another point than",
        ),
        ("view", "elevation = 91", "view.elevation: must be at most 90, not 91"),
        ("view", 'caption = ""', 'view.caption: must be one line of visible text, not ""'),
        (
            "view",
            "angle = 3",
            "view.angle: is no field of [view], its value is 3; the fields are camera",
        ),
        (
            "view",
            "counts = { low = [0, 0, 0] }",
            "view.counts.high: is missing, expected is three numbers",
        ),
        (
            "view",
            "counts = { low = [0, 1, 0], high = [1, 1, 1] }",
            "view.counts: low must be less than high in x, y and z, not [0.0, 1.0, 0.0] and",
        ),
        (
            "view",
            "counts = { low = [0, 0, 0], high = [1, 1, 1], cells = [2, 0, 1] }",
            "view.counts.cells[1]: must be at least 1, not 0",
        ),
        (
            "view",
            "counts = { low = [0, 0, 0], high = [1, 1, 1], cells = [2, 2] }",
            "view.counts.cells: must be three whole numbers of at least 1, not [2, 2]",
        ),
        (
            "view",
            "counts = { low = [0, 0, 0], high = [1, 1, 1], cells = [101, 10, 1] }",
            "view.counts: cells must be at most 1000 in all, not 1010",
        ),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(table, text, fault):
    with pytest.raises(SceneError) as failure:
        scene_with(table, text)
    (line,) = failure.value.faults
    assert fault in line


# --- [rest] -------------------------------------------------------------------------------


def test_every_threshold_has_a_field_with_its_default():
    fields = scene_schema()["$defs"]["RestTable"]["properties"]
    assert {name: field["default"] for name, field in fields.items()} == Thresholds()._asdict()


def test_what_it_gives_reaches_the_world_and_is_written_again(tmp_path):
    scene = scene_with("rest", "rest_height = 1e-4\nwake_height = 1\n")
    wanted = Thresholds(rest_height=1e-4, wake_height=1.0)
    assert scene.rest == wanted
    assert Simulation.from_scene(scene).world.rest == wanted
    write_scene(scene, tmp_path / "run")
    assert load_scene(tmp_path / "run").rest == wanted


def test_from_python_they_are_an_argument_with_the_same_bounds():
    ball = Ball((0, 1, 0), radius=0.5)
    loose = Thresholds(rest_height=1e-3, wake_height=1e-2)
    assert Simulation([ball], rest=loose).world.rest == loose
    with pytest.raises(
        ValueError, match=r"rest\.sleep_height must be from 1e-12 to 0\.01, not 1\.0"
    ):
        Simulation([ball], rest=Thresholds(sleep_height=1.0))
    with pytest.raises(ValueError, match=r"rest\.wake_height must be at least rest_height"):
        Simulation([ball], rest=Thresholds(wake_height=1e-9))
    with pytest.raises(TypeError, match="rest must be Thresholds"):
        Simulation([ball], rest=1e-6)


# --- [view] -------------------------------------------------------------------------------


def test_what_it_says_is_kept_with_a_run(tmp_path):
    scene = scene_with("view", ALL)
    said = View((1.0, 2.0, 3.0), (0.0, 0.5, 0.0), "red", True, True, "go on", 'Say "when".', True)
    counts = Counts((-1.0, 0.0, 0.0), (1.0, 2.0, 0.5), (4, 1, 1))
    said = said._replace(azimuth=-20.0, elevation=30.5, counts=counts)
    assert scene.view == said
    write_scene(scene, tmp_path / "run")
    assert load_scene(tmp_path / "run").view == said


def test_the_schema_has_every_field_and_end():
    fields = scene_schema()["$defs"]["ViewTable"]["properties"]
    assert list(fields) == list(View._fields)
    assert tuple(fields["end"]["enum"]) == ENDS
