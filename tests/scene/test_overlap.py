"""Balls that a scene puts into each other or into obstacles."""

import numpy as np
import pytest
from scene_files import BALL, HEADER, SMALLEST, faults_of

from spheresim.scene import load_scene, write_scene


def two_balls(distance):
    return f"{SMALLEST}[[ball]]\nname = 'red'\nposition = [{distance!r}, 0, 0]\nradius = 2\n"


def test_balls_may_touch_and_overlap_by_rounding_but_not_by_more(room):
    for distance in (3.0, 3.0 - 2.9e-9):
        assert len(load_scene(room(two_balls(distance))).balls) == 2
    (fault,) = faults_of(room(two_balls(3.0 - 3.1e-9)))
    assert fault.startswith("room.toml: ball[1]: red and ball 0 overlap by 3.1e-09: their centres")


@pytest.mark.parametrize(
    ("obstacle", "name", "overlap"),
    [
        ("[[plane]]\npoint = [0, -0.75, 0]\nnormal = [0, 1, 0]", "plane 0", 0.25),
        ("[[cylinder]]\npoint = [4, 0, 0]\naxis = [0, 0, 1]\nradius = 3.5", "cylinder 0", 0.5),
        ("[[cylinder]]\npoint = [1, 0, 0]\naxis = [0, 0, 1]\nradius = 1.75", "cylinder 0", 0.25),
        ("[[cylinder]]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nradius = 0.5", "cylinder 0", 0.5),
    ],
)
def test_a_ball_in_an_obstacle_is_a_fault_that_names_both(room, obstacle, name, overlap):
    (fault,) = faults_of(room(f"{SMALLEST}{obstacle}"))
    assert fault.startswith(f"room.toml: ball[0]: ball 0 and {name} overlap by {overlap}:")


@pytest.mark.parametrize(
    "obstacle",
    [
        "[[capsule]]\na = [-9, 0, 0]\nb = [9, 0, 0]\nradius = 5",
        "[[cuboid]]\ncenter = [0, 0, 0]\nsize = [9, 9, 9]\nrounding = 0.1",
        "[[compound]]\nsphere = [{ center = [0, 99, 0], radius = 9 }]\n"
        "capsule = [{ a = [-9, 0, 0], b = [9, 0, 0], radius = 5 }]",
    ],
    ids=["capsule", "rounded cuboid", "part of a compound"],
)
def test_a_ball_deep_in_what_is_solid_is_a_fault(room, obstacle):
    (fault,) = faults_of(room(f"{SMALLEST}{obstacle}"))
    assert "overlap by 1: the centre is 0 from the surface" in fault


@pytest.mark.parametrize(
    "obstacle",
    [
        "[[plane]]\npoint = [0, -1.0000000005, 0]\nnormal = [0, 1, 0]",
        "[[plane]]\npoint = [0, -0.9999999995, 0]\nnormal = [0, 1, 0]",
        "[[cylinder]]\npoint = [4, 0, 0]\naxis = [0, 0, 1]\nradius = 3",
        "[[cylinder]]\npoint = [1, 0, 0]\naxis = [0, 0, 1]\nradius = 2",
    ],
)
def test_a_ball_may_touch_an_obstacle(room, obstacle):
    assert load_scene(room(f"{SMALLEST}{obstacle}")).warnings == ()


def test_balls_behind_a_plane_are_a_warning(room):
    plane = "[[plane]]\nname = 'wall'\npoint = [0, 0, 0]\nnormal = [1, 0, 0]\n"
    (warning,) = load_scene(room(SMALLEST + plane)).warnings
    assert warning == (
        "room.toml: ball[0]: ball 0 starts with its centre behind wall, "
        "which does not stop what comes from there; entrance = true, said of the plane, shows that "
        "it is meant"
    )
    other = "[[ball]]\nposition = [-9, 0, 0]\nradius = 1\n"
    (warning,) = load_scene(room(SMALLEST + other + plane)).warnings
    assert "ball 0 and 1 more start with their centres behind wall" in warning


def test_a_plane_that_is_an_entrance_is_not_warned_of_and_stays_one(room, tmp_path):
    walls = "".join(
        f"[[plane]]\nname = '{name}'\npoint = [0, 0, 0]\nnormal = [{x}, 0, 0]\n{more}\n"
        for name, x, more in (("way in", 1, "entrance = true"), ("wall", -1, ""))
    )
    behind_both = SMALLEST.replace("[0, 0, 0]", "[-9, 0, 0]") + BALL.replace(
        "[0, 0, 0]", "[9, 0, 0]"
    )
    scene = load_scene(room(behind_both + walls))
    (warning,) = scene.warnings
    assert "ball 1 starts with its centre behind wall" in warning
    write_scene(scene, tmp_path / "run")
    assert load_scene(tmp_path / "run").entrances == scene.entrances == {"way in"}
    assert len(load_scene(tmp_path / "run").warnings) == 1


@pytest.mark.parametrize("value", ["1", '"yes"', "[true]"])
def test_an_entrance_is_true_or_false(room, value):
    plane = "[[plane]]\npoint = [5, 0, 0]\nnormal = [1, 0, 0]\nentrance = "
    (fault,) = faults_of(room(SMALLEST + plane + value))
    assert fault.startswith("room.toml: plane[0].entrance: must be true or false, not ")


def lattice(n, spacing):
    """A ball file of n³ balls of radius 0.5."""
    sites = np.stack(np.meshgrid(*[np.arange(n) * spacing] * 3), axis=-1).reshape(-1, 3).tolist()
    return "\n".join([HEADER, *(f"{x},{y},{z},0,0,0,0.5" for x, y, z in sites)])


@pytest.mark.compiled_only
def test_of_many_balls_each_overlap_is_found_and_nothing_else(room):
    text = 'duration = 1\n[[ball_file]]\npath = "balls.csv"'
    assert len(load_scene(room(text, lattice(12, 1.0))).balls) == 1728
    more = lattice(12, 1.0) + "\n5.2,5,5,0,0,0,0.01\n3,3,2.9,0,0,0,0.005\n-40,0,0,0,0,0,39"
    faults = faults_of(room(text, more))
    assert len(faults) == 2
    assert "ball 1728 and ball " in faults[0]
    assert "ball 1729 and ball " in faults[1]


def test_all_balls_in_one_place_are_not_all_pairs_of_faults(room):
    lines = "\n".join(["0,0,0,0,0,0,1"] * 2000)
    faults = faults_of(
        room('duration = 1\n[[ball_file]]\npath = "balls.csv"', f"{HEADER}\n{lines}")
    )
    assert len(faults) == 1001
    assert "may be more than these 1000" in faults[-1]
