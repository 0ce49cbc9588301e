"""All broad phases find every pair of boxes that overlap, each once, in the same order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spheresim.broadphase import BROAD_PHASES, broad_phase, find_pairs, overlapping_spheres
from spheresim.broadphase.uniform_grid import UniformGrid

METHODS = list(BROAD_PHASES)


def true_pairs(low, high):
    """Every pair compared, by numpy."""
    meet = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    return np.argwhere(np.triu(meet, 1))


def check(phase, low, high):
    """The pairs are right, and so are the proposals: a superset, each pair once, in order."""
    expected = true_pairs(low, high)
    assert np.array_equal(phase.pairs(), expected)
    proposed = phase.candidates()
    numbers = proposed[:, 0] * len(low) + proposed[:, 1]
    assert np.all(proposed[:, 0] < proposed[:, 1])
    assert np.all(np.diff(numbers) > 0)
    assert np.all(np.isin(expected[:, 0] * len(low) + expected[:, 1], numbers))
    n = len(low)
    assert phase.counts == (n, n * (n - 1) // 2, len(proposed), len(expected))


def random_sets():
    rng = np.random.default_rng(1)
    n = 120
    uniform = rng.uniform(0, 10, (n, 3))
    clustered = rng.normal(0, 0.01, (n, 3)) + rng.integers(0, 3, (n, 1)) * 50.0
    tiny = rng.uniform(0, 0.1, (n, 3))
    huge = np.full((n, 3), 0.01)
    huge[7] = 100.0
    flat = rng.uniform(0, 1, (n, 3))
    flat[:, 1] = 3.0
    lattice = np.stack(np.meshgrid(*[np.arange(5.0)] * 3), axis=-1).reshape(-1, 3)
    return {
        "uniform": (uniform, uniform + rng.uniform(0, 2, (n, 3))),
        "clustered": (clustered, clustered + 0.01),
        "in one cell": (tiny, tiny + 0.3),
        "one huge, many tiny": (uniform - huge, uniform + huge),
        "flat": (flat, flat + np.array([0.1, 0, 0.1])),
        "identical": (np.ones((n, 3)), np.full((n, 3), 2.0)),
        "identical points": (np.ones((n, 3)), np.ones((n, 3))),
        "touching": (lattice, lattice + 1.0),
        "on a line": (uniform * [1, 0, 0], uniform * [1, 0, 0] + 0.1),
        "unbounded": (np.where(uniform < 1, -np.inf, uniform), np.where(uniform > 7, np.inf, 9.0)),
        "tiny, in a wide space": (uniform * 1e6, uniform * 1e6 + 1e-3),
        "far apart": (uniform * 1e300, uniform * 1e300),
    }


@pytest.mark.compiled_only
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", random_sets())
def test_every_pair_once(method, kind):
    low, high = random_sets()[kind]
    phase = broad_phase(method)
    phase.update(low, high)
    check(phase, low, high)


@pytest.mark.cases(3)
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_boxes(method, data):
    n = data.draw(st.integers(0, 20))
    coordinate = st.one_of(
        st.integers(-3, 3).map(float),
        st.floats(-1e3, 1e3),
        st.sampled_from([np.inf, -np.inf, 1e200, 1e-200]),
    )
    corners = data.draw(arrays(np.float64, (2, n, 3), elements=coordinate))
    low, high = corners.min(axis=0), corners.max(axis=0)
    phase = broad_phase(method)
    phase.update(low, high)
    check(phase, low, high)


@pytest.mark.compiled_only
@pytest.mark.parametrize("method", METHODS)
def test_moving_sets(method):
    rng = np.random.default_rng(2)
    low, size = rng.uniform(0, 8, (150, 3)), rng.uniform(0, 1.5, (150, 3))
    phase = broad_phase(method)
    for step in [0.0, 0.01, 0.1, 0.01, 5.0, 0.0]:
        low = low + rng.normal(0, 1, low.shape) * step
        phase.update(low, low + size)
        check(phase, low, low + size)
    for n in [0, 1, 40, 150]:
        phase.update(low[:n], (low + size)[:n])
        check(phase, low[:n], (low + size)[:n])


def nine_objects():
    """The lecture's picture: nine objects, of which the four areas hold 0, 1, 3 and 5."""
    areas = [(6, 1)], [(1, 6), (3, 7), (2, 9)], [(6, 6), (8, 6), (7, 8), (9, 9), (6, 9)]
    centers = np.array([place for area in areas for place in area], dtype=float)
    return centers - 0.2, centers + 0.2


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("quadtree", {"capacity": 1, "depth": 1}),
        ("octree", {"capacity": 1, "depth": 1}),
        ("uniform_grid", {"cell_size": 4.5}),
    ],
)
def test_partitioning_leaves_13_of_36_pairs(method, options):
    counts = find_pairs(*nine_objects(), method, **options).counts
    assert (counts.objects, counts.possible, counts.proposed) == (9, 36, 13)


