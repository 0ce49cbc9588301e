"""A ray against eight boxes: kernels do what plain Python does, and miss nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spheresim.compiler import ray_boxes as lanes
from spheresim.compiler.decorators import kernel
from spheresim.numerics.vector import TVector


@kernel
def ray_boxes(boxes, node, origin, inverse, best, enter):
    return lanes.ray_boxes(boxes, node, origin, inverse, best, enter)


def some_boxes(random):
    """Two nodes of boxes, of which some are empty."""
    low, size = random.uniform(-1, 1, (2, 3, 8)), random.uniform(0, 0.7, (2, 3, 8))
    boxes = np.concatenate([low, low + size], axis=1).astype(np.float32)
    boxes[:, :3, 6:], boxes[:, 3:, 6:] = np.inf, -np.inf
    return boxes


@pytest.mark.compiled_only
@given(st.integers(0, 2**32 - 1))
def test_kernels_give_the_same_bits(seed):
    random = np.random.default_rng(seed)
    boxes, node = some_boxes(random), int(random.integers(2))
    origin, way = TVector(random.uniform(-1, 1, 3)), random.normal(size=3)
    inverse = TVector(1.0 / way)
    best = random.choice([0.1, 1.0, 1e30])
    one, other = np.empty(8, np.float32), np.empty(8, np.float32)
    found = ray_boxes(boxes, node, origin, inverse, best, one)
    assert found == lanes.ray_boxes(boxes, node, origin, inverse, best, other)
    hits = [k for k in range(8) if int(found) >> k & 1]
    assert one[hits].tobytes() == other[hits].tobytes()


@given(st.integers(0, 2**32 - 1))
def test_a_ray_through_a_point_of_a_box_meets_the_box(seed):
    random = np.random.default_rng(seed)
    boxes = some_boxes(random)
    start, share = random.uniform(-1, 1, 3), random.random(3)
    for k in range(8):
        low, high = boxes[0, :3, k].astype(float), boxes[0, 3:, k].astype(float)
        if low[0] > high[0]:
            continue
        way = low + share * (high - low) - start
        enter = np.empty(8, np.float32)
        found = ray_boxes(boxes, 0, TVector(start), TVector(1.0 / way), 1e30, enter)
        assert int(found) >> k & 1
        assert enter[k] <= 1.0 + 1e-6
        beyond = ray_boxes(boxes, 0, TVector(start), TVector(-1.0 / way), 1e30, enter)
        if not ((low <= start) & (start <= high)).all():
            assert not int(beyond) >> k & 1
    assert int(ray_boxes(boxes, 0, TVector(start), TVector(1, 1, 1), 1e30, enter)) < 1 << 6
