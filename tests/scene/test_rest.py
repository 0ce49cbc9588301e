"""The table [rest]: from which heights on bounces are contact, and balls fall asleep and wake."""

import pytest
from scene_files import write_room

from spheresim import Ball, Simulation, Thresholds
from spheresim.scene import SceneError, load_scene, scene_schema, write_scene

ROOM = "duration = 1\n{rest}\n[[ball]]\nposition = [0, 1, 0]\nradius = 0.5\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def rest_scene(text):
    return load_scene(write_room(ROOM.format(rest=f"[rest]\n{text}" if text else "")))


def test_without_the_table_thresholds_are_the_usual_ones(tmp_path):
    scene = rest_scene("")
    assert scene.rest == Thresholds()
    write_scene(scene, tmp_path / "run")
    assert "[rest]" not in (tmp_path / "run" / "scene.toml").read_text()


def test_every_threshold_has_a_field_with_its_default():
    fields = scene_schema()["$defs"]["RestTable"]["properties"]
    assert {name: field["default"] for name, field in fields.items()} == Thresholds()._asdict()


def test_what_it_gives_reaches_the_world_and_is_written_again(tmp_path):
    scene = rest_scene("rest_height = 1e-4\nwake_height = 1\n")
    wanted = Thresholds(rest_height=1e-4, wake_height=1.0)
    assert scene.rest == wanted
    assert Simulation.from_scene(scene).world.rest == wanted
    write_scene(scene, tmp_path / "run")
    assert load_scene(tmp_path / "run").rest == wanted


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("rest_height = 0", "rest.rest_height: must be at least 1e-12, not 0"),
        ("rest_height = 0.5", "rest.rest_height: must be at most 0.01, not 0.5"),
        ("sleep_height = nan", "rest.sleep_height: must be a finite number, not nan"),
        ("soft_height = '1'", 'rest.soft_height: must be a number, not "1"'),
        ("wake_height = 1e-9", "rest.wake_height: must be at least rest_height (1e-06)"),
        ("height = 1", "rest.height: is no field of [rest], its value is 1; did you mean"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(text, fault):
    with pytest.raises(SceneError) as failure:
        rest_scene(text)
    (line,) = failure.value.faults
    assert fault in line


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
