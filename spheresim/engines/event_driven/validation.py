"""What of an engine is saved, and whether arrays, which may come from a file, can be resumed.

Kernels follow the indices in them without looking. So they are checked to fit the scene,
and lead nowhere outside themselves: arrays that pass may still be of no run, but nothing else
in memory is read or written.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from spheresim.broadphase.sphere_grids.cell_list import LEVEL_FIELDS, cells_along, most_cells
from spheresim.collision.impacts import BALL, NEIGHBOURHOOD_EXIT, OBSTACLE, REST, SLIDE
from spheresim.collision.journal import RECORDS
from spheresim.compiler.simd import SPHERES
from spheresim.contact.ball_state import ASLEEP, FREE, IN_ISLAND, SLIDING
from spheresim.engines.event_driven.engine_state import ROW, EngineState, Measures
from spheresim.engines.event_driven.event_calendar import HEAP
from spheresim.engines.event_driven.event_calendar import ROOM as IN_BUCKET
from spheresim.engines.event_driven.statistics import BLOCKS_KEPT
from spheresim.engines.saved_shapes import check_shapes
from spheresim.engines.sleep_criterion import SLEEP_ARRAYS
from spheresim.numerics.arrays import Integers
from spheresim.numerics.records import Record, array_of, zero_record

_SCRATCH = (
    *("found", "lanes", "names", "numbers", "tangential"),
    *("islands.solver", "islands.active_contacts"),
)
"""Arrays that hold nothing between two calls."""


def lasting(engine_state: EngineState) -> Iterator[tuple[str, np.ndarray]]:
    """All arrays that hold something between two calls, by name."""
    arrays = _arrays(engine_state)
    return ((name, part) for name, part in arrays if not name.startswith(_SCRATCH))


def check_saved(
    saved: Mapping[str, np.ndarray], fresh: Mapping[str, np.ndarray], obstacles: int
) -> None:
    """ValueError if arrays are not of this scene, of this version of the engine, or of no run.

    saved: by name; fresh: those of a new engine for the scene, likewise; obstacles: how many
    there are.
    """
    check_shapes(saved, fresh)
    for name, array in fresh.items():
        if saved[name].dtype != array.dtype:
            raise ValueError(f"it is of another version of the engine: {name} differs")
    if not np.array_equal(saved["body"]["mass"], fresh["body"]["mass"]):
        raise ValueError("it does not fit the scene, whose balls have other masses")
    if stray := stray_array(saved, fresh, obstacles):
        raise ValueError(f"it is damaged: its {stray} points to nothing")


def saved_layout(saved: Mapping[str, np.ndarray], n: int) -> tuple[float, Integers] | None:
    """The density of n balls and the numbers of cells, (levels, 3), to lay the engine out by; None
    if saved arrays give none. Later it is checked whether they are those of the saved cells."""
    measure, level = saved.get("measure"), saved.get("cells.level")
    if measure is None or level is None:
        return None
    fresh = array_of(zero_record(Measures))
    if measure.shape != fresh.shape or measure.dtype != fresh.dtype:
        return None
    if level.dtype != np.dtype(LEVEL_FIELDS) or level.ndim != 1:
        return None
    dense, counts = float(measure["density"][0]), cells_along(level)
    is_sound = (
        0.0 < dense < np.inf
        and 0 < len(counts) <= n
        and (counts > 0).all()
        and counts.astype(float).prod(axis=1).max() <= most_cells(n)
    )
    return (dense, counts) if is_sound else None


def _arrays(tree: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """All arrays in nested named tuples, by path; a record is an array of one."""
    for name, part in tree._asdict().items():
        if hasattr(part, "_asdict"):
            yield from _arrays(part, f"{path}{name}.")
        elif isinstance(part, Record):
            yield path + name, array_of(part)
        elif part is not None:
            yield path + name, part


def stray_array(
    arrays: Mapping[str, np.ndarray], fresh: Mapping[str, Any], obstacles: int
) -> str | None:
    """The name of an array that leads outside, None if all is well.

    arrays: by name, of the types and shapes of the `fresh` ones, which are a new engine's.
    """
    n, rows = len(arrays["ball"]), len(arrays["cells.after"])
    neighbours = arrays["row"].reshape(-1, ROW)[:, 1:]
    spare, buckets = arrays["cells.spare"], arrays["calendar.row"]
    count, turn = arrays["count"][0], arrays["calendar.turn"][0]
    sound = {
        "time": np.isfinite(arrays["time"]).all(),
        "ball": all(np.isfinite(arrays["ball"][name]).all() for name in fresh["ball"].dtype.names),
        "row": (neighbours < n).all(),
        "body": _are_bodies(arrays["body"], fresh["body"], rows, obstacles),
        "hold": _are_holds(arrays["hold"], obstacles),
        "islands": _are_islands(arrays, n, obstacles),
        "rest": _is_proof(arrays, n, obstacles),
        "cells.level": np.array_equal(arrays["cells.level"], fresh["cells.level"]),
        "cells.ball": (arrays["cells.ball"] < n).all(),
        "cells.after": (arrays["cells.after"] < rows).all(),
        "cells.spare": (spare < rows).all(),
        "cells.spares": 0 <= arrays["cells.spares"][0] <= len(spare),
        "calendar.row": (buckets[:, 0] <= IN_BUCKET).all() and (buckets[:, 1:] < n).all(),
        "calendar.heap": (arrays["calendar.heap"] < n).all(),
        "calendar.turn": 0 <= turn["open_bucket"] < len(buckets) and 0 <= turn["heap_size"] <= n,
        "spin": "spin" not in arrays or np.isfinite(arrays["spin"]).all(),
        "count": 0 <= count["recorded"] < RECORDS
        and 1 <= count["blocks"] <= BLOCKS_KEPT
        and 0 <= count["jammed"] <= n,
    }
    stray = next((name for name, is_sound in sound.items() if not is_sound), None)
    heap = arrays["calendar.heap"][: turn["heap_size"]]
    if stray is None and not _are_events(arrays["event"], heap, buckets):
        return "event"
    return stray


def _are_bodies(body: np.ndarray, fresh: np.ndarray, rows: int, obstacles: int) -> bool:
    """Whether all balls are there once, on their grids, in cells that there are, and have hit what
    there is."""
    return bool(
        np.array_equal(np.sort(body["name"]), np.arange(len(body)))
        and np.array_equal(body["level"], fresh["level"])
        and ((body["cell"] >= 0) & (body["cell"] < rows)).all()
        and (body["place"] < rows * SPHERES).all()
        and np.isin(body["held"], (FREE, SLIDING, ASLEEP, IN_ISLAND)).all()
        and ((body["last"] >= -len(body)) & (body["last"] < max(obstacles, 1))).all()
    )


def _are_holds(hold: np.ndarray, obstacles: int) -> bool:
    """Whether what holds balls are obstacles that there are, or none, -1."""
    names = ("support", "left")
    return all(((hold[name] >= -1) & (hold[name] < obstacles)).all() for name in names)


def _are_islands(arrays: Mapping[str, np.ndarray], n: int, obstacles: int) -> bool:
    """Whether the members of islands and what they touch are there, and lead nowhere else."""
    hold, count = arrays["hold"], arrays["count"][0]
    if "islands.contacts" not in arrays:
        return bool(count["members"] == count["contacts"] == 0)
    lists = [arrays["islands.contacts"], arrays["islands.before"]]
    capacity = lists[0].size
    return bool(
        (arrays["islands.member"] < max(n, 1)).all()
        and 0 <= count["members"] <= arrays["islands.member"].size
        and 0 <= count["contacts"] <= capacity
        and (arrays["islands.active"] < max(n, 1)).all()
        and 0 <= max(count["active"], count["step_moved"]) <= arrays["islands.active"].size
        and all(
            ((hold[name] >= -1) & (hold[name] < capacity)).all() for name in ("head", "old_head")
        )
        and all(((part["first"] >= 0) & (part["first"] < max(n, 1))).all() for part in lists)
        and all(((part["second"] >= -obstacles) & (part["second"] < n)).all() for part in lists)
        and all(((part["next"] >= -1) & (part["next"] < capacity)).all() for part in lists)
    )


def _is_proof(arrays: Mapping[str, np.ndarray], n: int, obstacles: int) -> bool:
    """Whether the contacts on which balls sleep are of balls and obstacles that there are."""
    parts = [arrays[name] for name in SLEEP_ARRAYS if name in arrays]
    if not parts:
        return True
    if len(parts) < len(SLEEP_ARRAYS):
        return False
    asleep, first, second, normal, force = parts
    return bool(
        asleep.shape == (n,)
        and first.shape == second.shape == force.shape == (first.size,)
        and normal.shape == (first.size, 3)
        and first.dtype == second.dtype == np.int64
        and ((first >= 0) & (first < n)).all()
        and ((second >= -obstacles) & (second < n)).all()
        and all(np.isfinite(part).all() for part in parts)
    )


def _are_events(
    event: np.ndarray, heap: npt.NDArray[np.uint32], buckets: npt.NDArray[np.uint32]
) -> bool:
    """Whether partners are balls, and each ball in the heap is at the place in its event."""
    in_heap = event["bucket"] == HEAP
    if (event["heap_place"][in_heap] >= len(heap)).any():
        return False
    return bool(
        np.isin(event["kind"], (BALL, OBSTACLE, REST, SLIDE, NEIGHBOURHOOD_EXIT)).all()
        and (event["other"][event["kind"] == BALL] < len(event)).all()
        and ((event["bucket"] >= HEAP) & (event["bucket"] < len(buckets))).all()
        and (heap[event["heap_place"][in_heap]] == np.flatnonzero(in_heap)).all()
        and not np.isnan(event["time"]).any()
    )