@pytest.mark.parametrize("method", METHODS)
def test_before_the_first_update_there_are_no_pairs(method):
    phase = broad_phase(method)
    assert phase.pairs().shape == phase.candidates().shape == (0, 2)
    assert phase.counts == (0, 0, 0, 0)


def test_all_pairs_of_nine_are_36():
    assert find_pairs(*nine_objects(), "all_pairs").counts.proposed == 36


@pytest.mark.compiled_only
def test_the_order_is_kept_between_updates():
    rng = np.random.default_rng(3)
    low = rng.uniform(0, 100, (500, 3))
    sweep, tree = broad_phase("sweep_and_prune"), broad_phase("bvh")
    for phase, flag in ((sweep, "is_kept"), (tree, "is_refit")):
        phase.update(low, low + 1)
        assert not getattr(phase, flag)
        phase.update(low + 0.01, low + 1.01)
        assert getattr(phase, flag)
        phase.update(rng.permutation(low), rng.permutation(low) + 200)
        assert not getattr(phase, flag)


@pytest.mark.parametrize(
    ("low", "high", "fault"),
    [
        ([(0, 0, 0)], [(1, 1, np.nan)], "box 0: low must be at most high"),
        ([(0, 0, 0), (2, 0, 0)], [(1, 1, 1), (1, 1, 1)], "box 1: low must be at most high"),
        ([0, 0, 0], [1, 1, 1], r"low must have the shape \(n, 3\)"),
        ([(0, 0, 0)], [(1, 1)], "must have the same shape"),
        ([("a", 0, 0)], [(1, 1, 1)], "low must be numbers"),
        ([(1j, 0, 0)], [(1, 1, 1)], "low must be numbers"),
        (np.zeros((1, 3)), np.ones((1, 3), np.complex64), "high must be numbers"),
    ],
)
def test_faults_in_one_sentence(low, high, fault):
    with pytest.raises(ValueError, match=fault):
        find_pairs(low, high)


@pytest.mark.compiled_only
def test_faulty_choices():
    with pytest.raises(ValueError, match="one of all_pairs, sweep_and_prune"):
        broad_phase("magic")
    with pytest.raises(TypeError, match="'octree' has the options capacity, depth, not 'cell_"):
        broad_phase("octree", cell_size=1)
    with pytest.raises(TypeError, match="'auto' has no options, not 'depth'"):
        find_pairs([(0, 0)], [(1, 1)], depth=1)
    with pytest.raises(ValueError, match="cell_size must be greater than 0"):
        broad_phase("uniform_grid", cell_size=0)
    with pytest.raises(ValueError, match="are too small"):
        find_pairs(np.zeros((10**5, 3)), np.ones((10**5, 3)), "uniform_grid", cell_size=0.1)


@pytest.mark.compiled_only
def test_cells_are_not_lumped_in_a_wide_space():
    """Along a line there are more cells than can be counted along an axis."""
    rng = np.random.default_rng(4)
    low = rng.uniform(0, 1, (2000, 3)) * (1e9, 1, 1)
    counts = find_pairs(low, low + 1.0, "uniform_grid").counts
    assert counts.proposed < 2000


