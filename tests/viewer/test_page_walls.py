"""Obstacles that move on a page: its JavaScript against the package's own frames."""

from pathlib import Path

import numpy as np
import pytest
from page_script import by_script, needs_node
from spheresim_viewer.web.moving_walls import motions, moving_walls

from spheresim import Run, Simulation
from spheresim.model.state import packed_obstacles
from spheresim.obstacles.driven_walls.moving_walls import wall_records
from spheresim.obstacles.driven_walls.replay import frames_at, records_after

POINT = (0.3, -0.7, 1.1)
SCENE = """
duration = 3
engine = "events"
[[plane]]
point = [0, -1, 0]
normal = [0, 1, 0]
motion = { kind = "oscillation", amplitude = 0.1, frequency = 0.7, axis = [0, 1, 0], phase = 0.4 }
[[plane]]
point = [0, 2, 0]
normal = [0, -1, 0]
motion = { kind = "piston", mass = 3, force = 2 }
[[cuboid]]
center = [3, 0, 0]
size = [1, 1, 1]
motion = { kind = "rotation", axis = [0, 0, 1], frequency = 0.2, point = [3, 0.5, 0] }
[[sphere]]
center = [-3, 0, 0]
radius = 0.5
motion = { kind = "piecewise", times = [0, 1, 2], offsets = [[0, 0, 0], [0, 1, 0], [1, 1, 0]] }
[[ball]]
position = [0, 0, 0]
velocity = [0, 3, 0]
radius = 0.1
"""
PROGRAM = """
import { Walls, carried } from "./walls.mjs";
const [motions, arrays, times, point] = GIVEN;
for (const name in arrays) arrays[name] = Float64Array.from(arrays[name]);
const walls = new Walls(motions, arrays);
const at = (time) => Array.from(walls.at(time), ([k, frame]) => [k, carried(frame, point)]);
const places = times.map(at);
console.log(JSON.stringify(places));
"""


@pytest.mark.compiled_only
@needs_node
def test_obstacles_that_move_are_where_the_package_has_them(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text(SCENE)
    Simulation.load(tmp_path / "scene.toml").save(tmp_path / "run", until=3.0)
    run, times = Run.load(tmp_path / "run"), [0.0, 0.4, 1.3, 2.9]
    rows, walls = run.replay.rows, packed_obstacles(run.scene.obstacles)[1]
    arrays = {name: column.tolist() for name, (_, column) in moving_walls(run.scene, rows).items()}
    found = by_script(tmp_path, PROGRAM, [motions(run.scene), arrays, times, POINT])
    for time, places in zip(times, found, strict=True):
        before = rows.t <= time
        of_obstacle = np.where(rows.kind == 1, rows.other, -1)[before]
        records = records_after(
            walls, wall_records(walls), rows.t[before], of_obstacle, rows.impulse[before]
        )
        frames = frames_at(walls, records, time)
        assert len(places) == len(frames) == 4
        for owner, place in places:
            frame = frames[owner]
            assert frame.seen(type(frame.offset)(place)) == pytest.approx(POINT, abs=1e-12)
