"""Where energy goes: what restitution takes, what the fixed step adds, and nothing else."""

import json
import warnings

import numpy as np
import pytest
from command_line import typed as spheresim
from hypothesis import given
from hypothesis import strategies as st
from worlds import box

from spheresim import Ball, Cylinder, Obstacle, Plane, Simulation
from spheresim.analysis.drift import Drift
from spheresim.engines.catalogue import is_stepped
from spheresim.record.load import Run

ENGINES = pytest.mark.parametrize("engine", ["steps", "events"])
WALLS = box(8.0, 0.7, (-4, -4, -4))


def account(simulation, until):
    drift = Drift(simulation.world, simulation.state)
    simulation.advance(until)
    return drift.account(simulation.state, simulation.tally.dissipated)


@ENGINES
def test_two_balls_lose_what_restitution_takes_of_their_approach(engine):
    a = Ball((0, 0, 0), (3, 0, 0), radius=1, mass=2, restitution=0.5)
    b = Ball((4, 0, 0), (-1, 0, 0), radius=1, mass=6, restitution=0.9)
    found = account(Simulation([a, b], engine=engine), 2.0)
    # ½ μ (1 − e²) vn², with μ = 12/8 and an approach of 4
    assert found.taken == pytest.approx(0.5 * 1.5 * (1 - 0.25) * 16, rel=1e-14)
    assert found.start - found.now == pytest.approx(found.taken, rel=1e-14)
    assert abs(found.remainder) < 1e-14


@ENGINES
def test_an_obstacle_takes_its_part_whether_impacts_are_recorded_or_not(engine):
    pillar = Obstacle(Cylinder((5, 0, 0), (0, 0, 1), 1), 0.25)
    simulation = Simulation([Ball((0, 0, 0), (2, 0, 1), radius=1, mass=3)], [pillar], engine=engine)
    if engine == "events":
        simulation.log_impacts(False)
    found = account(simulation, 2.5)
    assert found.taken == pytest.approx(0.5 * 3 * (1 - 0.0625) * 4, rel=1e-14)
    assert simulation.energy() == pytest.approx(0.5 * 3 * (1 + 0.25), rel=1e-14)


def test_a_ball_that_comes_to_rest_has_lost_all_but_its_height():
    found = account(Simulation.load("bouncing_ball", engine="events"), 10.0)
    assert (found.start, found.now) == pytest.approx((10.791, 0.981), rel=1e-14)
    assert found.taken == pytest.approx(9.81, rel=1e-13)
    assert abs(found.remainder) < 1e-12


def test_the_integrator_is_told_from_restitution():
    """Thrown up, elastic, without an impact: semi-implicit Euler loses ½ m g² dt t."""
    ball = Ball((0, 1, 0), (0, 30, 0), radius=0.5, mass=2)
    floor = Plane((0, 0, 0), (0, 1, 0))
    found = account(Simulation([ball], [floor], (0, -10, 0), step=0.125), 2.0)
    assert found.taken is None
    assert found.remainder == pytest.approx(-0.5 * 2 * 100 * 0.125 * 2.0, rel=1e-12)
    rows = dict(found.rows("energy at end"))
    assert rows == {
        "energy at start": "920",
        "energy at end": "895",
        "energy remainder": "-25",
    }


@pytest.mark.cases(2)
@pytest.mark.compiled_only
@ENGINES
@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, -9.81, 0)])
@given(seed=st.integers(0, 2**32 - 1))
def test_in_any_box_restitution_explains_all_that_no_integrator_does(engine, gravity, seed):
    rng = np.random.default_rng(seed)
    balls = [
        Ball(
            2.4 * np.array(site), rng.normal(size=3), rng.uniform(0.3, 1.1), rng.uniform(0.1, 9), e
        )
        for site, e in zip(np.ndindex(2, 2, 2), rng.uniform(0.2, 1, 8), strict=True)
    ]
    simulation = Simulation(balls, WALLS, gravity, engine=engine)
    found = account(simulation, 3.0)
    assert found.taken >= 0.0
    if not is_stepped(engine, gravity):
        assert abs(found.remainder) < 1e-9 * found.scale


@pytest.mark.compiled_only
def test_a_gas_at_rest_as_a_whole_is_conserved_and_says_so():
    found = account(Simulation.load("gas_in_a_box"), 2.0)
    assert found.taken is None
    assert abs(found.remainder) < 1e-13 * found.scale
    assert [label for label, _ in found.rows("now")] == [
        "energy at start",
        "now",
        "energy remainder",
    ]


def lines(text):
    """The words that begin the lines of a summary, and what follows."""
    return {line[:17].strip(): line[17:].strip() for line in text.splitlines()}


@pytest.mark.compiled_only
def test_the_first_command_of_the_readme_says_what_a_newcomer_can_read(tmp_path):
    done = spheresim("run", "magic_room", "--force", cwd=tmp_path)
    assert done.returncode == 0
    assert "warning" not in done.stderr
    told = lines(done.stdout)
    assert told["energy at start"] == "133.05"
    info = json.loads((tmp_path / "runs" / "magic_room" / "run.json").read_text())
    assert told["energy remainder"] == f"{info['energy_remainder']:.3g}"
    assert told["energy remainder"].startswith("0.8")
    for word in ("momentum", "lost in impacts"):
        assert word not in done.stdout
    assert "semi-implicit Euler" in done.stdout


