"""g(r) and S(k) of arrangements that are known, by brute force, and as freud counts them."""

import numpy as np
import pytest

from spheresim import analysis
from spheresim.analysis.published_hard_spheres import carnahan_starling, compressibility_factor

RNG = np.random.default_rng(5)


def ideal_gas(frames=8, n=300, size=(9.0, 10.0, 11.0)):
    return RNG.random((frames, n, 3)) * size, np.array(size), np.full(n, 0.5)


def test_balls_placed_at_random_have_no_structure():
    position, size, radius = ideal_gas(frames=40)
    g = analysis.radial_distribution(position, size, radius)
    far = (g.x > 0.8) & (g.error > 0.0)
    assert np.mean(((g.value - 1.0)[far] / g.error[far]) ** 2) == pytest.approx(1.0, abs=0.35)
    s = analysis.structure_factor(position, size, radius)
    assert np.mean(((s.value - 1.0) / s.error) ** 2) == pytest.approx(1.0, abs=0.7)
    assert s.value.mean() == pytest.approx(1.0, abs=0.02)


def test_pairs_are_counted_as_by_looking_at_each():
    position, size, radius = ideal_gas(frames=1, n=60)
    position = position + 3.0 * size  # frames hold positions that are not wrapped
    g = analysis.radial_distribution(position, size, radius, reach=4.0)
    apart = position[0][:, None] - position[0][None]
    apart -= size * np.round(apart / size)
    distance = np.linalg.norm(apart, axis=2)[~np.eye(60, dtype=bool)]
    edges = np.append(g.x - 0.01, g.x[-1] + 0.01)
    shells = 4.0 / 3.0 * np.pi * np.diff(edges**3)
    expected = np.histogram(distance, edges)[0] * size.prod() / (60 * 59 * shells)
    assert g.value == pytest.approx(expected, abs=1e-9)
    assert g.error is None


def test_a_box_of_a_cubic_crystal_scatters_at_its_own_wave_numbers():
    cells = np.stack(np.meshgrid(*[np.arange(5.0)] * 3), axis=-1).reshape(-1, 3)
    s = analysis.structure_factor(cells[None], (5.0, 5.0, 5.0), largest=2.0 * np.pi * 1.01)
    assert s.value[:-1] == pytest.approx(0.0, abs=1e-9)
    assert s.value[-1] > 1.0
    g = analysis.radial_distribution(cells[None], (5.0, 5.0, 5.0), np.full(125, 0.45))
    assert g.value[g.x < 0.98].max() == 0.0


def test_intensities_are_those_of_the_sum_over_all_balls():
    # No wave vectors are as short as the two along the longest side.
    position, size, _ = ideal_gas(frames=1, n=40, size=(5.0, 6.0, 11.0))
    s = analysis.structure_factor(position, size, largest=0.6)
    amplitude = np.exp(1j * position[0] @ (2.0 * np.pi / size * (0, 0, 1))).sum()
    assert s.x == pytest.approx([2.0 * np.pi / 11.0])
    assert s.value == pytest.approx([abs(amplitude) ** 2 / 40])


def test_g_is_that_of_freud():
    freud = pytest.importorskip("freud")
    # It counts in single precision, in which these places, and all differences, are exact.
    position = RNG.integers(0, 1024, size=(6, 400, 3)) / 64.0
    g = analysis.radial_distribution(position, [16.0] * 3, np.full(400, 0.4937))
    width = g.x[1] - g.x[0]
    other = freud.density.RDF(len(g.x), len(g.x) * width, normalization_mode="finite_size")
    for frame in position:
        other.compute((freud.box.Box.cube(16.0), frame - 8.0), reset=False)
    # Of a distance on the edge of a bin, rounding says which bin it is in.
    difference = np.abs(g.value - other.rdf)
    assert (difference < 1e-5).mean() > 0.95
    assert difference.max() < 0.01


@pytest.mark.parametrize("phi", [0.01, 0.1, 0.3, 0.45])
def test_two_equations_of_state_agree(phi):
    assert carnahan_starling(phi) == pytest.approx(compressibility_factor(phi), rel=0.004)


def test_what_has_no_structure_is_said_to_have_none():
    with pytest.raises(analysis.NotInRunError, match="at least two balls"):
        analysis.radial_distribution(np.zeros((3, 1, 3)), (5, 5, 5), [0.5])
    with pytest.raises(analysis.NotInRunError, match="no wave vector"):
        analysis.structure_factor(np.zeros((3, 1, 3)), (5, 5, 5), largest=0.1)
    with pytest.raises(ValueError, match="needs largest"):
        analysis.structure_factor(np.zeros((3, 1, 3)), (5, 5, 5))
