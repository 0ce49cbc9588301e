"""Images of a sheared box on a page: its JavaScript against the package's own functions."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import spheresim_viewer

from spheresim import Box
from spheresim.model.shear_flow import peculiar_velocity, wrapped

MODULE = Path(spheresim_viewer.__file__).parent / "web" / "js" / "images.js"
NODE = shutil.which("node")
PROGRAM = """
import {{ peculiarVelocity, wrapped }} from {module};
const [box, time, position, velocity] = {given};
const places = position.map((x) => wrapped(box, time, x));
const speeds = position.map((x, k) => peculiarVelocity(box, x, velocity[k]));
console.log(JSON.stringify([places, speeds]));
"""


@pytest.mark.skipif(NODE is None, reason="no Node.js to run the page's functions")
@pytest.mark.parametrize("rate", [0.0, 0.3, -1.7])
def test_places_and_speeds_in_a_sheared_box_are_those_of_the_package(tmp_path: Path, rate: float):
    box, time = Box((-4, -5, 1), (9, 10, 8), shear_rate=rate), 12.34
    rng = np.random.default_rng(1)
    position, velocity = rng.normal(0.0, 40.0, (50, 3)), rng.normal(0.0, 2.0, (50, 3))
    given = {"low": box.low, "size": box.size, "periodic": box.periodic, "shearRate": rate}
    words = json.dumps([given, time, position.tolist(), velocity.tolist()])
    (tmp_path / "images.mjs").write_text(MODULE.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(PROGRAM.format(module='"./images.mjs"', given=words))
    done = subprocess.run(
        [NODE, "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    places, peculiar = json.loads(done.stdout)
    assert places == pytest.approx(wrapped(box, time, position), abs=1e-12)
    assert peculiar == pytest.approx(peculiar_velocity(box, position, velocity), abs=1e-12)