@pytest.mark.compiled_only
def test_a_ball_that_bounced_says_that_restitution_took_its_energy(tmp_path):
    done = spheresim("run", "bouncing_ball", "--engine", "events", cwd=tmp_path)
    told = lines(done.stdout)
    assert (told["energy at start"], told["energy at end"]) == ("10.791", "0.981")
    assert told["lost in impacts"] == "9.81"
    info = json.loads((tmp_path / "runs" / "bouncing_ball" / "run.json").read_text())
    assert info["energy_dissipated"] == pytest.approx(9.81, rel=1e-12)
    assert abs(info["energy_remainder"]) < 1e-12
    assert info["energy_start"] - info["energy_end"] == pytest.approx(9.81, rel=1e-12)


@pytest.mark.compiled_only
def test_momentum_is_told_only_where_nothing_outside_pushes(tmp_path):
    for name, is_told in (("two_balls", True), ("newtons_cradle", False)):
        done = spheresim("run", name, cwd=tmp_path)
        assert ("momentum drift" in done.stdout) == is_told


@pytest.mark.cases(1)
@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("engine", "events"), [("steps", "all"), ("events", "all"), ("events", "none")]
)
def test_the_viewer_says_the_same_in_the_same_words(folder, engine, events):
    from spheresim_viewer.timeline.player import play_run, play_scene

    scene = Simulation.load("bouncing_ball", engine=engine, duration=4).scene
    options = ("--engine", engine, "--duration", "4", "--events", events)
    told = lines(spheresim("run", "bouncing_ball", *options, cwd=folder).stdout)
    told["energy now"] = told["energy at end"]
    for player in (play_scene(scene), play_run(Run.load("runs/bouncing_ball"))):
        player.budget = 1e9
        player.seek(4.0)
        rows = dict(player.snapshot.energy_rows)
        if events == "none" and player.segments.last == 4.0:  # nobody knows what impacts took
            assert set(rows) == {"energy at start", "energy now"}
        if engine == "events":  # sums of other parts, which rounding may make another number
            left = rows.pop("energy remainder", "0"), told.pop("energy remainder", "0")
            assert all(abs(float(each)) < 1e-13 for each in left)
        assert rows == {label: told[label] for label in rows}
        assert len(rows) > 2 or events == "none"


def bouncing(step, engine="steps", restitution=1.0):
    ball = Ball((0, 1.03, 0), (0.1, 0, 0), radius=0.1, restitution=restitution)
    return Simulation([ball], [Plane((0, 0, 0), (0, 1, 0))], (0, -10, 0), step, engine)


def test_steps_too_large_for_the_falls_are_warned_of_once():
    simulation = bouncing(0.05)
    with pytest.warns(UserWarning, match=r"have added .* % to the energy; steps of 0\.00\d would"):
        simulation.run(until=30.0)
    with warnings.catch_warnings(action="error"):
        simulation.run(until=60.0)


@pytest.mark.parametrize(
    ("step", "engine", "restitution"),
    [(0.003, "steps", 1.0), (0.05, "events", 1.0), (0.05, "steps", 0.9)],
)
def test_small_steps_and_whatever_loses_energy_are_not_warned_of(step, engine, restitution):
    simulation = bouncing(step, engine, restitution)
    with warnings.catch_warnings(action="error"):
        simulation.run(until=30.0)


def test_what_the_caller_adds_is_no_gain_of_the_steps():
    simulation = bouncing(0.003)
    with warnings.catch_warnings(action="error"):
        for until in range(1, 20):
            simulation.velocity[:, 0] += 1.0
            simulation.run(until=float(until))


@pytest.mark.compiled_only
@pytest.mark.parametrize("places", [[(0, 0.1, 0)], [(0.3 * k, 0.1, 0) for k in range(20)]])
def test_balls_that_lie_are_not_warned_of_for_the_little_that_steps_lift_them(places):
    # 1e-6 of m·g·r was all the energy there is, and so a gain of 100 %, whatever the step.
    balls = [Ball(place, radius=0.1) for place in places]
    simulation = Simulation(balls, [Plane((0, 0, 0), (0, 1, 0))], (0, -10, 0), 0.0001, "steps")
    with warnings.catch_warnings(action="error"):
        simulation.run(until=1.0)


def test_the_watch_for_gains_asks_for_no_view_that_is_kept_up_to_date():
    # `Simulation.state` gave such views, four times in each run: most of the time of short runs.
    simulation = bouncing(0.003)
    simulation.run(until=0.3)
    gained = simulation._gain
    before = simulation.energy()
    gained._gained = 0.0
    simulation.run(until=3.0)
    assert gained._gained == pytest.approx(simulation.energy() - before, rel=1e-9)
    assert not simulation._engine.state._velocity.is_given


@pytest.mark.parametrize("ratio", [1e3, 1e6])
def test_what_a_heavy_ball_on_a_light_one_loses_is_counted(ratio):
    """In fixed steps to the order of the step: a ball that is stopped there loses energy, too."""
    light = Ball((0, 0.5, 0), radius=0.5, restitution=0.5)
    heavy = Ball((0.01, 1.6, 0), radius=0.5, mass=ratio, restitution=0.5)
    obstacles = [Plane((0, 0, 0), (0, 1, 0)), Cylinder((0, 0, 0), (0, 1, 0), 0.52)]
    simulation = Simulation([light, heavy], obstacles, (0, -9.81, 0), engine="steps", step=0.002)
    before = simulation.energy()
    simulation.run(until=2.0)
    lost = before - simulation.energy()
    assert simulation.tally.dissipated == pytest.approx(lost, rel=0.03)


def test_steps_are_not_blamed_for_what_a_stop_function_gives(recwarn):
    def kick(simulation):
        simulation.velocity[0] *= 2.0

    bouncing(1e-4).run(until=2.0, stop=kick)
    assert not recwarn.list
