"""The box, the face-centred lattice, packing fractions and exact temperatures in scenes."""

import math

import numpy as np
import pytest
from scene_files import BALL, faults_of

from spheresim import Box
from spheresim.scene import load_scene, write_scene

ROOM = "[[plane]]\npoint = [{0}, {0}, {0}]\nnormal = [{1}, {2}, {3}]\n"
SIX = "".join(
    ROOM.format(at, *(sign * (k == axis) for k in range(3)))
    for axis in range(3)
    for at, sign in ((0, 1), (10, -1))
)


def fcc(count, more="", box="[box]\n"):
    return (
        f'duration = 1\n{box}[[fill]]\ncount = {count}\nradius = 0.5\narrangement = "fcc"\n{more}'
    )


def load(path):
    return load_scene(path, engine="events")


def nearest(scene):
    x = np.array([ball.position for ball in scene.balls])
    d = x[:, None] - x[None]
    for axis in np.flatnonzero(scene.box.periodic):
        d[..., axis] -= scene.box.size[axis] * np.rint(d[..., axis] / scene.box.size[axis])
    distance = np.sqrt((d**2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    return distance.min(axis=1)


@pytest.mark.parametrize(("count", "phi"), [(108, 0.74), (500, 0.3), (100, 0.49), (1, 0.01)])
def test_a_packing_fraction_makes_the_box_and_the_lattice_keeps_vacancies(room, count, phi):
    scene = load(room(fcc(count, f"packing_fraction = {phi}\n")))
    side = (count * math.pi / 6 / phi) ** (1 / 3)
    assert scene.box.size == pytest.approx((side,) * 3)
    assert scene.box.periodic == (True, True, True)
    assert len(scene.balls) == count
    assert nearest(scene).min() >= 1.0 - 1e-9
    cells = math.ceil((count / 4 - 1e-9) ** (1 / 3))
    assert nearest(scene).min() >= side / cells / math.sqrt(2) - 1e-9


def test_vacancies_are_where_the_seed_says(room):
    places = [
        [
            ball.position
            for ball in load(room(fcc(90, f"packing_fraction = 0.3\nseed = {k}\n"))).balls
        ]
        for k in (1, 1, 2)
    ]
    assert places[0] == places[1] != places[2]


def test_a_temperature_is_exact_and_the_gas_at_rest_as_a_whole(room):
    more = "packing_fraction = 0.2\ntemperature = 2.5\ndensity = 3.0\n"
    scene = load(room(fcc(333, more)))
    mass = np.array([ball.mass for ball in scene.balls])
    v = np.array([ball.velocity for ball in scene.balls])
    assert 0.5 * (mass * (v**2).sum(axis=1)).sum() == pytest.approx(1.5 * 333 * 2.5, rel=1e-13)
    assert mass @ v == pytest.approx((0, 0, 0), abs=1e-10)


def test_a_lattice_between_walls_keeps_whole_balls_inside(room):
    scene = load(room(fcc(500, box=SIX)))
    x = np.array([ball.position for ball in scene.balls])
    assert len(x) == 500
    assert x.min() >= 0.5 - 1e-9
    assert x.max() <= 9.5 + 1e-9


def test_a_lattice_leaves_out_the_sites_in_a_pillar(room):
    pillar = "[[cylinder]]\npoint = [5, 5, 5]\naxis = [0, 0, 1]\nradius = 2\n"
    scene = load(room(fcc(300, box=SIX + pillar)))
    x = np.array([ball.position for ball in scene.balls]) - 5
    assert len(x) == 300
    assert np.hypot(x[:, 0], x[:, 1]).min() >= 2.5 - 1e-9


def test_a_box_is_written_and_read_back(room, tmp_path):
    box = "[box]\nlow = [1, 2, 3]\nsize = [10, 11, 12.5]\nperiodic = [true, false, true]\n"
    scene = load(room(fcc(20, box=box)))
    assert scene.box == Box((1, 2, 3), (10, 11, 12.5), (True, False, True))
    write_scene(scene, tmp_path / "out")
    assert load(tmp_path / "out").box == scene.box


def test_a_box_that_is_periodic_along_no_axis_suits_the_fixed_step(room):
    box = "[box]\nsize = [10, 10, 10]\nperiodic = false\n"
    assert load_scene(room(fcc(20, box=box))).box.periodic == (False, False, False)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (fcc(10, "packing_fraction = 0.3\n", box=""), "fill[0].packing_fraction: is 0.3, but"),
        (fcc(10), "box.size: is missing, expected are three lengths, or one fill"),
        (
            fcc(10, "packing_fraction = 0.3\n", box="[box]\nsize = [9, 9, 9]\n"),
            "fill[0].packing_fraction: is 0.3, but box.size is given too",
        ),
        (
            fcc(10, "packing_fraction = 0.8\n"),
            "fill[0].packing_fraction: must be at most 0.75, not 0.8",
        ),
        (fcc(109, "packing_fraction = 0.74\n"), "fill[0]: only 0 of 109 balls fit"),
        (f"duration = 1\n[box]\nsize = [9, 9]\n{BALL}", "box.size: must be"),
        (f"duration = 1\n[box]\nsize = [9, 9, -9]\n{BALL}", "box.size[2]: must be greater than 0"),
        (
            f"duration = 1\n[box]\nsize = [9, 9, 9]\nperiodic = 1\n{BALL}",
            "box.periodic: must be true, false or three of them, for x, y and z, not 1",
        ),
        (
            f"duration = 1\n[box]\nsize = [3.9, 9, 9]\n{BALL}",
            "box.size[0]: must be more than 4.02 times the largest radius, 1, along",
        ),
        (
            "duration = 1\n[box]\nsize = [9, 9, 9]\n[[ball]]\nposition = [0.5, 4, 4]\nradius = 1\n"
            "[[ball]]\nposition = [8.5, 4, 4]\nradius = 1\n",
            "ball[1]: ball 1 and ball 0 overlap by 1: their centres",
        ),
    ],
)
def test_what_is_wrong_with_a_box_is_said_in_a_sentence(room, text, fault):
    faults = faults_of(room(text), engine="events")
    assert faults[0].startswith(f"room.toml: {fault}"), faults


