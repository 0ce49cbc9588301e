"""Traps and accelerations of balls: in scene files, runs, pages and the window."""

from pathlib import Path

import numpy as np
import pytest
from command_line import run
from kinds_of_scenes import ACCELERATIONS, TRAP
from scene_files import BALL, faults_of
from spheresim_viewer.timeline import play_run, play_scene
from timelines import arrive

from spheresim import Ball, ConstantAccelerations, Fill, HarmonicTrap, Run, Simulation
from spheresim.scene import load_scene, write_scene

SCENES = {"trap": TRAP, "accelerations": ACCELERATIONS}
EVERY_SCENE = pytest.mark.parametrize("scene", SCENES)
EVERY_ENGINE = pytest.mark.parametrize("engine", ["events", "steps"])


@pytest.fixture(autouse=True)
def _in_a_folder(folder):
    for name, text in SCENES.items():
        Path(f"{name}.toml").write_text(text)


@pytest.mark.rare_kernels
@EVERY_SCENE
@EVERY_ENGINE
def test_the_window_shows_balls_in_a_field_between_its_keyframes(scene, engine):
    assert run(f"{scene}.toml", engine=engine) == 0
    live = play_scene(load_scene(f"{scene}.toml", engine=engine))
    for player in (live, play_run(Run.load("out"))):
        for time in (1.203, 0.6175):
            arrive(player, time)
            exact = Run.load("out").at(time)
            # Between two steps the path in a trap is drawn as a parabola.
            assert player.snapshot.position == pytest.approx(exact.position, abs=1e-6)
            assert player.snapshot.velocity == pytest.approx(exact.velocity, abs=1e-3)
    remainder = abs(float(dict(live.snapshot.energy_rows)["energy remainder"]))
    assert (remainder < 1e-12) == (engine == "events")


def test_what_a_scene_says_of_fields_is_written_and_read_again(tmp_path):
    fill = Fill(
        count=60, radius=0.1, region={"low": (5, 5, 5), "high": (9, 9, 9)}, acceleration=(1, 0, 3)
    )
    of_balls = Simulation([fill, Ball((0, 0, 0), radius=1, acceleration=(0, 0, 2))])
    assert of_balls.field.acceleration.tolist() == [[1, 0, 3]] * 60 + [[0, 0, 2]]
    of_balls.save_scene("saved.toml")  # with a file of balls
    again = Simulation.load("saved.toml")
    assert again.field.acceleration.tolist() == of_balls.field.acceleration.tolist()
    for name in SCENES:
        scene = load_scene(f"{name}.toml")
        write_scene(scene, tmp_path / name)
        written = load_scene(tmp_path / name / "scene.toml")
        assert (written.trap, written.balls) == (scene.trap, scene.balls)
    trapped = Simulation(Ball((0, 0, 0), radius=1), field=HarmonicTrap(2.0, (0, 1, 0)))
    trapped.save_scene("trapped.toml")
    assert load_scene("trapped.toml").trap == trapped.field
    swept = load_scene("trap.toml").trap
    assert swept == HarmonicTrap(2.0, (0, 0.5, 0))


def test_balls_that_are_added_and_removed_take_their_accelerations_along():
    simulation = Simulation.load("accelerations.toml")
    simulation.add(Ball((0, 5, 0), radius=0.1, acceleration=(0, 7, 0)))
    assert simulation.field.acceleration.tolist() == [[-2, 0, 0], [2, 0, 0], [0, 7, 0]]
    simulation.remove(0)
    assert simulation.field.acceleration.tolist() == [[2, 0, 0], [0, 7, 0]]
    simulation.remove([1])
    simulation.run(until=0.1)
    assert simulation.velocity[0, 0] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[trap]\ncentre = [0, 0, 0]", "trap.frequency: is missing, expected is a number"),
        ("[trap]\nfrequency = 0", "trap.frequency: must be greater than 0, not 0"),
        ('engine = "events"\n[trap]\nfrequency = 1\n[[sphere]]\ncenter = [5, 5, 5]\nradius = 1',
         "trap: cannot be: in a trap with the engine \"events\" obstacles must be planes, and "
         "'sphere 0' is a sphere"),
        ("[trap]\nfrequency = 1\n[box]\nsize = [9, 9, 9]", "trap: cannot be: a trap must be in "
         "open space, not in a periodic box"),
        ("[trap]\nfrequency = 1\n[[ball]]\nposition = [5, 5, 5]\nradius = 1\nacceleration = "
         "[1, 0, 0]", "trap: cannot be: balls with accelerations of their own must be in no other "
         "field"),
        ("[[ball]]\nposition = [5, 5, 5]\nradius = 1\nacceleration = 3", "ball[1].acceleration: "
         "must be three numbers, [x, y, z], not 3"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_one_fault_in_one_sentence(text, fault):
    head, _, tables = text.partition("[")
    Path("room.toml").write_text(f"duration = 1\n{head}\n{BALL}[{tables}\n")
    assert faults_of("room.toml") == [f"room.toml: {fault}"]


def test_a_ball_file_may_have_accelerations():
    Path("balls.csv").write_text("x,y,z,vx,vy,vz,radius,ay\n0,0,0,0,0,0,1,5\n9,0,0,0,0,0,1,-3\n")
    Path("room.toml").write_text('duration = 1\n[[ball_file]]\npath = "balls.csv"\n')
    own = load_scene("room.toml").field
    assert isinstance(own, ConstantAccelerations)
    assert own.acceleration.tolist() == [[0, 5, 0], [0, -3, 0]]
    Path("balls.csv").write_text("x,y,z,vx,vy,vz,radius,ay\n0,0,0,0,0,0,1,fast\n")
    assert faults_of("room.toml") == [
        'room.toml: ball_file[0].path: balls.csv, line 2: ay: must be a finite number, not "fast"'
    ]


def test_two_fields_at_once_are_told():
    ball = Ball((0, 0, 0), radius=1, acceleration=(1, 0, 0))
    for field in (HarmonicTrap(1.0), ConstantAccelerations([(2, 0, 0)])):
        with pytest.raises(ValueError, match="must be in no other field"):
            Simulation(ball, field=field)
    swinging = Simulation(Ball((0, 0, 0), radius=1), field=lambda _t, _x, _v: (1, 0, 0))
    with pytest.raises(ValueError, match="a field is a function of Python, which no scene file"):
        swinging.save_scene("no.toml")
    assert np.isfinite(swinging.energy())
