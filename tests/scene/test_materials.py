"""Surfaces in scene files: what they say, what is wrong with them, and how they are written."""

import math

import numpy as np
import pytest
from scene_files import SMALLEST, faults_of, write_room

from spheresim import Material, MaterialPair, PowerLaw, Simulation, Surfaces
from spheresim.scene import load_scene
from spheresim.scene.write import write_scene

pytestmark = pytest.mark.usefixtures("folder")


ROUGH = """
duration = 1
restitution = 0.8
tangential_restitution = 0.5
friction = 0.3
[[material]]
name = "glass"
[[material]]
name = "rubber"
restitution = { loss = 0.1 }
tangential_restitution = 0.9
friction = 1
[[material]]
name = "lead"
restitution = [[0, 1], [0.5, 0.4]]
[[material_pair]]
materials = ["glass", "rubber"]
restitution = 0.95
[[plane]]
point = [0, 0, 0]
normal = [0, 1, 0]
material = "lead"
[[sphere]]
center = [0, 9, 0]
radius = 1
restitution = 0.7
[[ball]]
position = [0, 1, 0]
angular_velocity = [0, 0, 20]
radius = 0.5
material = "rubber"
inertia_factor = 0.6
[[ball]]
position = [3, 1, 0]
radius = 0.5
[[fill]]
count = 3
radius = 0.2
region = { low = [5, 1, 0], high = [9, 5, 4] }
material = "glass"
"""

SURFACES = Surfaces(
    0.5,
    0.3,
    (
        Material("glass", 0.8),
        Material("rubber", PowerLaw(0.1, 0.2), 0.9, 1.0),
        Material("lead", ((0.0, 1.0), (0.5, 0.4))),
    ),
    (MaterialPair(("glass", "rubber"), 0.95),),
)


def test_a_scene_says_what_its_surfaces_do():
    scene = load_scene(write_room(ROUGH))
    assert scene.surfaces == SURFACES
    assert [ball.material for ball in scene.balls] == ["rubber", None, *["glass"] * 3]
    # What is of a material has the restitution of its slowest impacts.
    assert [ball.restitution for ball in scene.balls] == [1.0, 0.8, 0.8, 0.8, 0.8]
    assert [(o.material, o.restitution) for o in scene.obstacles] == [("lead", 1.0), (None, 0.7)]
    assert scene.balls[0].angular_velocity == (0.0, 0.0, 20.0)
    assert [ball.inertia_factor for ball in scene.balls] == [0.6, *[0.4] * 4]
    assert scene.has_spin
    assert not load_scene(write_room(SMALLEST)).has_spin
    turning = SMALLEST + "angular_velocity = [0, 1, 0]\n"
    assert load_scene(write_room(turning)).has_spin


@pytest.mark.parametrize("count", [3, 60])
def test_a_resolved_scene_is_the_same_scene(count, tmp_path):
    scene = load_scene(write_room(ROUGH.replace("count = 3", f"count = {count}")))
    write_scene(scene, tmp_path / "resolved")
    again = load_scene(tmp_path / "resolved/scene.toml")
    assert again.surfaces == scene.surfaces
    assert again.balls == scene.balls
    assert [o.material for o in again.obstacles] == [o.material for o in scene.obstacles]
    # And so is that of a simulation, which has spun in the meantime.
    simulation = Simulation.from_scene(scene)
    simulation.angular_velocity[1] = (1.0, 2.0, 3.0)
    simulation.save_scene(tmp_path / "saved.toml")
    saved = load_scene(tmp_path / "saved.toml")
    assert saved.surfaces == scene.surfaces
    assert np.array_equal(saved.balls.angular_velocity[1], (1.0, 2.0, 3.0))
    assert np.array_equal(saved.balls.inertia_factor, scene.balls.inertia_factor)
    assert saved.balls.material == scene.balls.material


