"""What kernels do to several numbers at once is what plain Python does, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim.compiler import simd as lanes
from spheresim.compiler.decorators import kernel
from spheresim.compiler.intrinsics import CACHE_LINE, cache_aligned_zeros, lowest_bit

pytestmark = pytest.mark.compiled_only


@kernel
def equal_mask(array, start, number):
    return lanes.equal_mask(array, start, number)


@kernel
def overlap_mask(spheres, start, sphere, kept):
    return lanes.overlap_mask(spheres, start, sphere, kept)


@kernel
def append_chosen(numbers, start, bits, left_out, to, end):
    return lanes.append_chosen(numbers, start, bits, left_out, to, end)


@kernel
def gather_transpose(records, who, start, squares, out):
    lanes.gather_transpose(records, who, start, squares, out)


@kernel
def lowest(bits):
    return lowest_bit(bits)


seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(0, 20))
def test_those_that_are_equal(seed, start):
    array = np.random.default_rng(seed).integers(0, 9, 64).astype(np.uint32)
    bits = equal_mask(array, start, np.uint32(3))
    assert bits == lanes.equal_mask(array, start, 3)
    assert [k for k in range(lanes.EQUALS) if array[start + k] == 3] == [
        k for k in range(64) if int(bits) >> k & 1
    ]


@given(seeds, st.integers(0, 3), st.integers(0, 12_000), st.integers(0, 7))
def test_those_that_touch(seed, row, radius, axes):
    rng = np.random.default_rng(seed)
    spheres = rng.integers(0, 12_000, (4, 2, lanes.SPHERES, 2)).astype(np.int16)
    sphere = (*map(int, rng.integers(-12_000, 24_000, 3)), radius)
    start, kept = row * 4 * lanes.SPHERES, (-(axes & 1), -(axes >> 1 & 1), -(axes >> 2))
    bits = overlap_mask(spheres.ravel(), start, sphere, kept)
    assert bits == lanes.overlap_mask(spheres.ravel(), start, sphere, kept)
    (x, y), (z, r) = spheres[row].astype(np.int64).transpose(0, 2, 1)
    d = np.array([(a - b) * k for a, b, k in zip(sphere, (x, y, z), kept, strict=False)])
    touch = (d**2).sum(axis=0) <= (radius + r) ** 2
    assert [bool(int(bits) >> k & 1) for k in range(lanes.SPHERES)] == touch.tolist()


@given(seeds)
def test_what_takes_too_many_bits_is_the_same_in_kernels_and_in_plain_python(seed):
    rng = np.random.default_rng(seed)
    spheres = rng.integers(-32_768, 32_768, 4 * lanes.SPHERES).astype(np.int16)
    sphere = tuple(map(int, rng.integers(-32_768, 32_768, 4)))
    kept = (-1, -1, -1)
    assert overlap_mask(spheres, 0, sphere, kept) == lanes.overlap_mask(spheres, 0, sphere, kept)


@given(seeds, st.integers(0, 40), st.integers(0, 2**lanes.SPHERES - 1), st.integers(0, 9))
def test_those_that_are_chosen(seed, start, bits, end):
    numbers = np.random.default_rng(seed).integers(0, 9, 64).astype(np.uint32)
    compiled, plain = np.zeros((2, 32), dtype=np.uint32)
    bits, end, left_out = np.uint64(bits), np.uint64(end), np.uint32(3)
    after = append_chosen(numbers, start, bits, left_out, compiled, end)
    assert after == lanes.append_chosen(numbers, start, bits, left_out, plain, end)
    assert compiled[:after].tolist() == plain[:after].tolist()
    near = numbers[start : start + lanes.SPHERES].tolist()
    chosen = [n for k, n in enumerate(near) if int(bits) >> k & 1 and n != 3]
    assert plain[int(end) : after].tolist() == chosen


@pytest.mark.parametrize("fields", [8, 16])
@given(seed=seeds, squares=st.integers(0, lanes.LANES // lanes.SQUARE))
def test_records_are_spread(fields, seed, squares):
    rng = np.random.default_rng(seed)
    records = np.zeros(30, dtype=[(f"field_{k}", "f8") for k in range(fields)]).view(np.recarray)
    records.view(np.float64)[:] = rng.random(30 * fields)
    who = rng.integers(0, 30, 40).astype(np.uint32)
    start = int(rng.integers(0, 40 - lanes.LANES))
    compiled, plain = np.zeros((2, fields * lanes.LANES))
    gather_transpose(records, who, start, squares, compiled)
    lanes.gather_transpose(records, who, start, squares, plain)
    assert (compiled == plain).all()
    for k in range(squares * lanes.SQUARE):
        assert plain[k] == records.field_0[who[start + k]]
        assert plain[3 * lanes.LANES + k] == records.field_3[who[start + k]]


@given(st.integers(1, 2**64 - 1))
def test_the_lowest_bit(bits):
    assert lowest(np.uint64(bits)) == lowest_bit(bits) == f"{bits:b}"[::-1].index("1")


@pytest.mark.parametrize("shape", [1, 1000, (10_000, 16), (1_000_000, 2)])
def test_arrays_begin_on_a_line(shape):
    array = cache_aligned_zeros(shape, np.float64)
    assert array.ctypes.data % CACHE_LINE == 0
    assert array.shape == (shape if isinstance(shape, tuple) else (shape,))
    assert not array.any()
