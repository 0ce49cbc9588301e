"""Each bug that was ever found, as a scene with what must come of it, and the reason above it.

A case is a scene in `cases/` that opens with a comment: what went wrong, and why the answer
below is the right one. Its lines `#: ` are a table in TOML of what must come of it:

engines           each of which has to come to the same
until, stop_after the time to which it runs (default: the scene's duration), or so many impacts
time              the time then
impacts           the first impacts, and if there are none, none at all: time, ball, with what
most_impacts      there are no more
position, velocity, position_x, velocity_x …   of balls, by their names
energy_kept       by what part the energy may differ from that at the start
energy_accounted  likewise, with what restitution took added
energy_below      what part of the energy is left at most
momentum          in all
refused           a word of the sentence with which the scene is refused
compiled_only     true where it would take minutes with NUMBA_DISABLE_JIT=1
within            how much times, places and velocities may differ, 1e-9 by default
"""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from spheresim import Simulation
from spheresim.scene import SceneError

FOLDER = Path(__file__).parent / "cases"


def expected_of(path):
    """The table in a case's comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tomllib.loads("\n".join(line[2:] for line in lines if line.startswith("#:")))


def cases():
    """Every case with every engine that it names."""
    for path in sorted(FOLDER.glob("*.toml")):
        expected = expected_of(path)
        marks = [pytest.mark.compiled_only] if expected.get("compiled_only") else []
        for engine in expected["engines"]:
            yield pytest.param(path, engine, id=f"{path.stem}-{engine}", marks=marks)


def names_of(simulation, row):
    """The two that met in an impact."""
    names = [ball.name for ball in simulation.scene.balls]
    return [names[row["i"]], row["obstacle"] or names[row["j"]]]


def check_impacts(simulation, expected, within):
    rows = [row for row in simulation.impacts if row["kind"] in ("ball", "obstacle")]
    assert (len(rows) == 0) == (expected == [])
    for row, (time, *names) in zip(rows, expected, strict=False):
        assert row["t"] == pytest.approx(time, abs=within)
        assert names_of(simulation, row) == names
    assert len(rows) >= len(expected)


def check_energy(simulation, start, expected):
    now = simulation.energy()
    if "energy_kept" in expected:
        assert now == pytest.approx(start, rel=expected["energy_kept"])
    if "energy_accounted" in expected:
        accounted = now + simulation.tally.dissipated
        assert accounted == pytest.approx(start, rel=expected["energy_accounted"])
    if "energy_below" in expected:
        assert now < expected["energy_below"] * start


def check_state(simulation, expected, within):
    names = [ball.name for ball in simulation.scene.balls]
    arrays = {"position": simulation.position, "velocity": simulation.velocity}
    for what in ("position", "velocity"):
        arrays |= {f"{what}_{axis}": arrays[what][:, k] for k, axis in enumerate("xyz")}
    for what in arrays.keys() & expected.keys():
        for name, numbers in expected[what].items():
            found = arrays[what][names.index(name)]
            assert found == pytest.approx(numbers, abs=within), (what, name)
    for what in {"time", "momentum"} & expected.keys():
        found = simulation.time if what == "time" else simulation.momentum()
        assert np.asarray(found) == pytest.approx(np.asarray(expected[what]), abs=within)


@pytest.mark.parametrize(("path", "engine"), list(cases()))
def test_what_once_went_wrong_goes_right(path, engine):
    expected = expected_of(path)
    if "refused" in expected:
        with pytest.raises(SceneError, match=expected["refused"]):
            Simulation.load(path, engine=engine)
        return
    simulation = Simulation.load(path, engine=engine)
    simulation.compile()
    start, within = simulation.energy(), expected.get("within", 1e-9)
    until = expected.get("until", simulation.scene.duration)
    simulation.run(until=until, impacts=expected.get("stop_after"))
    if "impacts" in expected:
        check_impacts(simulation, expected["impacts"], within)
    assert len(simulation.impacts) <= expected.get("most_impacts", np.inf)
    check_energy(simulation, start, expected)
    check_state(simulation, expected, within)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_case_says_why_and_expects_only_what_is_checked(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    reason = [line for line in lines if line.startswith("# ")]
    assert len(" ".join(reason)) > 100
    described = __doc__.replace(",", " ").split()
    for key in expected_of(path):
        assert re.sub("_[yz]$", "_x", key) in described, key
