"""Fills and ball files in Python, by the words of the scene file."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from spheresim.model.balls import Ball, Balls
from spheresim.model.state import Box, Obstacle
from spheresim.scene.ball_file import read_ball_file
from spheresim.scene.box import resolve_box
from spheresim.scene.error_messages import describe
from spheresim.scene.faults import Faults
from spheresim.scene.fill.filling import filled
from spheresim.scene.tables.balls import FillTable
from spheresim.scene.tables.scene import BoxTable


class Fill:
    """Many balls, put where there is room: clear of obstacles and of the balls before them.

    Its words are those of [[fill]] in a scene file: count; radius, a number or (smallest,
    largest); region, {"low": …, "high": …}, by default the box or the room that planes enclose;
    mass or density; temperature or speed; seed; arrangement, "random", "cubic" or "fcc";
    packing_fraction, which makes the box a periodic cube; color. ValueError says what is wrong.

    >>> fill = Fill(count=500, radius=0.5, arrangement="fcc", packing_fraction=0.3, temperature=1)
    >>> fill
    Fill(count=500, radius=0.5, arrangement='fcc', packing_fraction=0.3, temperature=1)
    """

    __slots__ = ("table", "words")

    def __init__(self, count: int, radius: Any, **words: Any) -> None:
        self.words = {"count": count, "radius": radius, **words}
        raw = {name: _plain(value) for name, value in self.words.items() if value is not None}
        try:
            self.table = FillTable.model_validate(raw)
        except ValidationError as failure:
            sentences = []
            for error in failure.errors(include_url=False):
                error["loc"] = ("fill", 0, *error["loc"])
                field, what = describe(error, {"fill": [raw]})
                sentences.append(f"{field.replace('fill[0]', 'a fill', 1)} {what}")
            raise ValueError("; ".join(sentences)) from None

    def __repr__(self) -> str:
        return f"Fill({', '.join(f'{name}={value!r}' for name, value in self.words.items())})"


class BallFile:
    """Balls from a CSV file with the columns x, y, z, vx, vy, vz, radius[, mass, restitution,
    name, color], as [[ball_file]] in a scene file."""

    __slots__ = ("path",)

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"BallFile({str(self.path)!r})"


Placed = Ball | Fill | BallFile


def box_of(items: Sequence[Any], box: Box | None) -> Box | None:
    """The box: that which is given, or a periodic cube of a fill's packing fraction, or None.

    ValueError where the two contradict each other, or two fills do.
    """
    faults = Faults("a simulation")
    fills = [item.table for item in items if isinstance(item, Fill)]
    if box is not None:
        words = (list(map(float, box.low)), list(map(float, box.size)), list(box.periodic))
        table = BoxTable(low=words[0], size=words[1], periodic=words[2])
    elif any(fill.packing_fraction is not None for fill in fills):
        table = BoxTable()
    else:
        return None
    kinds = {
        "fill": dict(enumerate(fills)),
        "ball": dict(enumerate(item for item in items if isinstance(item, Ball))),
        "ball_file": dict(enumerate(item for item in items if isinstance(item, BallFile))),
    }
    made = resolve_box(table, kinds, faults)
    faults.raise_any()
    return made


def placed_balls(items: Iterable[Any], obstacles: list[Obstacle], box: Box | None) -> Balls:
    """Balls, and those of fills and files, in the order in which they are given.

    As in a scene, the fill of index k has the seed k if it names none. SceneError, a
    ValueError, says what does not fit or cannot be read.
    """
    faults = Faults("a simulation")
    balls, fills, files = Balls.of([]), 0, 0
    for item in items:
        if isinstance(item, Fill):
            balls += filled(item.table, fills, 1.0, obstacles, box, balls, faults)
            fills += 1
        elif isinstance(item, BallFile):
            balls += read_ball_file(item.path, 1.0, faults, f"ball_file[{files}].path")
            files += 1
        else:
            balls += Balls.of([item])
    faults.raise_any()
    return balls


def _plain(value: Any) -> Any:
    """A value as a scene file has it: lists and plain numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return value
