"""The Lorentz gas: what is known exactly of it, and its diffusion, a published number."""

import math

import numpy as np
import pytest
from lorentz import (
    diffusion,
    diffusion_by_map,
    flown_time,
    hops,
    lorentz_gas,
    machta_zwanzig,
    mean_free_time,
    residence_time,
)

from spheresim import Simulation

pytestmark = pytest.mark.compiled_only


@pytest.mark.parametrize(("gap", "cells"), [(0.3, 1), (0.3, 7), (0.05, 2)])
def test_points_hit_discs_and_leave_pockets_as_often_as_they_must(gap, cells):
    gas = lorentz_gas(400, gap, seed=1, cells=cells)
    gas.run(until=60)
    flights = len(gas.impacts) - len(gas.balls)
    assert gas.tally.ball_impacts == 0
    assert flown_time(gas) / flights == pytest.approx(mean_free_time(gap), rel=0.01)
    expected = flown_time(gas) / residence_time(gap)
    assert hops(gas, gap) == pytest.approx(expected, abs=5.0 * math.sqrt(expected))
    assert np.linalg.norm(gas.velocity, axis=1) == pytest.approx(1.0, abs=1e-12)
    assert gas.tally.deepest_overlap == 0.0


@pytest.mark.thorough
def test_points_diffuse_as_published():
    """At a gap of .3 with D = .25, and ever more as Machta and Zwanzig say as it closes."""
    wide, narrow = (diffusion(lorentz_gas(1000, w, seed=2), 200.0, 4) for w in (0.3, 0.1))
    assert abs(wide.mean - 0.25) < 4.0 * wide.error < 0.02
    assert wide.mean > 1.3 * machta_zwanzig(0.3)
    assert narrow.mean == pytest.approx(machta_zwanzig(0.1), rel=0.1)


def test_the_shipped_gas_is_that_of_the_test():
    gas = Simulation.load("lorentz_gas", engine="events")
    gas.run(until=gas.scene.duration)
    assert gas.tally.ball_impacts == 0
    flights = len(gas.impacts) - len(gas.balls)
    assert flown_time(gas) / flights == pytest.approx(mean_free_time(0.3), rel=0.05)
    assert np.ptp(gas.position, axis=0)[:2].min() > 10.0  # beyond the box, unwrapped
    assert gas.position[:, 2] == pytest.approx(0.1 + 0.2 * np.arange(16), abs=1e-12)


@pytest.mark.study
@pytest.mark.parametrize("gap", [0.3, 0.2, 0.1, 0.05, 0.02])
def test_diffusion_is_that_of_a_map_of_discs_in_the_plane(gap):
    ours = diffusion(lorentz_gas(2000, gap, seed=3), 400.0, 4)
    theirs = diffusion_by_map(1000, gap, 4, 100.0)
    ratio = ours.mean / machta_zwanzig(gap)
    print(f"w = {gap}: D = {ours}, of the map {theirs}, over Machta and Zwanzig's {ratio:.3f}")
    assert abs(ours.mean - theirs.mean) < 3.5 * math.hypot(ours.error, theirs.error)
    assert gap > 0.1 or 0.88 < ratio < 1.0
