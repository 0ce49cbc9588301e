"""Values in place of those of a scene file, by the names of its fields."""

from pathlib import Path

import pytest

from spheresim.scene import SceneError
from spheresim.scene.load import scene_from

SCENE = b"""
duration = 1
[[ball]]
position = [0, 0, 0]
radius = 1
[[ball]]
position = [9, 0, 0]
velocity = [1, 2, 3]
radius = 1
[[fill]]
count = 5
radius = 0.1
region = { low = [5, 5, 5], high = [9, 9, 9] }
"""


def scene(**settings):
    named = {name.replace("__", "."): value for name, value in settings.items()}
    return scene_from(SCENE, Path("s.toml"), named)


def test_fields_tables_components_and_every_table_of_a_kind():
    found = scene_from(
        SCENE,
        Path("s.toml"),
        {
            "restitution": 0.5,
            "gravity[1]": -9.81,
            "rest.wake_height": 1e-3,
            "ball.mass": 7,
            "ball[0].velocity[2]": 4,
            "ball[1].velocity[0]": 0,
            "fill[0].count": 3,
        },
    )
    assert (found.restitution, tuple(found.gravity)) == (0.5, (0.0, -9.81, 0.0))
    assert found.rest.wake_height == 1e-3
    assert found.balls.mass.tolist() == [7.0, 7.0, 1.0, 1.0, 1.0]
    assert found.balls.velocity[:2].tolist() == [[0.0, 0.0, 4.0], [0.0, 2.0, 3.0]]


def test_a_setting_is_as_if_it_stood_in_the_file():
    text = SCENE.replace(b"duration = 1", b"duration = 1\nstep = 0.5")
    found, written = scene(step=0.5), scene_from(text, Path("s.toml"), {})
    assert found.balls.position.tolist() == written.balls.position.tolist()
    assert found.step == written.step == found.frame_every
    assert scene(seed=3).balls.position.tolist() == scene(fill__seed=3).balls.position.tolist()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("ball[2].mass", 1, r"ball\[2\].mass: leads nowhere: the file has 2 of them"),
        ("ball[0].mass", 0, r"ball\[0\].mass: must be greater than 0, not 0"),
        ("gravity[3]", 1, r"gravity\[3\]: leads nowhere: the file has 3 of them"),
        ("position[0]", 1, "leads nowhere: the file has no position"),
        ("a..b", 1, "must name a field"),
    ],
)
def test_what_leads_nowhere_is_said(name, value, sentence):
    with pytest.raises(SceneError, match=sentence):
        scene_from(SCENE, Path("s.toml"), {name: value})
