"""Rows of neighbours are those whose neighbourhoods touch, in every kind of space."""

import math

import numpy as np
import pytest
from worlds import Setup, box, gas, set_up_events

from spheresim.broadphase.sphere_grids.cell_list import insert, remove, wrap_to_grid
from spheresim.broadphase.sphere_grids.cell_search import search
from spheresim.engines.event_driven.engine import Events
from spheresim.engines.event_driven.engine_state import OVERFLOW, ROW, ROW_CAPACITY, centre_of
from spheresim.engines.event_driven.neighbour_lists import (
    _next_margin,
    copy_old_neighbours,
    has_overflowed,
    neighbour_count,
)
from spheresim.model.balls import Ball
from spheresim.model.state import Box, build
from spheresim.numerics.vector import TVector

pytestmark = pytest.mark.compiled_only


def touching(setup, side, slack):
    """Pairs whose neighbourhoods touch, or would if their distance were less by a factor."""
    state = setup.engine._engine_state
    centre = np.stack([state.event.centre_x, state.event.centre_y, state.event.centre_z], 1)
    reach = state.ball.radius + state.event.margin
    d = centre[:, None] - centre[None]
    if side is not None:
        d -= side * np.rint(d / side)
    touch = np.sqrt((d**2).sum(axis=2)) <= (reach[:, None] + reach[None]) * slack
    np.fill_diagonal(touch, False)
    return touch


def rows(setup):
    state = setup.engine._engine_state
    n = len(state.ball)
    known = np.zeros((n, n), dtype=bool)
    for i in range(n):
        first = i * ROW + 1
        known[i, state.row[first : first + neighbour_count(state, i)]] = True
    return known, np.array([has_overflowed(state, i) for i in range(n)])


def counts(setup):
    state = setup.engine._engine_state
    return np.array([neighbour_count(state, i) for i in range(len(state.ball))])


@pytest.mark.parametrize("radii", [(0.45, 0.45), (0.1, 0.1), (0.2, 0.45), (0.01, 0.49)])
@pytest.mark.parametrize("side", [None, 8.0])
def test_a_row_holds_all_whose_neighbourhoods_touch(radii, side):
    walls = box(8.0) if side is None else []
    setup = set_up_events(gas(8, 1, radii=radii), walls, side=side)
    for t in (0.0, 0.1, 1.0, 4.0):
        setup.engine.run(t)
        known, crowded = rows(setup)
        surely = touching(setup, side, 1.0 - 1e-5)
        assert known[~crowded][surely[~crowded]].all()
        # And none twice, nor many whose neighbourhoods are far from touching.
        assert (known.sum(axis=1) == counts(setup)).all()
        if radii[0] == radii[1]:
            assert not (known & ~touching(setup, side, 1.0 + 7e-4)).any()


@pytest.mark.parametrize("seed", range(1, 5))
def test_two_balls_are_in_each_others_rows_after_one_was_crowded(seed):
    """A crowded ball takes those that its coarse copy touched for balls that list it already."""
    setup = set_up_events(gas(8, seed, radii=(0.01, 0.49)), box(8.0))
    was_crowded = np.False_
    for t in np.linspace(0.0, 4.0, 21):
        setup.engine.run(t)
        known, crowded = rows(setup)
        was_crowded |= crowded.any()
        once = known & ~known.T
        assert not once[~crowded][:, ~crowded].any()
        assert known[~crowded][touching(setup, None, 1.0 - 1e-5)[~crowded]].all()
    assert was_crowded


@pytest.mark.parametrize("packing_fraction", [0.001, 0.1, 0.3, 0.45])
def test_a_ball_has_a_dozen_neighbours_at_every_density(packing_fraction):
    radius = (packing_fraction * 3 / 4 / math.pi) ** (1 / 3)
    setup = set_up_events(gas(8, 1, radii=(radius, radius)), side=8.0)
    setup.engine.log_impacts(False)
    setup.engine.run(math.inf, 5_000)
    assert 8 < counts(setup).mean() < 18
    assert not rows(setup)[1].any()


def test_a_clump_in_a_large_box_has_smaller_neighbourhoods():
    balls = gas(8, 1, radii=(0.45, 0.45))
    far = gas(1, 2, radii=(0.45, 0.45))
    far[0].position = (70.0, 70.0, 70.0)
    setup = set_up_events(balls + far, box(72.0))
    setup.engine.log_impacts(False)
    setup.engine.run(1.0)
    state = setup.engine._engine_state
    assert state.event.margin[state.body.name < 512].mean() < 1.0
    assert setup.engine.tally.deepest_overlap < 1e-12


