"""Andersen's thermostat: against closed forms, engine by engine, on disk and in scene files."""

import math
from pathlib import Path

import numpy as np
import pytest
from checkpoints import goes_on_alike
from command_line import run
from kinds_of_scenes import BATH
from scene_files import BALL, faults_of
from spheresim_viewer.timeline import play_run, play_scene
from timelines import arrive

from spheresim import Ball, Box, Cuboid, Fill, Plane, Run, Simulation, Thermostat
from spheresim.analysis.drift import Drift
from spheresim.scene import SceneError, load_scene, write_scene

SIDE = 10.0
BOX = Box(size=(SIDE,) * 3)
REGION = {"low": (0, 0, 0), "high": (SIDE,) * 3}


def gas(count, thermostat, radius=0.3, temperature=1.0, **options):
    fill = Fill(count=count, radius=radius, region=REGION, temperature=temperature, seed=1)
    return Simulation(fill, box=BOX, thermostat=thermostat, **options)


def room(engine, thermostat, **options):
    """The same in a closed room."""
    fill = Fill(count=40, radius=0.5, region=REGION, temperature=1.0, seed=1)
    walls = [Cuboid((SIDE / 2,) * 3, (SIDE,) * 3)]
    return Simulation(fill, walls, thermostat=thermostat, engine=engine, step=0.01, **options)


@pytest.mark.compiled_only
def test_the_energy_comes_to_that_of_the_bath_as_an_exponential():
    """Impacts keep the energy, and a meeting replaces that of a ball by 3kT/2 on average: so the
    mean is E(t) = 3NkT/2 + (E(0) − 3NkT/2)·exp(−νt), whatever is hit meanwhile."""
    n, temperature, rate = 4000, 3.0, 0.5
    simulation = gas(n, Thermostat(temperature, rate, seed=4), radius=0.1)
    simulation.keep_impacts(False)
    start, end = simulation.energy(), 1.5 * n * temperature
    for time in (1.0, 2.0, 4.0):
        simulation.run(until=time)
        expected = end + (start - end) * math.exp(-rate * time)
        # Energies of balls vary by no more than 3/2·(kT)² about 3/2·kT, and by the mixture.
        error = temperature * math.sqrt(2.0 * n)
        assert abs(simulation.energy() - expected) < 3.0 * error
        assert error < 0.05 * (end - start)
    assert simulation.tally.ball_impacts > 500
    assert simulation.heat_bath.meetings[0] == pytest.approx(n * rate * 4.0, abs=3 * 90)


@pytest.mark.compiled_only
def test_energy_and_momentum_are_distributed_as_in_the_canonical_ensemble():
    """var E = 3/2·N·(kT)², and var P = N·m·kT along each axis."""
    n, temperature, many = 20, 2.0, 1500
    simulation = gas(n, Thermostat(temperature, 1.0, seed=2), radius=0.8)
    simulation.keep_impacts(False)
    energy, momentum = np.empty(many), np.empty((many, 3))
    for k in range(many):
        simulation.run(until=5.0 * (k + 1))  # exp(−5) of what was is left
        energy[k], momentum[k] = simulation.energy(), simulation.momentum()
    assert simulation.tally.ball_impacts > 10_000
    mean, variance = 1.5 * n * temperature, 1.5 * n * temperature**2
    assert energy.mean() == pytest.approx(mean, abs=3 * math.sqrt(variance / many))
    # The kurtosis of χ² with 3N degrees of freedom is 3 + 4/N.
    assert energy.var() == pytest.approx(variance, rel=3 * math.sqrt((2 + 4 / n) / many))
    assert (momentum**2).mean() == pytest.approx(n * temperature, rel=3 * math.sqrt(2 / (3 * many)))


@pytest.mark.compiled_only
def test_a_ball_alone_diffuses_as_its_velocities_last():
    """⟨v(0)·v(t)⟩ decays as exp(−νt) where nothing is hit: so along an axis ⟨x²⟩ is
    2kT/(mν²)·(νt − 1 + exp(−νt)), and D = kT/(mν) (Andersen 1980, section IV)."""
    n, temperature, rate, mass = 3000, 2.0, 4.0, 0.5
    fill = Fill(count=n, radius=1e-5, region=REGION, mass=mass, temperature=temperature, seed=1)
    simulation = Simulation(fill, box=BOX, thermostat=Thermostat(temperature, rate, seed=3))
    start = simulation.position.copy()
    for time in (0.2, 5.0):
        simulation.run(until=time)
        squares = (simulation.position - start).ravel() ** 2
        lasting = rate * time - 1.0 + math.exp(-rate * time)
        expected = 2.0 * temperature / (mass * rate**2) * lasting
        error = squares.std() / math.sqrt(len(squares))
        assert squares.mean() == pytest.approx(expected, abs=3 * error)
    assert simulation.tally.ball_impacts == 0


