"""Crossings of gates: against closed forms, against dense samples, and as a scene's counts."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from command_line import run
from scene_files import BALL, faults_of

from spheresim import (
    Ball,
    Box,
    Cuboid,
    Fill,
    Gate,
    HarmonicTrap,
    Obstacle,
    Plane,
    Simulation,
    Thermal,
    Thermostat,
)
from spheresim.scene import SceneError, load_scene, write_scene

SIDE = 8.0
REGION = {"low": (0, 0, 0), "high": (SIDE,) * 3}
ENGINES = pytest.mark.parametrize("engine", ["events", "steps"])


def in_room(engine, count=40, restitution=1.0, **options):
    fill = Fill(count=count, radius=0.4, region=REGION, temperature=2, seed=1)
    walls = [Obstacle(Cuboid((SIDE / 2,) * 3, (SIDE,) * 3), restitution)]
    return Simulation(fill, walls, engine=engine, step=0.01, **options)


def sampled_crossings(simulation, height, until, step):
    """Forward and backward crossings of y = height, from dense samples of all positions."""
    forward = backward = 0
    above = simulation.position[:, 1] >= height
    for k in range(1, round(until / step) + 1):
        simulation.run(until=k * step)
        now = simulation.position[:, 1] >= height
        forward, backward = forward + (now & ~above).sum(), backward + (above & ~now).sum()
        above = now
    return forward, backward


def test_a_ball_crosses_a_gate_on_its_way_up_and_down_when_the_formula_says():
    ball = Ball((0, 0, 0), (0.5, 5, 0), radius=0.1)
    simulation = Simulation(ball, gravity=(0, -10, 0), engine="events")
    up, down = (5 - math.sqrt(5)) / 10, (5 + math.sqrt(5)) / 10
    edges = [0, up - 1e-12, up + 1e-12, down - 1e-12, down + 1e-12, 9]
    counts = simulation.count_crossings(Gate((0, 1, 0), (0, 2, 0)), of="t", bins=edges)
    disc = simulation.count_crossings(Gate((0, 1, 0), (0, 1, 0), radius=0.3))
    speeds = simulation.count_crossings(Gate((0, 1, 0), (0, 1, 0)), of="vn", bins=[-9, 0, 9])
    for time in (0.1, 0.5, 1.0):  # it turns back at 0.5, beyond the gate
        simulation.run(until=time)
    assert counts["ball"].forward_histogram.tolist() == [0, 1, 0, 0, 0]
    assert counts["ball"].backward_histogram.tolist() == [0, 0, 0, 1, 0]
    assert disc["ball"][:2] == (1, 0)  # on its way down it has gone 0.36 aside
    assert speeds["ball"].forward_histogram.tolist() == [0, 1]
    assert speeds["ball"].backward_histogram.tolist() == [1, 0]


@ENGINES
@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("space", ["open", "periodic"])
def test_a_crossing_at_the_end_of_a_run_counts_once(engine, way, space):
    """Two formulas for the same place differ by rounding errors, on either side of the gate."""
    if (engine, space) == ("steps", "periodic"):
        pytest.skip("only the exact engine has periodic boxes")
    box = (64, 64, 64) if space == "periodic" else None
    for speed in (0.5, 0.7, 1, 2, 3):
        for end in (1, 2, 3, 6, 10):
            ball = Ball((-3 * way, 0, 0), (speed * way, 0, 0), radius=1)
            simulation = Simulation(ball, engine=engine, box=box)
            gate = Gate((way * (speed * end - 3), 0, 0), (1, 0, 0))
            counts = simulation.count_crossings(gate, of="vn", bins=[-5, 0, 5])
            for until in (end, end, end + 0.3, end + 4):
                simulation.run(until=until)
            found = counts["ball"]
            assert found[:2] == ((1, 0) if way > 0 else (0, 1)), (speed, end)
            assert found.forward_histogram.tolist() == [0, found.forward]
            assert found.backward_histogram.tolist() == [found.backward, 0]


def test_a_ball_that_a_wall_turns_back_at_a_gate_does_not_cross_it():
    for x in (0.1, 0.7, 1.3, 2.1):
        wall = Plane((x + 0.5, 0, 0), (-1, 0, 0))
        simulation = Simulation(Ball((-3, 0, 0), (0.7, 0, 0), radius=0.5), [wall], engine="events")
        counts = simulation.count_crossings(Gate((x, 0, 0), (1, 0, 0)))
        simulation.run(until=20)
        assert simulation.tally.impacts == 1
        assert counts["ball"][:2] == (0, 0)


def test_a_count_goes_on_from_a_checkpoint_at_a_gate():
    def made():
        simulation = Simulation(Ball((-3, 0, 0), (0.7, 0, 0), radius=1), engine="events")
        return simulation, simulation.count_crossings(Gate((0.5, 0, 0), (1, 0, 0)))

    for end in (4.9, 5.0, 5.1):
        first, counts = made()
        first.counts["gate"] = counts
        first.run(until=end)
        again, resumed = made()
        again.counts["gate"] = resumed
        again.resume(first.checkpoint())
        again.run(until=9)
        assert resumed["ball"][:2] == (1, 0)


def test_with_fixed_steps_crossings_are_those_of_the_path_that_they_make():
    ball = Ball((0, 0, 0), (0, 5, 0), radius=0.1)
    floor = Plane((0, -0.5, 0), (0, 1, 0))
    counted = Simulation(ball, [floor], (0, -10, 0), engine="steps", step=0.01)
    counts = counted.count_crossings(
        Gate((0, 1, 0), (0, 1, 0)), of="t", bins=np.linspace(0, 3, 3001)
    )
    for time in (0.283, 3.0):  # the first ends inside a step
        counted.run(until=time)
    path = Simulation(ball, [floor], (0, -10, 0), engine="steps", step=0.01)
    path.run(until=0.283)
    times, heights = [0.0, 0.28, 0.283], [0.0, np.nan, path.position[0, 1]]
    found = counts["ball"]
    for k in range(1, 273):
        path.run(until=min(3.0, 0.283 + 0.01 * k))
        times.append(path.time)
        heights.append(float(path.position[0, 1]))
    above = np.array(heights[2:]) >= 1.0
    assert found.forward == 1 + (above[1:] & ~above[:-1]).sum() > 2
    assert found.backward == (above[:-1] & ~above[1:]).sum()
    k = 2 + np.flatnonzero(above[1:] != above[:-1])
    a, b = np.array(heights)[k], np.array(heights)[k + 1]
    exact = np.array(times)[k] + 0.01 * (1.0 - a) / (b - a)
    bins = np.flatnonzero(found.forward_histogram + found.backward_histogram)
    assert bins[-3:] == pytest.approx(np.floor(exact[-3:] * 1000), abs=0)


@pytest.mark.compiled_only
def test_the_flux_in_a_gas_is_a_quarter_of_its_density_times_its_mean_speed():
    n, temperature, mass, until = 800, 2.0, 0.5, 12.0
    fill = Fill(count=n, radius=0.1, region=REGION, mass=mass, temperature=temperature, seed=3)
    simulation = Simulation(fill, box=Box(size=(SIDE,) * 3))
    simulation.keep_impacts(False)
    simulation.run(until=2.0)
    edges = np.linspace(0, 12, 25)
    counts = simulation.count_crossings(
        Gate((SIDE / 2,) * 3, (1, 0, 0)), simulation.world.radius.tolist(), of="vn", bins=edges
    )
    disc = simulation.count_crossings(Gate((1, 2, 3), (0, 1, 0), radius=2.0))
    start = np.floor((simulation.position[:, 0] - SIDE / 2) / SIDE)
    simulation.run(until=2.0 + until)
    mean_speed = math.sqrt(8 * temperature / (math.pi * mass))
    flux = n / SIDE**3 * mean_speed / 4
    found = counts[0.1]
    expected = flux * SIDE**2 * until
    assert found.forward == pytest.approx(expected, abs=3 * math.sqrt(expected))
    assert disc["ball"].backward == pytest.approx(
        flux * math.pi * 4 * until, abs=3 * math.sqrt(flux * math.pi * 4 * until)
    )
    end = np.floor((simulation.position[:, 0] - SIDE / 2) / SIDE)
    assert found.net == (end - start).sum()
    # Of those that pass, the density of the velocity is (m·v/kT)·exp(−m·v²/2kT).
    below = 1.0 - np.exp(-0.5 * mass * edges**2 / temperature)
    part = np.cumsum(found.forward_histogram) / found.forward
    assert np.abs(part - below[1:]).max() < 1.95 / math.sqrt(found.forward)  # Kolmogorov, 0.1 %


@pytest.mark.compiled_only
def test_both_engines_count_the_same():
    found = []
    for engine in ("events", "steps"):
        simulation = in_room(engine)
        colors = ["even" if k % 2 == 0 else "odd" for k in range(40)]
        gate = Gate((4, 4, 4), (1, 2, 0.5))
        counts = simulation.count_crossings(gate, colors, of="t", bins=np.linspace(0, 4, 401))
        for time in (0.5, 1.21, 4.0):
            simulation.run(until=time)
        found.append([tuple(part.tolist() if k > 1 else part for k, part in enumerate(counts[kind]))
                      for kind in ("even", "odd")])  # fmt: skip
        assert simulation.tally.ball_impacts > 10
    assert found[0] == found[1]
    assert min(found[0][0][:2]) > 3


@pytest.mark.compiled_only
@pytest.mark.parametrize("what", ["thermostat", "warm walls", "gravity"])
def test_what_is_counted_is_what_dense_samples_show(what):
    """They miss a ball only if it goes there and back between two of them."""
    options = {"gravity": (0, -3, 0)} if what == "gravity" else {}
    if what == "thermostat":
        options = {"thermostat": Thermostat(3.0, 2.0)}

    def made():
        if what != "warm walls":
            return in_room("events", 20, 0.8 if what == "gravity" else 1.0, **options)
        walls = [
            Obstacle(Plane((0, y, 0), (0, 1 - y / 4, 0)), thermal=Thermal(2.0, seed=y))
            for y in (0, 8)
        ]
        balls = [Ball((k, 4.5, 0), (0, 1, 0), radius=0.4) for k in range(8)]
        return Simulation(balls, walls, engine="events")

    simulation, until = made(), 15.0 if what == "warm walls" else 4.0
    counts = simulation.count_crossings(Gate((0, 4, 0), (0, 1, 0)))
    simulation.run(until=until)
    expected = sampled_crossings(made(), 4.0, until, 0.002)
    assert counts["ball"][:2] == expected
    assert min(expected) > 1


@pytest.mark.compiled_only
def test_balls_that_come_to_lie_below_a_gate_have_crossed_it_once():
    floor = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.3)
    balls = [Ball((0.05 * k, 2 + 2 * k, 0), radius=0.5, restitution=0.3) for k in range(3)]
    simulation = Simulation(balls, [floor], (0, -10, 0), engine="events")
    counts = simulation.count_crossings(Gate((0, 1.3, 0), (0, -1, 0)))
    simulation.run(until=4.0)
    simulation.run(until=9.0)
    assert (simulation.asleep | simulation.sliding).any()
    assert counts["ball"].net == (simulation.position[:, 1] < 1.3).sum() == 3


@pytest.mark.thorough
def test_a_galton_board_counts_its_balls_into_bins():
    simulation = Simulation.load("galton_board", engine="events")
    edges = np.linspace(-3.5, 3.5, 8)
    counts = simulation.count_crossings(Gate((0, -5.6, 0), (0, -1, 0)), of="x", bins=edges)
    simulation.run(until=7.0)
    found, x, y = counts["ball"], *simulation.position[:, :2].T
    net = found.forward_histogram - found.backward_histogram
    assert net.tolist() == np.histogram(x[y < -5.6], edges)[0].tolist()
    assert net.sum() == found.net == (y < -5.6).sum()
    # Six rows of pegs: the variance of a binomial distribution is 6/4 bins.
    middle = 0.5 * (edges[1:] + edges[:-1])
    variance = (net * middle**2).sum() / net.sum() - ((net * middle).sum() / net.sum()) ** 2
    standard_error = math.sqrt(2.0 / (net.sum() - 1))  # of a variance, relative to it
    assert variance == pytest.approx(1.5, rel=3.0 * standard_error)


SCENE = """
duration = 3
frame_every = 0.5
engine = "events"
[box]
size = [8, 8, 8]
[[fill]]
count = 60
radius = 0.4
temperature = 2
color = "red"
[[fill]]
count = 20
radius = 0.5
temperature = 2
[[count]]
name = "flux"
gate = { point = [4, 4, 4], normal = [1, 0, 0], radius = 3 }
kinds = "color"
of = "vn"
bins = [-5, 0, 5]
[[count]]
name = "impacts"
kinds = "color"
of = "vn_before"
bins = [-9, -2, 0]
[[count]]
name = "all"
"""


@pytest.fixture
def scene_file(folder):
    Path("gas.toml").write_text(SCENE)
    return "gas.toml"


def counted(directory):
    return json.loads(Path(directory, "run.json").read_text())["counts"]


@pytest.mark.compiled_only
def test_a_scene_counts_into_run_json_and_a_resumed_run_counts_on(scene_file):
    assert run(scene_file, "whole") == 0
    flux, impacts, everything = counted("whole")
    assert [flux["name"], impacts["name"], everything["name"]] == ["flux", "impacts", "all"]
    simulation = Simulation.load(scene_file)
    simulation.run(until=3.0)
    red = simulation.counts["flux"]["#ff0000"]
    assert flux["bins"] == [-5, 0, 5]
    assert flux["kinds"][0] == {
        "of": "#ff0000",
        "forward": red.forward,
        "backward": red.backward,
        "forward_histogram": [0, red.forward],
        "backward_histogram": [red.backward, 0],
    }
    assert [row["of"] for row in impacts["pairs"]] == [
        ["#ff0000", "#ff0000"],
        ["#ff0000", "ball"],
        ["ball", "ball"],
    ]
    assert sum(row["impacts"] for row in impacts["pairs"]) == simulation.tally.ball_impacts
    assert everything["pairs"][0]["impulse"] == pytest.approx(simulation.impacts.impulse.sum())
    # Without a table of impacts, and from a checkpoint.
    assert run(scene_file, "none", events="none") == 0
    assert counted("none")[0] == flux
    assert run(scene_file, checkpoint_every=0.7, until_impacts=40) == 0
    assert run(scene_file, checkpoint_every=0.7, resume=True) == 0
    assert counted("out")[0] == flux
    assert [row["impacts"] for row in counted("out")[1]["pairs"]] == [
        row["impacts"] for row in impacts["pairs"]
    ]


def test_counts_are_written_with_their_scene(scene_file, tmp_path):
    scene = load_scene(scene_file)
    write_scene(scene, tmp_path / "again")
    assert load_scene(tmp_path / "again/scene.toml").counts == scene.counts
    assert scene.counts[0].gate == Gate((4, 4, 4), (1, 0, 0), 3.0)


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("", "count[0].name: is missing, expected is text in quotes"),
        ('name = "a"\nof = "t"', "count[0]: cannot be: a histogram needs both of, a column, and "
         "bins, its edges"),
        ('name = "a"\nof = "vn"\nbins = [0, 1]', "count[0]: cannot be: of must be one of t, x, y, "
         "z, nx, ny, nz, vn_before, vn_after, impulse, not 'vn'"),
        ('name = "a"\ngate = { normal = [1, 0, 0] }', "count[0].gate.point: is missing, expected "
         "is three numbers, [x, y, z]"),
        ('name = "a"\nof = "t"\nbins = [1, 0]', "count[0]: cannot be: bins must be two or more "
         "edges that increase, not (1.0, 0.0)"),
        ('name = "a"\n[[count]]\nname = "a"', 'count[1].name: must be that of no other count, but '
         'count[0] is "a" too'),
    ],
)  # fmt: skip
def test_a_wrong_count_is_one_fault_in_one_sentence(table, fault, folder):
    Path("room.toml").write_text(f"duration = 1\n{BALL}[[count]]\n{table}\n")
    assert faults_of("room.toml") == [f"room.toml: {fault}"]


@pytest.mark.parametrize("kinds", ["color", "material"])
def test_kinds_that_no_ball_has_are_told(kinds, scene_file):
    Path(scene_file).write_text(SCENE.replace('kinds = "color"', f'kinds = "{kinds}"'))
    what = f'kinds: is "{kinds}", but no ball has a {kinds}: all are counted as one kind'
    told = [f"{scene_file}: count[{index}].{what}" for index in (0, 1)]
    assert load_scene(scene_file).warnings == (() if kinds == "color" else tuple(told))


def test_a_scene_whose_gates_no_engine_can_follow_is_told_in_one_sentence(scene_file):
    oblique = SCENE.replace("normal = [1, 0, 0], radius = 3", "normal = [1, 1, 0]")
    Path(scene_file).write_text(oblique)
    with pytest.raises(SceneError, match=r"gas.toml: cannot be run: a gate in a periodic box must"):
        Simulation.load(scene_file)


def test_gates_of_which_nothing_is_known_are_told():
    gate, ball = Gate((0, 0, 0), (1, 0, 0)), Ball((1, 1, 1), radius=0.1)
    floor = Obstacle(Plane((0, 0, 0), (0, 1, 0)), 0.5)
    for simulation, sentence in (
        (Simulation(ball, field=HarmonicTrap(1.0), engine="events"), "not counted in a trap"),
        (Simulation(ball, [floor], (0, -1, 0)), '"steps" where balls can lie still'),
        (Simulation(ball, thermostat=Thermostat(1, 1), engine="steps"), "a heat bath"),
        (Simulation(ball, box=Box(size=(9, 9, 9), shear_rate=0.1)), "in a sheared box"),
    ):
        with pytest.raises(ValueError, match=sentence):
            simulation.count_crossings(gate)
    periodic = Simulation(ball, box=(9, 9, 9))
    with pytest.raises(ValueError, match=r"along a periodic axis, or perp.*, not \("):
        periodic.count_crossings(Gate((0, 0, 0), (1, 1, 0)))
    with pytest.raises(ValueError, match="kinds must be one for each of 1 balls, not 2"):
        periodic.count_crossings(gate, ["a", "b"])
    with pytest.raises(KeyError, match="a kind is one of"):
        _ = periodic.count_crossings(gate)["red"]
    with pytest.raises((TypeError, ValueError), match="a gate's normal"):
        Gate((0, 0, 0), (0, 0, 0))
