"""The table of contacts that last: its order, its points, and what its columns are called."""

import numpy as np
import pytest

from spheresim.contact.contact_table import (
    COLUMNS,
    LastingContacts,
    contact_table,
    joined_contacts,
)

POSITION = np.array([(0.0, 1.0, 0.0), (0.0, 3.0, 0.0), (5.0, 0.5, 0.0)])
RADIUS = np.array([1.0, 1.0, 0.5])
UP = (0.0, 1.0, 0.0)


def lasting(*rows):
    """Contacts from (i, other, normal, force)."""
    i, other, normal, force = zip(*rows, strict=True)
    return LastingContacts(
        np.array(i), np.array(other), np.array(normal, dtype=float), np.array(force)
    )


def table(contacts, obstacles=("floor", "wall")):
    return contact_table(contacts, POSITION, RADIUS, obstacles)


def test_rows_are_sorted_by_ball_then_balls_before_obstacles():
    mixed = lasting(
        (2, -1, UP, 4.0),
        (0, -2, (1, 0, 0), 3.0),
        (0, 1, (0, -1, 0), 2.0),
        (0, -1, UP, 1.0),
    )
    rows = [(row.i, row.j, row.obstacle, row.force) for row in table(mixed)]
    assert rows == [
        (0, 1, "", 2.0),
        (0, -1, "floor", 1.0),
        (0, -1, "wall", 3.0),
        (2, -1, "floor", 4.0),
    ]


def test_the_contact_point_is_on_the_surface_of_the_first_ball_against_the_normal():
    (pair, floor) = table(lasting((0, 1, (0, -1, 0), 2.0), (2, -1, UP, 1.0)))
    assert (pair.x, pair.y, pair.z) == (0.0, 2.0, 0.0)
    assert (pair.nx, pair.ny, pair.nz) == (0.0, -1.0, 0.0)
    assert (floor.x, floor.y, floor.z) == (5.0, 0.0, 0.0)


def test_parts_are_joined_and_nothing_is_a_table_without_rows():
    one, other = lasting((0, -1, UP, 1.0)), lasting((0, 1, (0, -1, 0), 2.0))
    assert table(joined_contacts(one, other)).force.tolist() == [2.0, 1.0]
    none = LastingContacts(
        np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros((0, 3)), np.zeros(0)
    )
    empty = table(joined_contacts(none, none))
    assert len(empty) == 0
    assert list(empty.dtype.names) == [name for name, _ in COLUMNS]
    assert table(joined_contacts(none, one)).obstacle.tolist() == ["floor"]


def test_the_normal_points_towards_the_first_ball_and_forces_may_be_any_positive_number():
    rows = table(lasting((1, -2, (0, 0, -1), 1e-300)), ("", "sky"))
    assert rows.obstacle.tolist() == ["sky"]
    assert rows.force[0] == pytest.approx(1e-300)
    assert rows.z[0] == 1.0
