"""Runs of every kind of world are resumed to the same bytes, and read back at any time."""

import json
from pathlib import Path

import pytest
from command_line import contents, run
from kinds_of_scenes import RARE, SCENES

from spheresim import Run, Simulation

KINDS = pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.rare_kernels if kind in RARE else ()) for kind in SCENES],
)
EXACT_IN_STEPS = {"trap", "accelerations", "rough"}
OF_THE_MACHINE = {"wall_seconds", "cpu_seconds", "compile_seconds", "impacts_per_second"}


@pytest.fixture(autouse=True)
def _in_a_folder(folder):
    for kind, text in SCENES.items():
        Path(f"{kind}.toml").write_text(text)


def written(directory):
    """The tables of a run, and what its `run.json` says of the world."""
    files = contents(directory)
    tables = {name: text for name, text in files.items() if name.endswith((".csv", ".toml"))}
    info = json.loads(files["run.json"])
    return tables, {name: info[name] for name in info.keys() - OF_THE_MACHINE - {"files"}}


@KINDS
def test_a_run_that_is_resumed_writes_the_same_bytes(kind):
    words = {"engine": "events", "checkpoint_every": 0.5}
    assert run(f"{kind}.toml", "whole", engine="events") == 0
    assert run(f"{kind}.toml", until_impacts=2, **words) == 0
    assert run(f"{kind}.toml", resume=True, **words) == 0
    tables, info = written("out")
    assert (tables, info) == written("whole")
    assert info["impacts"] > 0
    assert abs(info["energy_remainder"]) < 1e-9 * info["energy_end"]


@KINDS
@pytest.mark.parametrize("engine", ["events", "steps"])
def test_a_run_is_read_back_at_any_time_as_it_was_simulated(kind, engine):
    if engine == "steps" and kind not in EXACT_IN_STEPS:
        pytest.skip("between frames it is near only, or no such run is possible")
    assert run(f"{kind}.toml", engine=engine) == 0
    simulation, replayed = Simulation.load(f"{kind}.toml", engine=engine), Run.load("out")
    assert replayed.info["energy_start"] == simulation.energy()
    for time in (0.0, 0.03, 0.41, 0.5, 0.77, 1.23, 1.99):
        simulation.run(until=time)
        there = replayed.at(simulation.time)
        assert there.position == pytest.approx(simulation.position, abs=1e-9)
        assert there.velocity == pytest.approx(simulation.velocity, abs=1e-9)
        if simulation.angular_velocity is not None:
            spins = simulation.angular_velocity
            assert there.angular_velocity == pytest.approx(spins, rel=1e-10)
