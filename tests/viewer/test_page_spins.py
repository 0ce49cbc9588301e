"""Balls that spin on a page: its JavaScript against the window's orientations and
marks, and the run's impacts."""

from pathlib import Path

import numpy as np
import pytest
from page_script import by_script, needs_node
from spheresim_viewer.timeline.replay import Replay
from spheresim_viewer.timeline.snapshot import snapshot_at
from spheresim_viewer.web.spins import spins

from spheresim import Ball, Box, Run, Simulation
from spheresim.analysis.drift import kinetic_energy, rotational_energy
from spheresim.collision.impacts import nothing
from spheresim.model.state import State
from spheresim.record.spin_changes import twists
from spheresim.scene import load_scene

SCENE = """
duration = 3
frame_every = 0.5
step = 0.01
tangential_restitution = 0.5
friction = 0.4
[[cylinder]]
point = [1, 1, 1]
axis = [0, 1, 0]
radius = 1
[[plane]]
point = [0, 0, 0]
normal = [0, 1, 0]
[[plane]]
point = [0, 2, 0]
normal = [0, -1, 0]
[[ball]]
position = [0.6, 0.5, 0.6]
velocity = [2, 1.5, 0.7]
angular_velocity = [3, -1, 8]
radius = 0.3
[[ball]]
position = [1.3, 1.3, 1.3]
velocity = [-1, 2, -0.6]
radius = 0.4
mass = 3
inertia_factor = 0.6
[[ball]]
position = [0.4, 1.5, 1]
velocity = [1, -2, 0.4]
radius = 0.25
"""
TURNS = """
import { spinMarks } from "./glyphs.mjs";
import { Spins } from "./spins.mjs";
const [arrays, n, times, ...balls] = GIVEN;
const [centre, radius] = balls.map((numbers) => Float32Array.from(numbers));
for (const name in arrays) arrays[name] = Float64Array.from(arrays[name]);
const spins = new Spins(arrays, n);
const marks = (time) => spinMarks(centre, radius, spins.at(time));
console.log(JSON.stringify(times.map((time) => [spins.at(time), marks(time)])));
"""
ENERGIES = """
import { energiesOf } from "./energy.mjs";
import { Spins } from "./spins.mjs";
const [arrays, header, pull, states] = GIVEN;
for (const name in arrays) arrays[name] = Float64Array.from(arrays[name]);
const n = arrays["ball.mass"].length;
const motion = { n, arrays, clock: { pull: (ball, k) => pull[k] } };
const spins = "ball.spin" in arrays ? new Spins(arrays, n) : null;
console.log(JSON.stringify(states.map(([time, ...state]) => {
  const [position, velocity] = state.map((numbers) => Float64Array.from(numbers));
  return energiesOf(motion, header, spins, time, position, velocity);
})));
"""
IMPACTS = """
import { alongNormal } from "./impacts.mjs";
console.log(JSON.stringify(GIVEN.map(([push, twist]) => alongNormal(push, twist))));
"""


def rough_run(folder: Path, engine: str) -> Run:
    (folder / "scene.toml").write_text(SCENE)
    Simulation.load(folder / "scene.toml", engine=engine).save(folder / "run", until=3.0)
    run = Run.load(folder / "run")
    assert run.info["impacts"] > 15
    return run


