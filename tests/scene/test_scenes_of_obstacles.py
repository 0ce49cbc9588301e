"""The shipped scenes of single obstacles: each shows the physics that its comment tells."""

import math

import numpy as np
import pytest

from spheresim import Simulation

pytestmark = pytest.mark.compiled_only


def rows_of(simulation, ball, kind="obstacle"):
    impacts = simulation.impacts
    return impacts[(impacts.i == ball) & (impacts.kind == kind)]


def test_around_conways_loops_balls_come_back_to_where_they_were():
    simulation = Simulation.load("tetrahedron")
    position, velocity = simulation.position.copy(), simulation.velocity.copy()
    simulation.run(until=20.0)
    assert simulation.position == pytest.approx(position, abs=1e-10)
    assert simulation.velocity == pytest.approx(velocity, abs=1e-10)
    for ball in range(3):
        hits = rows_of(simulation, ball)
        assert np.diff(hits.t) == pytest.approx(np.full(19, 1.0), abs=1e-9)
        normals = np.stack([hits.nx, hits.ny, hits.nz], axis=1)
        assert len(np.unique(normals[:4].round(6), axis=0)) == 4  # every face once


def test_the_two_clocks_of_a_drum_do_not_disturb_each_other():
    simulation = Simulation.load("drum")
    simulation.run(until=simulation.scene.duration)
    hits = rows_of(simulation, 0)
    side, end = hits[np.abs(hits.nz) < 0.5], hits[np.abs(hits.nz) > 0.5]
    chord = 2.0 * 0.85 * math.sin(math.radians(72)) / 1.2
    assert np.diff(side.t) == pytest.approx(np.full(len(side) - 1, chord), rel=1e-9)
    assert np.diff(end.t) == pytest.approx(np.full(len(end) - 1, 1.25 * chord), rel=1e-9)
    assert (len(side), len(end)) == (20, 16)


def test_a_corner_reflector_sends_all_balls_home():
    simulation = Simulation.load("corner_reflector")
    velocity = simulation.velocity.copy()
    simulation.run(until=simulation.scene.duration)
    assert simulation.velocity == pytest.approx(-velocity, abs=1e-12)
    assert (simulation.impacts.obstacle == "corner").all()
    assert len(simulation.impacts) == 3 * len(velocity)


def test_down_the_stairs_all_hops_become_alike():
    simulation = Simulation.load("stairs_of_discs")
    simulation.run(until=simulation.scene.duration)
    e, g, h = 0.5, 9.81, 0.4
    steady = e * math.sqrt(2 * g * h / (1 - e * e))
    for ball, tolerance in ((0, 1e-9), (1, 1e-3)):
        hits = rows_of(simulation, ball)
        assert len(hits) >= 8
        assert hits.obstacle.tolist()[:8] == [f"disc {k}" for k in range(8)]
        assert hits.vn_after[7] == pytest.approx(steady, rel=tolerance)


@pytest.mark.parametrize("engine", ["steps", "events"])
def test_each_ball_is_caught_by_the_first_ring_that_is_narrower(engine):
    simulation = Simulation.load("sieve", engine=engine)
    simulation.run(until=simulation.scene.duration)
    for ball, caught in enumerate((1, 2, 3)):
        hits = rows_of(simulation, ball)
        assert set(hits.obstacle) == {f"ring {ball}.{caught}"}
        radius, thickness = simulation.balls[ball].radius, 0.12
        wide = (0.6, 0.5, 0.4, 0.32)[caught] + thickness
        height = 4.0 - 1.1 * caught + math.sqrt((radius + thickness) ** 2 - wide**2)
        assert simulation.position[ball, 1] == pytest.approx(height, abs=1e-4)
        assert np.abs(simulation.velocity[ball]).max() < 1e-3


def test_at_the_edge_of_a_table_a_ball_leaves_where_it_becomes_too_fast():
    simulation = Simulation.load("table_edge")
    speed = simulation.velocity[:, 0].copy()
    simulation.run(until=simulation.scene.duration)
    r, g = 0.15, 9.81
    for ball, u in enumerate(speed):
        leaves = rows_of(simulation, ball, "wake")
        leaves = leaves[leaves.obstacle == "table"]
        cosine = (u * u + 2.0 * g * r) / (3.0 * g * r)
        assert leaves.t[0] == pytest.approx(0.8, abs=1e-6)  # it is over the edge
        assert leaves.ny[-1] == pytest.approx(min(1.0, cosine), abs=5e-3)


def test_on_a_cycloid_of_triangles_all_come_down_in_the_same_time():
    simulation = Simulation.load("tautochrone")
    quarter = math.pi * math.sqrt(1.0 / 9.81)
    simulation.run(until=quarter)
    speed = np.linalg.norm(simulation.velocity, axis=1)
    # At the bottom the centre is at x = 0.
    late = simulation.position[:, 0] / speed
    assert np.abs(late).max() < 0.03 * quarter
