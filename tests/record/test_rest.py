"""Runs in which balls come to rest: rows without a partner, the contacts, and going on."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import GAS, run, run_gas, typed
from piles import write_pile

from spheresim import Run, Simulation

pytestmark = pytest.mark.compiled_only
TABLES = ("frames.csv", "events.csv", "contacts.csv", "balls.csv", "scene.toml")


@pytest.fixture(scope="module")
def pile(tmp_path_factory):
    """The folder of the scene, and in it a run of it until all sleep."""
    folder = tmp_path_factory.mktemp("pile")
    source = write_pile(folder / "small_pile.toml")
    assert run(source, folder / "whole", checkpoint_every=0.5) == 0
    return folder


def tables(directory):
    return {name: (directory / name).read_bytes() for name in TABLES}


def test_the_proof_of_rest_is_kept_with_the_run(pile):
    whole = Run.load(pile / "whole")
    n = len(whole.balls)
    assert (whole.info["asleep"], whole.info["sliding"]) == (n, 0)
    assert "contacts.csv" in whole.info["files"]
    text = (pile / "whole" / "contacts.csv").read_text()
    assert '"' not in text
    # The forces of all contacts balance the weight of each ball.
    contacts, gravity = whole.contacts, np.array(whole.scene.gravity)
    push = contacts.force[:, None] * np.stack([contacts.nx, contacts.ny, contacts.nz], axis=1)
    total = whole.balls.mass[:, None] * gravity
    np.add.at(total, contacts.i, push)
    between = contacts.j >= 0
    np.subtract.at(total, contacts.j[between], push[between])
    assert (contacts.force > 0.0).all()
    assert np.abs(total).max() < 1e-9 * whole.balls.mass.sum() * 9.81
    # They are those of the simulation itself.
    simulation = Simulation.load(pile / "small_pile.toml")
    simulation.run(until=8.0)
    for name in contacts.dtype.names:
        assert simulation.contacts[name].tolist() == contacts[name].tolist(), name


def test_rows_of_who_falls_asleep_name_neither_ball_nor_obstacle(pile):
    rows = Run.load(pile / "whole").impacts
    asleep = rows[(rows.kind == "rest") & (rows.obstacle == "")]
    assert len(asleep) > 0
    assert set(asleep.j) == {-1}
    assert (np.diff(rows.t) >= 0.0).all()
    on = rows[(rows.kind == "obstacle") | (rows.kind == "slide")]
    assert "" not in on.obstacle


@pytest.mark.parametrize("until", [0.5, 2.0, 4.0, 7.0])
def test_a_run_that_stops_among_settling_or_sleeping_balls_resumes_to_the_same_bytes(pile, until):
    source, out = pile / "small_pile.toml", pile / f"until {until}"
    assert run(source, out, duration=until, checkpoint_every=0.5) == 0
    assert run(source, out, resume=True, checkpoint_every=0.5) == 0
    assert tables(out) == tables(pile / "whole")
    assert json.loads((out / "run.json").read_text())["asleep"] == 12


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("hold", "support", 77),
        ("hold", "left", -2),
        ("body", "held", 4),
        ("body", "last", 2**40),
        ("rest.first", None, 12),
        ("rest.second", None, -6),
        ("rest.force", None, np.nan),
    ],
)
def test_a_proof_of_rest_that_leads_outside_is_refused(pile, name, field, value):
    simulation = Simulation.load(pile / "small_pile.toml")
    simulation.run(until=8.0)
    forged = simulation.checkpoint()
    array = forged[name] if field is None else forged[name][field]
    array[-1] = value
    before = simulation.position.copy()
    with pytest.raises(ValueError, match="it is damaged"):
        simulation.resume(forged)
    assert np.array_equal(simulation.position, before)
    assert simulation.asleep.all()


def test_the_summary_says_who_rests(pile):
    told = typed("run", "small_pile.toml", "--out", "told", cwd=pile)
    assert "at the end       12 of 12 balls rest\n" in told.stdout


def test_where_nothing_lasts_there_are_no_contacts(folder):
    Path("gas.toml").write_text(GAS)
    assert run(write_pile(), duration=8.0) == 0
    assert Path("out/contacts.csv").exists()
    assert run_gas(force=True) == 0
    assert not Path("out/contacts.csv").exists()
    assert Run.load("out").info["files"].count("contacts.csv") == 0
    assert len(Run.load("out").contacts) == 0
    assert Run.load("out").info["asleep"] == 0
