"""What a page is told of obstacles that move: their motions, and pistons after each impact."""

from typing import Any

import numpy as np

from spheresim.collision.impacts import OBSTACLE, Impacts
from spheresim.model.state import packed_obstacles
from spheresim.obstacles.driven_walls.moving_walls import wall_records
from spheresim.obstacles.driven_walls.placement import NO_MOTION, PISTON
from spheresim.obstacles.driven_walls.replay import records_after
from spheresim.scene import Scene
from spheresim_viewer.web.surroundings import Arrays


def motions(scene: Scene) -> list[dict[str, Any]]:
    """Index (`owner`), kind and numbers of the obstacles that move: see `placement`."""
    walls = packed_obstacles(scene.obstacles)[1]
    if not walls.any_move():
        return []
    return [
        {
            "owner": int(walls.owner[w]),
            "kind": int(walls.kind[w]),
            "numbers": walls.numbers[w].tolist(),
        }
        for w in np.flatnonzero(walls.kind != NO_MOTION).tolist()
    ]


def moving_walls(scene: Scene, rows: Impacts) -> Arrays:
    """The knots of piecewise motions; time, obstacle, place and speed of pistons after impacts."""
    walls = packed_obstacles(scene.obstacles)[1]
    if not walls.any_move():
        return {}
    records, pistons = wall_records(walls), np.flatnonzero(walls.kind == PISTON)
    hit = (rows.kind == OBSTACLE) & np.isin(rows.other, walls.owner[pistons])
    after = [(0.0, walls.owner[w], records[w].place, records[w].speed) for w in pistons]
    for row in np.flatnonzero(hit).tolist():
        one = slice(row, row + 1)
        records = records_after(walls, records, rows.t[one], rows.other[one], rows.impulse[one])
        w = int(np.flatnonzero(walls.owner == rows.other[row])[0])
        after.append((rows.t[row], rows.other[row], records[w].place, records[w].speed))
    columns = np.array(after, dtype=np.float64).reshape(-1, 4).T
    of_pistons = zip(("t", "owner", "place", "speed"), columns, strict=True)
    return {
        "knots": ("f8", np.asarray(walls.knots, dtype=np.float64).ravel()),
        **{f"piston.{name}": ("f8", column) for name, column in of_pistons},
    }
