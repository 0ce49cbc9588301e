"""What a run is made from: all of the scene and the options that decides the bytes it writes.

A checkpoint keeps it, so that a run is resumed only with what it began with. The duration is
left out: a run may be resumed for longer.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from spheresim.model.labels import Labels
from spheresim.numerics.arrays import Floats
from spheresim.scene import Scene
from spheresim.version import __version__

_SETTINGS = {
    "spheresim": "the version of spheresim",
    "frame_every": "frame_every",
    "gravity": "gravity",
    "box": "the box",
    "rest": "[rest]",
    "surfaces": "what surfaces do",
    "events": "--events",
    "formats": "--format",
    "balls": "the number of balls",
}
_COLUMNS = (
    *("position", "velocity", "radius", "mass", "restitution", "name", "color"),
    *("angular_velocity", "material", "inertia_factor"),
)


def origin_of(scene: Scene, events: bool, formats: Sequence[str] = ("csv",)) -> dict[str, Any]:
    """The origin of a run of a scene, as JSON; `events`: whether impacts are written."""
    box = scene.box
    return {
        "spheresim": __version__,
        "frame_every": scene.frame_every,
        "gravity": list(scene.gravity),
        "box": None if box is None else [*map(list, box[:3]), box.shear_rate],
        "rest": dict(scene.rest._asdict()),
        "surfaces": repr(scene.surfaces),
        "events": "all" if events else "none",
        "formats": ",".join(formats),
        "seed": scene.seed,
        "balls": len(scene.balls),
        "columns": {name: _column(getattr(scene.balls, name)) for name in _COLUMNS},
        "obstacles": {
            str(obstacle.name): f"{obstacle.shape!r}, restitution {obstacle.restitution!r}"
            f"{'' if obstacle.material is None else f', material {obstacle.material!r}'}"
            for obstacle in scene.obstacles
        },
    }


def _column(column: Floats | Labels) -> dict[str, Any]:
    """The checksum of a column of the balls; with the range of its values if it has numbers."""
    if isinstance(column, np.ndarray):
        code = np.ascontiguousarray(column).tobytes()
        spread = {"from": float(column.min()), "to": float(column.max())}
    else:
        code, spread = "\n".join(map(str, column)).encode(), {}
    return {"sha256": hashlib.sha256(code).hexdigest(), **spread}


def differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """A sentence on how two origins differ; "" if they are the same."""
    return "; ".join(_differences(was, now))


def _differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name, words in _SETTINGS.items():
        if was.get(name) != now[name]:
            yield f"{words} was {was.get(name)}, is {now[name]}"
    before, after = was["obstacles"], now["obstacles"]
    for name in [*before, *(name for name in after if name not in before)]:
        if before.get(name) != after.get(name):
            yield f"{name} was {before.get(name, 'not there')}, is {after.get(name, 'not there')}"
    if list(before) != list(after) and before == after:
        yield "the obstacles are in another order"
    columns = {name: was["columns"].get(name, {}) for name in _COLUMNS}
    changed = [name for name in _COLUMNS if columns[name] != now["columns"][name]]
    if changed and was["seed"] != now["seed"]:
        yield f"the seed was {was['seed']}, is {now['seed']}"
    elif was["balls"] == now["balls"]:
        for name in changed:
            yield f"the balls' {name} {_change(columns[name], now['columns'][name])}"


def _change(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    before, after = _span(was), _span(now)
    return f"was {before}, is {after}" if before != after else "is not what it was"


def _span(column: Mapping[str, Any]) -> str:
    if "from" not in column:
        return ""
    low, high = column["from"], column["to"]
    return repr(low) if low == high else f"from {low!r} to {high!r}"
