"""Balls that are apart are seen to be so, and no two that overlap are."""

import numpy as np
import pytest

from spheresim.compiler.decorators import COMPILED
from spheresim.scene import overlap
from spheresim.scene.fill import no_overlaps
from spheresim.scene.fill.no_overlaps import are_apart

TOLERANCE = 1e-9


def lattice(n, spacing):
    return np.stack(np.meshgrid(*[np.arange(n) * spacing] * 3), axis=-1).reshape(-1, 3)


@pytest.mark.parametrize("spacing", [1.0, 1.0 - 0.9e-9, 3.7])
def test_balls_that_touch_are_apart(spacing):
    position = np.random.default_rng(1).permutation(lattice(7, spacing)) - 100.0
    assert are_apart(position, np.full(343, 0.5), TOLERANCE)


def test_two_that_overlap_are_found_wherever_they_are():
    random = np.random.default_rng(2)
    position = lattice(6, 1.3) + random.uniform(-0.1, 0.1, (216, 3))
    radius = random.uniform(0.3, 0.5, 216)
    assert are_apart(position, radius, TOLERANCE)
    for _ in range(300 if COMPILED else 50):
        i = random.integers(216)
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        new = position[i] + direction * (radius[i] + 0.2) * (1.0 - random.choice([1e-8, 1e-3, 0.5]))
        both = np.concatenate([position, [new]]), np.append(radius, 0.2)
        order = random.permutation(217)
        assert not are_apart(both[0][order], both[1][order], TOLERANCE)


@pytest.mark.compiled_only
def test_where_it_would_take_long_to_tell_nothing_is_said():
    position = np.concatenate([np.random.default_rng(3).random((3000, 3)), [[1e6, 0, 0]]])
    assert not are_apart(position, np.full(3001, 1e-9), TOLERANCE)


@pytest.mark.compiled_only
@pytest.mark.parametrize("n", [8, 20, 40])
def test_a_ball_is_tested_against_few_others_however_many_there_are(monkeypatch, n):
    monkeypatch.setattr(no_overlaps, "_TESTS", 20)
    monkeypatch.delattr(overlap, "_find_pairs")  # which takes ten times as long
    position, radius = lattice(n, 1.0), np.full(n**3, 0.5)
    assert overlap.overlapping_balls(position, radius) == []
    monkeypatch.setattr(no_overlaps, "_TESTS", 10)
    assert not are_apart(position, radius, TOLERANCE)


@pytest.mark.parametrize("axes", [(0,), (1, 2)])
def test_balls_may_be_in_a_plane_or_a_row(axes):
    position = lattice(5, 1.0)
    flat = position[(position[:, list(axes)] == 0.0).all(axis=1)]
    assert are_apart(flat, np.full(len(flat), 0.5), TOLERANCE)
    assert not are_apart(flat, np.full(len(flat), 0.50001), TOLERANCE)