def test_spheres_as_the_mid_phase():
    centers, radii = [(0, 0, 0), (1.5, 1.5, 0), (0, 2, 0)], 1.0
    kept = overlapping_spheres([(0, 1), (0, 2), (1, 2)], centers, radii)
    assert kept.tolist() == [[0, 2], [1, 2]]


@pytest.mark.compiled_only
@pytest.mark.parametrize("method", BROAD_PHASES)
def test_the_largest_numbers_overflow_nowhere(method):
    low = [(-1e308,) * 3, (0.0,) * 3, (1e308,) * 3]
    high = [(1e308,) * 3, (1.0,) * 3, (1.5e308,) * 3]
    with np.errstate(all="raise"):
        assert find_pairs(low, high, method).pairs.tolist() == [[0, 1], [0, 2]]
    assert find_pairs([], [], method).counts.objects == 0


@pytest.mark.parametrize(
    ("pairs", "centers", "radii", "words"),
    [
        ([(0, 1.5)], np.zeros((2, 3)), 1, "pairs must be whole numbers"),
        ([(0, 2)], np.zeros((2, 3)), 1, "the 2 objects, from 0 on, not 2"),
        ([(0, 1)], [(0, 0, 0), (0, np.nan, 0)], 1, "centers: row 1 must be finite"),
        ([(0, 1)], np.zeros((2, 3)), [1, -1], "radii: row 1 must be finite and not negative"),
        ([(0, 1)], np.zeros((2, 3)), [1, 1, 1], "equally many rows of each"),
        ([(0, 1)], "centres", 1, "centers must be numbers"),
    ],
)
def test_a_mid_phase_says_what_is_wrong(pairs, centers, radii, words):
    with pytest.raises(ValueError, match=words):
        overlapping_spheres(pairs, centers, radii)
    assert overlapping_spheres([], np.zeros((2, 3)), 1).shape == (0, 2)


@pytest.mark.compiled_only
def test_one_huge_object_does_not_mislead_the_choice():
    """It overlaps all others; a sample that meets it must not take it for many of its kind."""
    low = np.random.default_rng(5).uniform(0, 300, (50_000, 3))
    low[0] = -10.0
    high = low + 1.0
    high[0] = 310.0
    phase = broad_phase("auto")
    for _ in range(2):
        phase.update(low, high)
        assert phase.counts.overlapping < 60_000
        assert phase.counts.proposed < 20 * len(low)


FAR = {
    "wide": (-1e7, 1e7),
    "wide, to one side": (-1e7, 0.5),
    "a slab": ((-1e6, -1e6, 0), (1e6, 1e6, 0.1)),
    "far": (1e7, 1e7 + 1),
    "unbounded": ((-np.inf, 0, 0), (np.inf, 1e7, 1)),
}


@pytest.mark.compiled_only
@pytest.mark.parametrize("method", ["uniform_grid", "quadtree", "octree", "bvh", "auto"])
@pytest.mark.parametrize("place", FAR)
@pytest.mark.cases(8)
def test_one_box_out_of_the_crowd_leaves_the_others_apart(method, place):
    low = np.random.default_rng(0).uniform(0, 20, (2000, 3))
    high = low + 1.0
    usual = broad_phase(method)
    usual.update(low, high)
    low[3], high[3] = FAR[place]
    phase = broad_phase(method)
    phase.update(low, high)
    assert np.array_equal(phase.pairs(), true_pairs(low, high))
    assert phase.counts.proposed <= 2 * usual.counts.proposed + 2 * len(low)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1e-300, 1e-311, 5e-324])
def test_the_smallest_numbers_are_boxes_too(method, size):
    low = np.random.default_rng(0).integers(0, 30, (150, 3)) * size
    phase = broad_phase(method)
    phase.update(low, low + 2 * size)
    check(phase, low, low + 2 * size)


def test_a_cell_size_below_all_numbers_that_have_an_inverse():
    phase = UniformGrid(1e-310)
    low = np.arange(12.0).reshape(4, 3) * 1e-311
    phase.update(low, low + 4e-311)
    check(phase, low, low + 4e-311)
