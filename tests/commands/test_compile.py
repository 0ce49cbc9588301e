"""`spheresim compile`: after it nothing that is shipped compiles any more, nor any kind of world.

It comes first of all tests, so that these share what it compiles: one process that compiles
everything takes half the time of two that compile a half each, for the parts are the same.
"""

import re
from pathlib import Path

import pytest
from command_line import python
from scene_files import PERIODIC, SHIPPED

from spheresim.commands.compile import WORLDS, world_of_kind
from spheresim.compiler.kernel_cache import cache_folder

pytestmark = pytest.mark.compiled_only

RARE = ["gravity, periodic box", "harmonic trap", "an acceleration of each ball"]
"""Kinds of worlds that `make test` runs as plain Python: their kernels take a sixth of the time of
all."""

COMPILE = """
import sys
from spheresim.__main__ import main
from spheresim.commands.compile import WORLDS
for kind in sys.argv[1:]:
    del WORLDS[kind]
sys.argv[1:] = ["compile"]
main()
"""

RUN_ALL = f"""
import sys
from numba.core import compiler
from spheresim import Simulation
from spheresim.commands.compile import WORLDS, has_own_kernels, world_of_kind
from spheresim.engines.event_driven import advance as events
from spheresim.engines.time_stepping import advance as steps

def print_count():
    print(len(events.advance.signatures), len(steps.advance.signatures))

compiler.compile_extra = None  # whatever compiles now ends with a fault
for kind in filter(None, sys.argv[1].split("; ")):
    del WORLDS[kind]
for name in sys.argv[2:]:
    for engine in ("events",) if name in {PERIODIC!r} else ("events", "steps"):
        simulation = Simulation.load(name, engine=engine)
        simulation.run(until=min(0.05, simulation.scene.duration))
print_count()
for kind in WORLDS:
    for engine in ("events", "steps"):
        if has_own_kernels(kind, engine):
            world_of_kind(kind, engine).compile()
print_count()
"""


def printed(*command):
    done = python(*command)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("without", [RARE, pytest.param([], marks=pytest.mark.thorough)])
def test_after_it_no_shipped_scene_compiles_anything(without):
    lines = printed("-c", COMPILE, *without).splitlines()
    assert sum("exact engine: " in line for line in lines) == len(WORLDS) - len(without)
    assert lines[-1].endswith(" s")
    assert str(cache_folder()) in lines[-1].replace("\n", "")

    # How many kernels worlds need, docs/compiling.md says.
    of_scenes, of_all = (
        tuple(map(int, line.split()))
        for line in printed("-c", RUN_ALL, "; ".join(without), *SHIPPED).splitlines()
    )
    assert of_scenes == (9, 7)  # no shipped scene falls in a periodic box
    table = (Path(__file__).parents[2] / "docs/compiling.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\| (\d+) \| (\d|as 1|not possible) \|$", table, re.MULTILINE)
    assert of_all == (len(rows) - len(without), sum(steps.isdigit() for _, steps in rows))


def test_each_kind_of_world_has_kernels_of_its_own():
    """Of straight flight among other obstacles only shipped scenes compiled any: as impacts took
    energy, balls were pressed onto what is bent, as under gravity."""
    kinds = WORLDS.keys() - {*RARE}
    environments = [world_of_kind(kind, "events")._engine._environment for kind in kinds]
    parts = {(*map(type, each), type(each.obstacles.features)) for each in environments}
    assert len(parts) == len(kinds)
