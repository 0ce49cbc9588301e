"""The tables `motion` and `thermal` of obstacles: what they make, what is written, and faults."""

import numpy as np
import pytest
from scene_files import BALL, faults_of, write_room

from spheresim import Ball, Obstacle, Plane, Simulation
from spheresim.obstacles.driven_walls.motions import MOTIONS, Thermal
from spheresim.scene import load_scene, write_scene

pytestmark = pytest.mark.usefixtures("folder")

FAR = BALL.replace("[0, 0, 0]", "[90, 90, 90]")
PLANE = "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\n"
TABLES = {
    "velocity": "velocity = [1, 2, 3]",
    "oscillation": "amplitude = 0.5, frequency = 2, axis = [0, 3, 4], phase = 30",
    "rotation": "axis = [0, 3, 4], frequency = -0.25, point = [1, 2, 3]",
    "piecewise": "times = [0, 1, 2.5], offsets = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]",
    "piston": "mass = 2, force = -3, velocity = 0.5",
}


def write(text):
    return write_room(f"duration = 1\n{FAR}{text}\n")


def moving(fields):
    return write(f"{PLANE}motion = {{ {fields} }}")


@pytest.mark.parametrize("kind", TABLES)
def test_a_motion_that_is_written_loads_as_the_same(kind, tmp_path):
    assert TABLES.keys() == MOTIONS.keys()
    scene = load_scene(moving(f'kind = "{kind}", {TABLES[kind]}'))
    assert type(scene.obstacles[0].motion) is MOTIONS[kind]
    write_scene(scene, tmp_path / "again")
    assert load_scene(tmp_path / "again" / "scene.toml").obstacles == scene.obstacles


def test_every_kind_of_obstacle_may_move_and_be_warm(tmp_path):
    more = 'motion = { kind = "velocity", velocity = [1, 0, 0] }\nthermal = { temperature = 2 }\n'
    scene = load_scene(
        write(
            f"[[cylinder]]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nradius = 1\n{more}"
            f"[[cuboid]]\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\n{more}"
        )
    )
    assert all(obstacle.thermal == Thermal(2.0) for obstacle in scene.obstacles)
    assert all(obstacle.motion.velocity == (1, 0, 0) for obstacle in scene.obstacles)


def test_a_seed_is_that_of_all_warm_obstacles():
    text = f'{PLANE}thermal = {{ temperature = 2, components = "normal", seed = 4 }}'
    scene = load_scene(write(text))
    assert (scene.seed, scene.obstacles[0].thermal) == (4, Thermal(2.0, "normal", 4))
    again = load_scene(write(text), seed=9)
    assert (again.seed, again.obstacles[0].thermal.seed, again.warnings) == (9, 9, ())


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ("velocity = [1, 0, 0]", 'plane[0].motion.kind: must be one of "velocity", "oscillation", '
         '"rotation", "piecewise", "piston", not "none"'),
        ('kind = "sine"', 'plane[0].motion.kind: must be one of "velocity", "oscillation", '
         '"rotation", "piecewise", "piston", not "sine"'),
        ('kind = "velocity"', "plane[0].motion.velocity: is missing, expected is three numbers, "
         "[x, y, z]"),
        ('kind = "oscillation", amplitude = -1, frequency = 2, axis = [0, 1, 0]',
         "plane[0].motion.amplitude: must be at least 0, not -1"),
        ('kind = "oscillation", amplitude = 1, frequency = 0, axis = [0, 1, 0]',
         "plane[0].motion.frequency: must be greater than 0, not 0"),
        ('kind = "oscillation", amplitude = 1, frequency = 2, axis = [0, 0, 0]',
         "plane[0].motion.axis: must have a direction, but [0.0, 0.0, 0.0] has none"),
        ('kind = "velocity", velocity = [1, 0, 0], speed = 2', "plane[0].motion.speed: is no field "
         "of a motion, its value is 2; the fields are kind, velocity"),
        ('kind = "piecewise", times = [0, 2, 1], offsets = [[0, 0, 0], [1, 0, 0], [0, 0, 0]]',
         "plane[0].motion: cannot be: a motion's times must begin with 0 and increase, "
         "not [0.0, 2.0, 1.0]"),
        ('kind = "piston", mass = 0', "plane[0].motion.mass: must be greater than 0, not 0"),
    ],
)  # fmt: skip
def test_a_wrong_motion_is_one_fault_in_one_sentence(fields, fault):
    assert faults_of(moving(fields)) == [f"room.toml: {fault}"]


def test_what_cannot_be_a_piston_or_warm_is_said():
    sphere = '[[sphere]]\ncenter = [0, 0, 0]\nradius = 1\nmotion = { kind = "piston", mass = 1 }'
    assert faults_of(write(sphere)) == [
        'room.toml: sphere[0].motion.kind: must be one of "velocity", "oscillation", "rotation", '
        '"piecewise", not "piston"'
    ]
    (fault,) = faults_of(write(f"{PLANE}thermal = {{ temperature = -1 }}"))
    assert fault == "room.toml: plane[0].thermal.temperature: must be greater than 0, not -1"
    (fault,) = faults_of(write(f"{PLANE}thermal = 3"))
    assert fault == (
        "room.toml: plane[0].thermal: must be a table, not 3; the fields are temperature, "
        "components, seed"
    )
    (fault,) = faults_of(write(f"{PLANE}motion = 3"))
    assert fault.startswith("room.toml: plane[0].motion")


def test_materials_and_spins_do_not_go_with_pistons_and_warm_walls_yet():
    motion = 'motion = { kind = "piston", mass = 1 }'
    (fault,) = faults_of(write(f"[[material]]\nname = 'wood'\n{PLANE}material = 'wood'\n{motion}"))
    assert fault.endswith(
        "plane[0]: is a piston or warm, which does not go with materials and spins yet"
    )
    ball = Ball((5, 5, 5), radius=1, angular_velocity=(1, 0, 0))
    warm = Obstacle(Plane((0, 0, 0), (0, 1, 0)), thermal=Thermal(1.0))
    with pytest.raises(ValueError, match="plane 0 is a piston or warm, which does not go with"):
        Simulation([ball], [warm])


def test_only_planes_move_in_a_periodic_box():
    box = "[box]\nsize = [200, 200, 200]\nperiodic = [true, false, true]\n"
    pillar = "[[cylinder]]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nradius = 1\n"
    motion = 'motion = { kind = "velocity", velocity = [1, 0, 0] }'
    (fault,) = faults_of(write(f"{box}{pillar}{motion}"))
    assert "cylinder[0].motion: is in a periodic box, where only planes can move" in fault
    turning = 'motion = { kind = "rotation", axis = [0, 1, 0], frequency = 1 }'
    (fault,) = faults_of(write(f"{box}{PLANE}{turning}"))
    assert "plane[0].motion: must not be a rotation in a periodic box" in fault


def test_a_simulation_is_saved_as_a_scene_only_before_its_obstacles_have_moved(tmp_path):
    simulation = Simulation.load(moving('kind = "velocity", velocity = [0, 1, 0]'))
    simulation.save_scene(tmp_path / "kept.toml")
    kept = load_scene(tmp_path / "kept.toml")
    assert kept.obstacles == list(simulation.obstacles)
    simulation.restore(1.0, simulation.position, np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"starts at t = 1.0 cannot be saved: plane 0 moves"):
        simulation.save_scene(tmp_path / "late.toml")
