"""The file of flights: nothing is rounded, and what is damaged or cut is told, or left out."""

import numpy as np
import pytest

from spheresim.collision.flights import Flights, flights_of
from spheresim.collision.impacts import BALL, FLIGHT
from spheresim.record.files_and_columns import RunError
from spheresim.record.flights_file import FlightsFile, read_flights


def some_flights(seed, count=50, balls=4):
    random = np.random.default_rng(seed)
    names = np.column_stack(
        [
            np.sort(random.integers(0, 90, count)),
            random.integers(0, balls, count),
            random.integers(0, 2, count),
            random.integers(0, 2**40, count),
        ]
    )
    numbers = random.normal(size=(count, 10)) * 10.0 ** random.integers(-9, 9, (count, 10))
    numbers[:, 0] = np.sort(random.uniform(0.0, 1.0, count))
    numbers[3] = numbers[2]
    numbers[5, 4:] = 0.0
    return Flights(names, numbers)


def shifted(flights, by):
    flights.names[:, 0] += 90 * by
    flights.numbers[:, 0] += by
    return flights


def test_what_is_written_is_read_to_the_last_bit(tmp_path):
    file = FlightsFile(tmp_path / "flights.bin")
    parts = [shifted(some_flights(seed), seed) for seed in range(3)]
    for part in parts:
        file.append(part)
    file.close()
    found = read_flights(tmp_path / "flights.bin", 4, is_finished=True)
    assert file.size == (tmp_path / "flights.bin").stat().st_size
    assert (found.names == np.concatenate([part.names for part in parts])).all()
    assert found.numbers.tobytes() == np.concatenate([part.numbers for part in parts]).tobytes()


def test_a_cut_file_holds_its_whole_blocks_and_goes_on(tmp_path):
    path = tmp_path / "flights.bin"
    file = FlightsFile(path)
    file.append(some_flights(0))
    size = file.size
    file.append(shifted(some_flights(1), 1))
    file.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert len(read_flights(path, 4, is_finished=False).t) == 50
    again = FlightsFile(path)
    again.check(size)
    again.go_on(size)
    again.append(shifted(some_flights(1), 1))
    again.close()
    assert path.read_bytes() == whole


def test_what_holds_no_flights_of_these_balls_is_refused(tmp_path):
    path = tmp_path / "flights.bin"
    file = FlightsFile(path)
    file.append(some_flights(0))
    file.close()
    with pytest.raises(RunError, match=r"flights\.bin: is not of the 2 balls"):
        read_flights(path, 2, is_finished=True)
    path.write_bytes(path.read_bytes()[:8] + bytes(len(path.read_bytes()) - 8))
    with pytest.raises(RunError, match="damaged"):
        read_flights(path, 4, is_finished=True)
    with pytest.raises(RunError, match="not what it was"):
        FlightsFile(tmp_path / "none.bin").check(1)


def test_of_flights_at_one_time_the_last_one_counts():
    names = np.array([[FLIGHT, 0, 1, 0], [BALL, 0, 1, 0], [FLIGHT, 0, 1, 7], [FLIGHT, 1, 0, 0]])
    numbers = np.ones((4, 10)) * np.arange(4)[:, None]
    numbers[:, 0] = 0.5
    found = flights_of(names, numbers)
    assert found.names.tolist() == [[1, 0, 1, 7], [1, 1, 0, 0]]
    assert found.numbers[:, 1].tolist() == [2.0, 3.0]
