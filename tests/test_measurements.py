"""Tables of measurements: rows are added, and the documents show the last ones."""

import csv

import pytest

from benchmarks import measurements, tables
from benchmarks.measurements import Measurement


def measured(balls: int, value: float, program: str = "ours") -> Measurement:
    return Measurement({"balls": balls}, program, "microseconds_per_call", value, "1.0")


def rows_of(path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_rows_are_added_below_one_heading_and_say_where_they_come_from(tmp_path):
    path = tmp_path / "calls.csv"
    measurements.append(path, [measured(10, 3.5), measured(100, 4.5)])
    measurements.append(path, [measured(10, 3.25)])
    rows = rows_of(path)
    assert [(row["balls"], row["value"]) for row in rows] == [
        ("10", "3.5"),
        ("100", "4.5"),
        ("10", "3.25"),
    ]
    assert all(row[column] for row in rows for column in ("date", "processor", "python", "numpy"))


def test_rows_of_other_cases_are_refused(tmp_path):
    path = tmp_path / "calls.csv"
    measurements.append(path, [measured(10, 3.5)])
    before = path.read_bytes()
    with pytest.raises(ValueError, match="other columns"):
        measurements.append(path, [Measurement({"bodies": "boxes"}, "ours", "speed", 1, "")])
    assert path.read_bytes() == before


def test_a_table_shows_the_last_measurement_of_each_case_on_one_processor(tmp_path, monkeypatch):
    path = tmp_path / "calls.csv"
    monkeypatch.setattr(measurements, "RESULTS", tmp_path)
    for processor, rows in (
        ("slow", [measured(10, 9.0), measured(1000, 9.0)]),
        ("fast", [measured(10, 3.5), measured(100, 4.5)]),
        ("fast", [measured(10, 3.25)]),
    ):
        monkeypatch.setattr(measurements, "_processor", lambda processor=processor: processor)
        measurements.append(path, rows)
    latest = measurements.latest("calls")
    assert [(row["balls"], row["value"]) for row in latest] == [("10", "3.25"), ("100", "4.5")]


def test_a_value_that_is_missing_or_twice_there():
    rows = [{"balls": "10", "value": "3.5"}, {"balls": "10", "value": "4.5"}]
    assert tables.value(rows, {"balls": "20"}) is None
    with pytest.raises(ValueError, match="2 rows"):
        tables.value(rows, {"balls": "10"})