@pytest.mark.compiled_only
@needs_node
@pytest.mark.parametrize("engine", ["events", "steps"])
def test_balls_are_turned_and_marked_as_in_the_window(
    tmp_path: Path, screen: str, engine: str
) -> None:
    from spheresim_viewer.glyphs import spin_marks

    run, times = rough_run(tmp_path, engine), [2.9, 0.0, 0.31, 1.3, 1.5, 3.0]
    rows, replay = run.rows, Replay(run)
    told = spins(run.scene, rows)
    arrays = {name: np.ravel(column).tolist() for name, (_, column) in told.items()}
    for name in ("t", "kind", "i", "other"):
        arrays[f"row.{name}"] = getattr(rows, name).tolist()
    centre = np.array([[0.5, 0.25, 0], [-0.5, 0, 0.125], [0, 0, 0.75]])
    radius = np.array([[0.25], [0.5], [0.125]])
    given = [arrays, len(radius), times, centre.ravel().tolist(), radius.ravel().tolist()]
    found = by_script(tmp_path, TURNS, given)
    for time, (orientations, marks) in zip(times, found, strict=True):
        expected = snapshot_at(replay, time).orientation
        assert np.asarray(orientations) == pytest.approx(expected, abs=1e-12)
        for name, column in spin_marks(centre, radius, expected)._asdict().items():
            assert np.reshape(marks[name], column.shape) == pytest.approx(column, abs=1e-12)


@pytest.mark.compiled_only
@needs_node
def test_impacts_of_rough_balls_have_their_normals_and_impulses(tmp_path: Path) -> None:
    rows = rough_run(tmp_path, "events").rows
    assert (np.abs(rows.tangential).max(axis=1) > 0.01).any()
    given = np.stack([rows.whole_impulse, twists(rows)], axis=1).tolist()
    found = by_script(tmp_path, IMPACTS, given)
    assert [one["impulse"] for one in found] == pytest.approx(rows.impulse, abs=1e-12)
    assert np.array([one["normal"] for one in found]) == pytest.approx(rows.normal, abs=1e-12)


@pytest.mark.compiled_only
@needs_node
def test_energies_include_that_of_rotation_as_in_the_window(tmp_path: Path) -> None:
    run = rough_run(tmp_path, "events")
    rows, replay, balls = run.rows, Replay(run), run.scene.balls
    arrays = {
        name: np.ravel(column).tolist() for name, (_, column) in spins(run.scene, rows).items()
    }
    arrays |= {f"row.{name}": getattr(rows, name).tolist() for name in ("t", "kind", "i", "other")}
    arrays |= {"ball.mass": balls.mass.tolist(), "ball.radius": balls.radius.tolist()}
    shots = [snapshot_at(replay, time) for time in (0.0, 0.31, 1.3, 3.0)]
    states = [
        [shot.time, shot.position.ravel().tolist(), shot.velocity.ravel().tolist()]
        for shot in shots
    ]
    given = [arrays, {"box": None, "trap": None}, list(run.scene.gravity), states]
    for shot, found in zip(shots, by_script(tmp_path, ENERGIES, given), strict=True):
        state = State(np.array([shot.time]), shot.position, shot.velocity, shot.angular_velocity)
        assert rotational_energy(shot.world, state) > 0.1
        assert found["kinetic"] == pytest.approx(kinetic_energy(shot.world, state), rel=1e-12)


@needs_node
def test_energies_in_a_sheared_box_are_those_beside_the_flow(tmp_path: Path) -> None:
    box = Box(size=(10, 10, 10), shear_rate=1.5)
    balls = [Ball((2, 1, 2), (1, 2, 3), radius=1), Ball((5, 8, 2), (0.5, 0, 1), radius=1, mass=2)]
    simulation = Simulation(balls, box=box)
    arrays = {"ball.mass": [1.0, 2.0]}
    told = {"low": box.low, "size": box.size, "periodic": box.periodic, "shearRate": 1.5}
    state = [0.0, simulation.position.ravel().tolist(), simulation.velocity.ravel().tolist()]
    given = [arrays, {"box": told, "trap": None}, [0, 0, 0], [state]]
    (found,) = by_script(tmp_path, ENERGIES, given)
    assert found["kinetic"] == pytest.approx(simulation.energy(), rel=1e-12)
    assert found["potential"] == 0.0


def test_pages_of_worlds_without_spins_are_told_of_none() -> None:
    assert spins(load_scene("two_balls"), nothing()) == {}
