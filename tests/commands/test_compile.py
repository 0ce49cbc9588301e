"""`spheresim compile`: after it nothing that is shipped compiles any more.

It comes first of all tests, so that these share what it compiles: one process that compiles
everything takes half the time of two that compile a half each, for the parts are the same.
"""

import subprocess
import sys

import pytest
from scene_files import PERIODIC, SHIPPED

from spheresim.commands.compile import WORLDS
from spheresim.compiler.kernel_cache import cache_folder

pytestmark = pytest.mark.compiled_only

RUN_ALL = f"""
import sys
from spheresim import Simulation
from spheresim.compiler import parts

parts.compile_part = None  # whatever compiles now ends with a fault
for name in sys.argv[1:]:
    for engine in ("events",) if name in {PERIODIC!r} else ("events", "steps"):
        simulation = Simulation.load(name, engine=engine)
        simulation.run(until=min(0.05, simulation.scene.duration))
"""


def printed(*command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_after_it_no_shipped_scene_compiles_anything():
    lines = printed("-m", "spheresim", "compile").splitlines()
    assert sum("exact engine: " in line for line in lines) == len(WORLDS)
    assert lines[-1].endswith(" s")
    assert str(cache_folder()) in lines[-1].replace("\n", "")
    printed("-c", RUN_ALL, *SHIPPED)
