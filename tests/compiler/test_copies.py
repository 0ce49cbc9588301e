"""Copies of a simulation need no kernels of their own."""

import copy
import pickle

import pytest

from spheresim.commands.compile import world_of_kind

pytestmark = pytest.mark.compiled_only


@pytest.mark.parametrize("engine", ["events", "steps"])
def test_a_copy_runs_on_the_kernels_of_what_it_is_a_copy_of(engine, monkeypatch):
    # Copies of arrays that could not be written to can be: that made other kernels.
    simulation = world_of_kind("gravity, other obstacles too", engine)
    simulation.run(until=0.01)
    monkeypatch.setattr("numba.core.compiler.compile_extra", None)
    for copied in copy.deepcopy(simulation), pickle.loads(pickle.dumps(simulation)):
        copied.run(until=0.02)
        assert copied.time == 0.02