@pytest.mark.compiled_only
def test_heights_over_a_floor_have_the_barometric_distribution():
    temperature, g, mass = 2.0, 5.0, 0.5
    balls = [Ball((3.0 * k, 0.2, 0), radius=0.1, mass=mass) for k in range(400)]
    floor = Plane((0, 0, 0), (0, 1, 0))
    simulation = Simulation(
        *(balls, [floor], (0, -g, 0)), engine="events", thermostat=Thermostat(temperature, 2.0)
    )
    simulation.keep_impacts(False)
    heights = []
    for time in (10, 20, 30):
        simulation.run(until=time)
        heights.append(simulation.position[:, 1] - 0.1)
    mean, count = temperature / (mass * g), 1200
    assert np.min(heights) > -1e-9
    assert np.mean(heights) == pytest.approx(mean, abs=3 * mean / math.sqrt(count))
    assert np.median(heights) == pytest.approx(mean * math.log(2), abs=3 * mean / math.sqrt(count))
    drift = Drift(simulation.world, simulation.state)
    assert not simulation.asleep.any()
    assert drift.energy_start == pytest.approx(simulation.tally.given + 400 * mass * g * 0.2)


def test_both_engines_let_the_same_balls_meet_the_bath_at_the_same_times():
    balls = [Ball((k, 0, 0), radius=1e-3) for k in range(5)]
    ends = {}
    for step in (None, 0.01, 0.005):
        simulation = Simulation(
            balls,
            engine="steps" if step else "events",
            step=step or 0.01,
            thermostat=Thermostat(1.0, 3.0, seed=5),
        )
        simulation.run(until=2.0)
        ends[step] = simulation.position.copy(), simulation.velocity.copy(), simulation.heat_bath
    exact = ends[None]
    assert exact[2].meetings[0] > 20
    for step, (position, velocity, bath) in ends.items():
        assert velocity.tolist() == exact[1].tolist()
        assert (bath.meetings, bath.next) == (exact[2].meetings, exact[2].next)
        assert bath.heat == pytest.approx(exact[2].heat, rel=1e-12)
        if step:  # a meeting is early by a step at most
            meetings = exact[2].meetings[0]
            assert 0.0 < np.abs(position - exact[0]).max() < 5.0 * step * math.sqrt(meetings)


@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ["events", "steps"])
def test_a_run_in_pieces_and_a_resumed_one_give_the_same_bytes(engine):
    thermostat = Thermostat(2.0, 1.5, seed=7)
    start = room(engine, thermostat)
    drift = Drift(start.world, start.state)
    whole = goes_on_alike(lambda: room(engine, thermostat), (0.5, 0.51, 1.27, 2.0), 3.0)
    assert whole.tally.obstacle_impacts > 30
    account = drift.account(whole.state, whole.tally.dissipated, whole.tally.given)
    assert abs(account.remainder) < 1e-11 * account.scale
    assert account.given == whole.heat_bath.heat[0]


@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ["events", "steps"])
def test_what_was_counted_goes_on_when_balls_are_added_and_begins_anew_with_another_state(engine):
    simulation = room(engine, Thermostat(2.0, 1.5, seed=7))
    simulation.run(until=1.0)
    before, given = simulation.heat_bath, simulation.tally.given
    simulation.add(Ball((5, 5, 5), radius=1e-3))
    assert simulation.heat_bath.tolist() == before.tolist()
    assert simulation.tally.given == pytest.approx(given)
    simulation.restore(5.0, simulation.position.copy(), simulation.velocity.copy())
    assert simulation.heat_bath.meetings[0] == 0
    assert simulation.heat_bath.next[0] > 5.0


@pytest.mark.compiled_only
def test_a_gas_that_rests_is_set_in_motion_and_a_run_for_impacts_waits_for_it():
    simulation = gas(50, Thermostat(1.0, 0.1, seed=1), radius=0.8, temperature=0.0)
    simulation.run(impacts=20)
    assert len(simulation.impacts) == 20
    alone = Simulation(Ball((0, 0, 0), radius=1), box=BOX, thermostat=Thermostat(1.0, 1.0))
    with pytest.raises(RuntimeError, match="only 0 of 1 impacts came"):
        alone.run(impacts=1)


@pytest.mark.thorough  # it compiles the kernels of a sheared box
def test_in_a_sheared_box_velocities_are_those_beside_the_flow():
    fill = Fill(count=200, radius=0.3, region=REGION, temperature=1.0, seed=1)
    box = Box(size=(SIDE,) * 3, shear_rate=0.5)
    simulation = Simulation(fill, box=box, thermostat=Thermostat(1.0, 5.0, seed=2))
    drift = Drift(simulation.world, simulation.state)
    simulation.run(until=10)
    tally = simulation.tally
    account = drift.account(simulation.state, tally.dissipated, tally.given, tally.work_of_shear)
    assert account.work_of_shear > 1.0
    assert abs(account.remainder) < 1e-9 * account.scale
    assert simulation.energy() / 300 == pytest.approx(1.0, abs=0.25)


