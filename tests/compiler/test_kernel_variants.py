"""How many kernels the engines need for worlds of all kinds: docs/compiling.md says which."""

import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scene_files import PERIODIC

from spheresim.commands.compile import world_of_kind
from spheresim.compiler import parts

pytestmark = pytest.mark.compiled_only

COUNT = f"""
from spheresim.commands.compile import WORLDS, world_of_kind
from spheresim.engines.event_driven import advance as events
from spheresim.engines.time_stepping import advance as steps
from spheresim.scene import shipped_scenes
from spheresim.simulation import Simulation

def counted(make):
    for engine in ("events", "steps"):
        make(engine)
    return len(events.advance.signatures), len(steps.advance.signatures)

def scenes(engine):
    for name in shipped_scenes():
        if engine == "events" or name not in {PERIODIC!r}:
            Simulation.load(name, engine=engine).compile()

def kinds(engine):
    for kind, world in WORLDS.items():
        if engine == "events" or "box" not in world:
            world_of_kind(kind, engine).compile()

print(*counted(scenes), *counted(kinds))
"""


def test_no_more_kernels_than_the_documents_say():
    done = subprocess.run(
        [sys.executable, "-c", COUNT], capture_output=True, text=True, check=True
    ).stdout
    of_scenes, of_all = (tuple(map(int, pair.split())) for pair in re.findall(r"\d+ \d+", done))
    assert of_scenes == (9, 7)  # no shipped scene falls in a periodic box
    table = (Path(__file__).parents[2] / "docs/compiling.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\| (\d+) \| (\d|not possible) \|$", table, re.MULTILINE)
    assert of_all == (len(rows), sum(steps.isdigit() for _, steps in rows))


@pytest.mark.parametrize("engine", ["events", "steps"])
def test_a_copy_runs_on_the_kernels_of_what_it_is_a_copy_of(engine, monkeypatch):
    # Copies of arrays that could not be written to can be: that made other kernels.
    simulation = world_of_kind("gravity, other obstacles too", engine)
    simulation.run(until=0.01)
    monkeypatch.setattr(parts, "compile_part", None)
    for copied in copy.deepcopy(simulation), pickle.loads(pickle.dumps(simulation)):
        copied.run(until=0.02)
        assert copied.time == 0.02
