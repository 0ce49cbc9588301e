"""No change changes a bit unnoticed: the shipped scenes come to the states that are committed.

In both ways to run the kernels: as machine code, and as plain Python.
"""

import pytest
from state_hashes import MACHINE, cases, recorded, state_hash

from spheresim.compiler.decorators import COMPILED

SLOW_IN_PYTHON = {
    *("bowl", "galton_board", "hourglass", "pile", "pillars", "sieve", "slope"),
    *("table_edge", "tautochrone", "tube_slide"),
}


@pytest.mark.skipif(MACHINE not in recorded(), reason=f"no hashes are recorded for {MACHINE}")
@pytest.mark.parametrize(("scene", "engine"), cases())
def test_the_state_is_the_committed_one_to_the_last_bit(scene, engine):
    if scene in SLOW_IN_PYTHON and not COMPILED:
        pytest.skip("too slow with NUMBA_DISABLE_JIT=1")
    told = "meant so? then run: .venv/bin/python tests/support/state_hashes.py"
    assert state_hash(scene, engine) == recorded()[MACHINE][f"{scene} {engine}"], told


def test_each_machine_has_a_hash_for_each_scene_and_engine():
    for machine, table in recorded().items():
        assert list(table) == [f"{scene} {engine}" for scene, engine in cases()], machine