# --- Packing fractions of several fills -------------------------------------------------

SPREAD = "[[fill]]\ncount = {}\nradius = {}\npacking_fraction = {}\n"


def packing_fraction(scene):
    volume = 4 / 3 * math.pi * sum(ball.radius**3 for ball in scene.balls)
    return volume / math.prod(scene.box.size)


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    "fills",
    [
        SPREAD.format(300, "[0.2, 0.8]", 0.25),
        SPREAD.format(200, 0.5, 0.25) + "[[fill]]\ncount = 100\nradius = 0.3\n",
        SPREAD.format(200, 0.5, 0.25) + SPREAD.format(100, "[0.1, 0.6]", 0.25),
        SPREAD.format(200, 0.5, 0.25) + "seed = 5\n[[ball]]\nposition = [3, 3, 3]\nradius = 1.5\n",
    ],
)
@pytest.mark.parametrize("seed", [None, 7])
def test_a_packing_fraction_is_of_all_balls_with_the_radii_they_get(room, fills, seed):
    scene = load_scene(room(f"duration = 1\n[box]\n{fills}"), seed=seed)
    assert packing_fraction(scene) == pytest.approx(0.25, rel=1e-12)
    assert scene.box.size.x == scene.box.size.y == scene.box.size.z


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (
            SPREAD.format(10, 0.5, 0.2),
            "fill[1].packing_fraction: must be 0.1, that of fill[0], for it is of all balls",
        ),
        (
            '[[ball_file]]\npath = "balls.csv"\n',
            "fill[0].packing_fraction: sizes the box only where no balls are from a [[ball_file]]",
        ),
    ],
)
def test_packing_fractions_that_do_not_size_a_box_are_refused(room, more, fault):
    text = f"duration = 1\n[box]\n{SPREAD.format(10, 0.5, 0.1)}{more}"
    faults = faults_of(room(text, "x,y,z,vx,vy,vz,radius\n1,1,1,0,0,0,0.1\n"))
    assert faults[0].startswith(f"room.toml: {fault}")
