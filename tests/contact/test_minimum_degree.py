"""The order of elimination: how many entries the factors of the contact matrix get by it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, eye_array
from scipy.sparse.linalg import splu

from spheresim.compiler.decorators import kernel
from spheresim.contact.contact_rows import ROW_FIELDS
from spheresim.contact.factors import empty_factors, factorise


@kernel
def entries_of(rows, factors):
    return factors.start[factorise(rows, factors)]


def rows_of(pairs):
    """Contacts between these balls, 0 for a fixed body, all with a force."""
    rows = np.zeros(len(pairs), ROW_FIELDS).view(np.recarray)
    rows.first, rows.second = np.transpose(pairs)
    normal = np.random.default_rng(len(pairs)).normal(size=(len(pairs), 3))
    rows.nx, rows.ny, rows.nz = (normal / np.linalg.norm(normal, axis=1)[:, None]).T
    rows.inverse_mass_first = rows.inverse_mass_second = 1.0
    rows.force, rows.stiffness = 1.0, 0.5
    return rows


def entries(pairs):
    """How many entries L has below its diagonal."""
    balls = int(np.max(pairs)) + 1
    return int(entries_of(rows_of(pairs), empty_factors(len(pairs), balls)))


def coupled(pairs):
    """Which contacts have a ball in common, (m, m)."""
    balls = np.zeros((len(pairs), int(np.max(pairs)) + 1))
    for side in np.transpose(pairs):
        balls[np.arange(len(pairs)), side] = 1.0
    balls[:, 0] = 0.0
    return csc_array(balls @ balls.T > 0.0)


def lattice(side, layers):
    """The contacts of a cubic lattice on a floor."""
    number = 1 + np.arange(side * side * layers).reshape(side, side, layers)
    pairs = [
        np.stack([np.delete(number, -1, axis), np.delete(number, 0, axis)], -1).reshape(-1, 2)
        for axis in range(3)
    ]
    floor = number[:, :, 0].ravel()
    return np.concatenate([*pairs, np.stack([floor, np.zeros_like(floor)], -1)])


@given(st.integers(0, 2**32 - 1))
def test_in_a_column_elimination_couples_nothing_anew(seed):
    pairs = np.random.default_rng(seed).permutation([(k, k - 1) for k in range(1, 30)])
    assert entries(pairs) == len(pairs) - 1


@pytest.mark.parametrize(("side", "layers"), [(30, 1), (12, 5), (9, 9)])
def test_entries_are_as_few_as_with_the_minimum_degree_of_superlu(side, layers):
    pairs = lattice(side, layers)
    matrix = 1e-3 * coupled(pairs) + 100.0 * eye_array(len(pairs))
    options = {"SymmetricMode": True}
    found = splu(csc_array(matrix), "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    assert entries(pairs) <= 1.2 * (found.L.nnz - len(pairs))


def test_two_contacts_of_the_same_balls_are_eliminated_together():
    # As in a box whose period is two diameters.
    pairs = np.array([(1, 2), (1, 2), (2, 3), (2, 3), (3, 0), (1, 0)])
    assert entries(pairs) == (coupled(pairs).nnz - len(pairs)) // 2