@pytest.mark.thorough
def test_memory_is_below_600_bytes_a_ball():
    setup = set_up_events(gas(30, 1, radii=(0.3, 0.3)), side=30.0)

    def size_of(tree):
        if hasattr(tree, "_asdict"):
            return sum(map(size_of, tree._asdict().values()))
        return getattr(tree, "nbytes", 0)

    state = setup.engine._engine_state
    records = state.names.nbytes + state.numbers.nbytes
    arrays = size_of(state) - records + size_of(setup.state) + size_of(setup.world)
    assert arrays / 30**3 < 600


def test_in_a_needle_none_is_found_twice():
    """Copies are coarse where a cell is long: a ball seemed to touch two images of another."""
    random = np.random.default_rng(1)
    x, y, z = np.meshgrid(2.0 * np.arange(10), 2.0 * np.arange(2), 2.0 * np.arange(2))
    balls = [
        Ball(place, random.normal(size=3), 0.6)
        for place in zip(x.ravel(), y.ravel(), z.ravel(), strict=True)
    ]
    needle = Box(TVector(0, 0, 0), TVector(1e9, 4.1, 4.1))
    world, state = build(balls, [], TVector(0, 0, 0), needle)
    engine = Events(world, state, 0.01)
    setup = Setup(engine, world, engine.state.shown())
    for _ in range(5):
        setup.engine.run(math.inf, 20)
        assert (rows(setup)[0].sum(axis=1) == counts(setup)).all()


@pytest.mark.thorough
def test_a_crowded_ball_remembers_all_that_found_its_coarse_copy():
    balls = [Ball((12.5, 12.5, 12.5), (0.0, 0.0, 0.0), 6.0)]
    places = np.stack(np.meshgrid(*[np.arange(25) + 0.5] * 3), axis=-1).reshape(-1, 3)
    far = np.linalg.norm(places - 12.5, axis=1) > 6.5
    balls += [Ball(place, (0.0, 0.0, 0.0), 0.4) for place in places[far]]
    setup = set_up_events(balls, side=25.0)
    setup.engine.run(0.0)
    state = setup.engine._engine_state
    big = int(np.argmax(state.ball.radius))
    small = 0 if big else 1
    assert has_overflowed(state, big)
    assert state.body[big].level > state.body[small].level
    # Ball `small` put where it finds the big one just so, or just not.
    cells, body, found = state.cells, state.body, state.found
    event, ball = state.event, state.ball
    reach = float(ball[small].radius + event[small].margin)
    touch = reach + float(ball[big].radius + event[big].margin)
    for excess in np.linspace(0.0, 2e-4, 21).tolist():
        centre = centre_of(event[big]) + TVector(0.6, 0.64, 0.48) * (touch + excess * touch)
        remove(cells, body, small)
        knows = big in found[: search(cells, small, centre, reach, 1.0, found, 0)]
        insert(cells, body, small, centre, reach)
        known = small in found[: copy_old_neighbours(setup.engine._environment, state, big, 0.0)]
        assert known or not knows


@pytest.mark.parametrize("many", [ROW_CAPACITY, ROW_CAPACITY + OVERFLOW])
def test_in_a_narrow_box_the_least_margin_is_less(many):
    """It was a part of the radius: more than a box just above 4.02 radii allows."""
    setup = set_up_events(gas(3, 1, radii=(0.1, 0.1)), side=0.402)
    state = setup.engine._engine_state
    state.row[0] = many
    assert state.ball.radius[0] + _next_margin(state, 0) <= state.cells.level.reach[0] * (
        1.0 + 1e-15
    )


@pytest.mark.parametrize("height", [0.0, 0.4, 1.1, 1.7, 2.3, 3.1])
def test_a_row_holds_all_in_a_layer(height):
    """An axis of two cells does not count: all along it are found, wherever their copies are."""
    random = np.random.default_rng(2)
    balls = [
        Ball((x, y, height), (*random.normal(size=2), 0.0), 0.45)
        for x in range(7)
        for y in range(7)
    ]
    setup = set_up_events(balls, box(8.0))
    for _ in range(10):
        setup.engine.run(math.inf, 50)
        known, crowded = rows(setup)
        surely = touching(setup, None, 1.0 - 1e-5)
        assert known[~crowded][surely[~crowded]].all()


@pytest.mark.parametrize("size", [1e-3, 1e3, 1e15, 1e17, 1e18, 1e20, 1e30, 1e77])
def test_every_place_is_folded_onto_the_grid(size):
    """Where places are coarser than cells, rounding once led outside, and into other memory."""
    level = set_up_events(gas(8, 1, radii=(0.2, 0.45)), box(8.0)).engine._engine_state.cells.level[
        0
    ]
    for place in np.random.default_rng(3).uniform(-size, size, (500, 3)).tolist():
        u = wrap_to_grid(level, TVector(place))
        assert all(0.0 <= c <= level[f"cells_{axis}"] for c, axis in zip(u, "xyz", strict=True))
