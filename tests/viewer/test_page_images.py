"""Images of a sheared box on a page: its JavaScript against the package's own functions."""

from pathlib import Path

import numpy as np
import pytest
from page_script import by_script, needs_node

from spheresim import Box
from spheresim.model.periodic_wrap import wrapped
from spheresim.model.shear_flow import peculiar_velocity

PROGRAM = """
import { peculiarVelocity, wrapped } from "./images.mjs";
const [box, time, position, velocity] = GIVEN;
const places = position.map((x) => wrapped(box, time, x));
const speeds = position.map((x, k) => peculiarVelocity(box, x, velocity[k]));
console.log(JSON.stringify([places, speeds]));
"""


@needs_node
@pytest.mark.parametrize("rate", [0.0, 0.3, -1.7])
def test_places_and_speeds_in_a_sheared_box_are_those_of_the_package(tmp_path: Path, rate: float):
    box, time = Box((-4, -5, 1), (9, 10, 8), shear_rate=rate), 12.34
    rng = np.random.default_rng(1)
    position, velocity = rng.normal(0.0, 40.0, (50, 3)), rng.normal(0.0, 2.0, (50, 3))
    given = {"low": box.low, "size": box.size, "periodic": box.periodic, "shearRate": rate}
    words = [given, time, position.tolist(), velocity.tolist()]
    places, peculiar = by_script(tmp_path, PROGRAM, words)
    assert places == pytest.approx(wrapped(box, time, position), abs=1e-12)
    assert peculiar == pytest.approx(peculiar_velocity(box, position, velocity), abs=1e-12)