def test_a_ball_file_may_hold_spins_and_materials():
    text = 'duration = 1\n[[material]]\nname = "glass"\n[[ball_file]]\npath = "balls.csv"\n'
    header = "x,y,z,vx,vy,vz,radius,wy,material,inertia_factor"
    for second in ("9,0,0,0,0,0,1,2.5,glass,0.6", "9,0,0,0,0,0,1,,,"):  # plain, and with gaps
        rows = f"{header}\n0,0,0,0,0,0,1,-1,glass,0.5\n{second}\n"
        balls = load_scene(write_room(text, rows)).balls
        assert balls[0].angular_velocity == (0.0, -1.0, 0.0)
        assert (balls[0].material, balls[0].inertia_factor) == ("glass", 0.5)
    assert (balls[1].material, balls[1].inertia_factor) == (None, 0.4)
    rows = f"{header}\n0,0,0,0,0,0,1,x,tin,0.7\n"
    faults = faults_of(write_room(text, rows))
    assert any('line 2: wy: must be a finite number, not "x"' in fault for fault in faults)
    assert any("inertia_factor: must be from 1e-06 to 0.666667, not 0.7" in f for f in faults)
    rows = f"{header}\n0,0,0,0,0,0,1,0,tin,0.4\n"
    (fault,) = faults_of(write_room(text, rows))
    assert fault.endswith("ball_file[0].path.material: must be one of glass, not 'tin'")


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("tangential_restitution = 2", "tangential_restitution: must be at most 1, not 2"),
        ("tangential_restitution = true", "tangential_restitution: must be a number, not true"),
        ("friction = 0.5", "friction: 0.5 has no effect on smooth surfaces: give a tangential_res"),
        ("tangential_restitution = 0\nfriction = -1", "friction: must be at least 0, not -1"),
        ("[[material]]", "material[0].name: is missing, expected is text in quotes"),
        (
            '[[material]]\nname = "a"\nrestitution = 1.5',
            "restitution: must be from 0 to 1, not 1.5",
        ),
        (
            '[[material]]\nname = "a"\nrestitution = {}',
            "restitution: has no loss, expected is { lo",
        ),
        (
            '[[material]]\nname = "a"\nrestitution = { loss = 1, power = 2 }',
            'material[0].restitution: has no "power": expected is { loss, exponent = 0.2 }',
        ),
        (
            '[[material]]\nname = "a"\nrestitution = [[1, 0.5], [0, 0.6]]',
            "material[0].restitution: the speeds must increase, not [1.0, 0.0]",
        ),
        (
            '[[material]]\nname = "a"\nrestitution = [0.5]',
            "material[0].restitution: must be pairs [speed, restitution], not 0.5",
        ),
        ('[[material]]\nname = "a"\nrestitution = "b"', "restitution: must be a number, not 'b'"),
        (
            '[[material]]\nname = "a"\n[[material]]\nname = "a"',
            "material[1].name: must be that of no other material, not 'a'",
        ),
        (
            '[[material_pair]]\nmaterials = ["a"]',
            'material_pair[0].materials: must be the names of two materials, not ["a"]',
        ),
        (
            '[[material_pair]]\nmaterials = ["a", "b"]',
            "materials: must be the name of a material, and there is none, not 'a'",
        ),
        (
            '[[material]]\nname = "a"\n[[plane]]\npoint = [0, -9, 0]\nnormal = [0, 1, 0]\n'
            'material = "b"',
            "plane[0].material: must be one of a, not 'b'",
        ),
        (
            '[[material]]\nname = "a"\n[[plane]]\npoint = [0, -9, 0]\nnormal = [0, 1, 0]\n'
            'material = "a"\nrestitution = 1',
            "plane[0]: has both material ('a') and restitution (1.0), expected is at most one of",
        ),
        ("[[ball]]\nposition = [9, 0, 0]\nradius = 1\ninertia_factor = 1", "must be at most 0.66"),
        (
            "[[ball]]\nposition = [9, 0, 0]\nradius = 1\nangular_velocity = 3",
            "ball[0].angular_velocity: must be three numbers, [x, y, z], not 3",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_with_its_place(lines, fault):
    found = faults_of(write_room(f"duration = 1\n{lines}\n{SMALLEST.partition(chr(10))[2]}"))
    assert any(fault in line for line in found), found


def test_a_fault_elsewhere_leaves_materials_known():
    text = (
        f'duration = -1\n[[material]]\nname = "a"\n{SMALLEST.partition(chr(10))[2]}material = "a"\n'
    )
    (fault,) = faults_of(write_room(text))
    assert "duration" in fault


def test_no_friction_is_no_limit():
    assert load_scene(write_room(SMALLEST)).surfaces.friction == math.inf
