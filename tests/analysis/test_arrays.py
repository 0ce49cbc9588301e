"""Arrays that cannot be measured are refused in one sentence."""

import numpy as np
import pytest
from one_sentence import told

from spheresim import Ball, Simulation, analysis

X = np.zeros((5, 4, 3)) + np.arange(4)[:, None]
SIZE, RADIUS = (9, 9, 9), np.full(4, 0.5)


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        (lambda: analysis.radial_distribution(X[0], SIZE, RADIUS), r"\(k, n, 3\), not \(4, 3\)"),
        (lambda: analysis.radial_distribution(X, 9, RADIUS), r"size must have the shape \(3,\)"),
        (lambda: analysis.radial_distribution(X, (9, 0, 9), RADIUS), "size must be greater than 0"),
        (
            lambda: analysis.radial_distribution(X, SIZE, RADIUS[1:]),
            "radius is of 3 balls, position of 4",
        ),
        (lambda: analysis.radial_distribution(X * np.nan, SIZE, RADIUS), "position must be finite"),
        (
            lambda: analysis.radial_distribution(X, SIZE, RADIUS, reach=5),
            "half of the box, 4.5, not 5",
        ),
        (lambda: analysis.radial_distribution(X[:0], SIZE, RADIUS), "position must have the shape"),
        (
            lambda: analysis.mean_squared_displacement(np.arange(4), X),
            "position is of 5 frames, t of 4",
        ),
        (
            lambda: analysis.speed_distribution("fast", RADIUS),
            "velocity must be an array of numbers",
        ),
        (lambda: analysis.speed_distribution(X), "missing a required argument: 'mass'"),
    ],
)
def test_faults_are_one_sentence(measure, sentence):
    told(measure, sentence)


def test_what_holds_arrays_but_is_no_run_is_told():
    simulation = Simulation(Ball((0, 0, 0), radius=0.5), box=(9, 9, 9))
    for given in (simulation, simulation.record(until=1.0, every=0.5)):
        kind = type(given).__name__
        words = rf"a Run or arrays \(t, velocity, impacts, mass, radius, size\), not a {kind}"
        with pytest.raises(TypeError, match=words):
            analysis.pressure(given)
