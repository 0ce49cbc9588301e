"""Numbers in tables: the shortest text that reads back to the bit, in Python's form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spheresim.record.csv_lines import numeric_rows

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def by_repr(table):
    return [",".join(repr(number + 0.0) for number in row).encode() for row in table.tolist()]


@given(arrays(np.float64, st.tuples(st.integers(0, 5), st.integers(1, 4)), elements=FINITE))
def test_any_numbers_are_written_as_repr_writes_them(table):
    assert numeric_rows(table) == by_repr(table)


@pytest.mark.parametrize("digits", [1.0, 1.5, 9.999999999999999, 1 / 3])
def test_numbers_of_all_magnitudes_are(digits):
    table = digits * 10.0 ** np.arange(-323, 308).reshape(-1, 1)
    table = np.hstack([table, -table, np.nextafter(table, 0.0), np.nextafter(table, np.inf)])
    assert numeric_rows(table) == by_repr(table)


def test_numbers_that_contain_others_are():
    table = np.array([[10.00001, 100.000012, -1.00003, 1e-05, -1.2e-5], [1e16, 1e15, -0.0, 3, 5]])
    assert numeric_rows(table) == by_repr(table)


def test_of_random_bits_each_reads_back_to_the_bit():
    bits = np.random.default_rng(1).integers(-(2**63), 2**63, size=(4000, 6))
    table = np.nan_to_num(bits.view(np.float64), posinf=0.0, neginf=0.0)
    rows = numeric_rows(table)
    assert rows == by_repr(table)
    assert (np.array([row.split(b",") for row in rows]).astype(np.float64) == table).all()