@pytest.fixture
def scene_file(folder):
    Path("bath.toml").write_text(BATH)
    return "bath.toml"


@pytest.mark.compiled_only
@pytest.mark.parametrize("engine", ["events", "steps"])
def test_the_viewer_shows_it_in_simulations_and_in_runs_wherever_it_is_asked_first(
    scene_file, engine
):
    assert run(scene_file, engine=engine) == 0
    simulation = Simulation.load(scene_file, engine=engine)
    simulation.run(until=1.0)
    player = play_scene(load_scene(scene_file, engine=engine))
    for time in (1.0, 0.3, 1.0):
        arrive(player, time)
    assert player.snapshot.position.tolist() == simulation.position.tolist()
    assert dict(player.snapshot.energy_rows)["from outside"]
    player = play_run(Run.load("out"))
    arrive(player, 1.0)
    assert player.snapshot.position.tolist() == simulation.position.tolist()
    assert "energy remainder" not in dict(player.snapshot.energy_rows)  # which is not known


def test_a_scene_with_a_thermostat_is_written_and_its_seed_is_the_scenes(scene_file, tmp_path):
    scene = load_scene(scene_file)
    assert scene.thermostat == Thermostat(2.0, 1.5, 3)
    write_scene(scene, tmp_path / "again")
    assert load_scene(tmp_path / "again/scene.toml").thermostat == scene.thermostat
    assert load_scene(scene_file, seed=9).thermostat.seed == 9
    Simulation.from_scene(scene).save_scene("saved.toml")
    assert load_scene("saved.toml").thermostat == scene.thermostat


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("temperature = 1", "rate: is missing, expected is a number greater than 0"),
        ("temperature = 0\nrate = 1", "temperature: must be greater than 0, not 0"),
        ("temperature = 1\nrate = -1", "rate: must be greater than 0, not -1"),
        ("temperature = 1\nrate = 1\nseed = -1", "seed: must be at least 0, not -1"),
        ("temperature = 1\nrate = 1e12", "rate: must be at most 1e+11, for 1e+11 meetings of 1 "
         "balls in the duration, not 1000000000000.0"),
    ],
)  # fmt: skip
def test_a_wrong_thermostat_is_one_fault_in_one_sentence(table, fault, folder):
    Path("room.toml").write_text(f"duration = 1\n{BALL}[thermostat]\n{table}\n")
    assert faults_of("room.toml") == [f"room.toml: thermostat.{fault}"]


@pytest.mark.parametrize("engine", ["events", "steps"])
def test_from_python_too_high_a_rate_is_refused_in_the_same_sentence(engine):
    """Such a run would never end: between two meetings no time goes by."""
    balls = [Ball((3 * i, 0, 0), radius=1) for i in range(2)]
    simulation = Simulation(balls, thermostat=Thermostat(1.0, 1e300), engine=engine, step=1.0)
    most = "a thermostat's rate must be at most .* meetings of 2 balls in the duration, not 1e"
    with pytest.raises(ValueError, match=most.replace("at most .*", r"at most 5e\+10, .*")):
        simulation.run(until=1.0)
    for go_on in (lambda: simulation.run(impacts=1), simulation.step_once):
        with pytest.raises(ValueError, match=most):
            go_on()
    assert simulation.time == 0.0
    simulation.run(until=0.0)


def test_a_bent_obstacle_that_takes_energy_is_refused_in_one_sentence(tmp_path):
    text = BATH.replace("[[cuboid]]", "[[sphere]]").replace("size = [10, 10, 10]", "radius = 9")
    (tmp_path / "bowl.toml").write_text(f"restitution = 0.5\n{text}")
    Simulation.load(tmp_path / "bowl.toml", engine="steps")
    with pytest.raises(SceneError, match="cannot be run: a thermostat must be where balls can"):
        Simulation.load(tmp_path / "bowl.toml", engine="events")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((0.0, 1.0), "a thermostat's temperature must be"),
        ((1.0, math.inf), "a thermostat's rate must be"),
        ((1.0, 1.0, 2**32), "a thermostat's seed must be at most 4294967295, not 4294967296"),
        ((1.0, 1.0, 0.5), "a thermostat's seed must be a whole number"),
    ],
)
def test_wrong_arguments_are_told(words, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        Thermostat(*words)
    with pytest.raises(TypeError, match=r"thermostat must be a Thermostat, not 2\.0"):
        Simulation(Ball((0, 0, 0), radius=1), thermostat=2.0)
