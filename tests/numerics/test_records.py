"""Records of numbers: the same memory in Python and in kernels."""

import pickle
from typing import NamedTuple

import pytest

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import kernel
from spheresim.compiler.intrinsics import copy_record
from spheresim.numerics.records import array_of, zero_record


class Journey:
    turns: int
    distance: float


class LongJourney(Journey):
    height: float


@by_reference
class Two(NamedTuple):
    """Two records, as in an engine's state."""

    first: Journey
    second: Journey


@kernel
def drive(two: Two, distance: float) -> None:
    """Write into one record, and copy it to the other."""
    two.first.turns += 2
    two.first.distance = distance
    copy_record(two.first, two.second)
    two.first.turns += 1


@pytest.mark.parametrize("fields", [Journey, LongJourney])
@pytest.mark.parametrize("sent", [False, True])
def test_a_kernel_writes_into_the_memory_that_python_reads(fields, sent):
    """Also where the records came from another process."""
    first, second = zero_record(fields), zero_record(fields)
    if sent:
        first, second = pickle.loads(pickle.dumps((first, second)))
    first.turns = 5
    drive(Two(first, second), 1.5)
    drive(Two(first, second), 2.5)
    assert (first.turns, first.distance) == (11, 2.5)
    assert (second.turns, second.distance) == (10, 2.5)


def test_a_record_as_an_array_is_the_same_memory_and_fields_of_a_base_stand_first():
    record = zero_record(LongJourney)
    array_of(record)[0] = (3, 1.5, 2.5)
    assert (record.turns, record.distance, record.height) == (3, 1.5, 2.5)
    record.turns = 4
    assert array_of(record).tolist() == [(4, 1.5, 2.5)]
