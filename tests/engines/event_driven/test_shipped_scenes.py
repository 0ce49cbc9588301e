"""Every shipped scene through the exact engine."""

import pytest

from spheresim import Simulation
from spheresim.scene.find import shipped_scenes

ONLY_COMPILED = pytest.mark.compiled_only
LONG = {
    "bowl",
    "galton_board",
    "gas_in_a_box",
    "lorentz_gas",
    "pillars",
    "pinball",
    "slope",
    "table_edge",
    "tautochrone",
    "tube_slide",
}


HEAPS = {"hourglass", "pile"}
"""What takes minutes."""


def marks_of(name):
    if name in HEAPS:
        return [ONLY_COMPILED, pytest.mark.study]
    return [ONLY_COMPILED] if name in LONG else []


@pytest.mark.parametrize("name", [pytest.param(n, marks=marks_of(n)) for n in shipped_scenes()])
@pytest.mark.cases(3)
def test_it_runs_to_its_end(name):
    """In pillars, balls slide down cylinders: once, one jammed where its bounces had died away."""
    simulation = Simulation.load(name, engine="events")
    simulation.advance(simulation.scene.duration)
    assert simulation.fault is None
    assert simulation.time == simulation.scene.duration
    assert simulation.tally.deepest_overlap < 1e-12
