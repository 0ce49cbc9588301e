"""Fills and ball files in Python, by the words of the scene file."""

from collections.abc import Iterable, Sequence
from itertools import count, groupby
from os import PathLike
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from spheresim.model.ball_views import BallView, BallViews
from spheresim.model.balls import Ball, Balls
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box
from spheresim.numerics.arguments import shown
from spheresim.scene.arena import Arena
from spheresim.scene.ball_file import read_ball_file
from spheresim.scene.box import resolve_box
from spheresim.scene.faults import Faults
from spheresim.scene.fill.filling import filled
from spheresim.scene.python_values import as_in_file
from spheresim.scene.schema.balls import FillTable
from spheresim.scene.schema.scene import BoxTable
from spheresim.scene.schema_messages import describe


class Fill:
    """Many balls that do not overlap obstacles or each other, as input for a `Simulation`.

    The arguments are the fields of [[fill]] in a scene file. count: the number of balls; radius: a
    number, or (smallest, largest) for a uniform distribution [length]; region: {"low": …, "high":
    …}, by default the box, or the room that planes enclose; mass [mass] or density [mass/length³];
    temperature (kT) [mass·length²/time²] or mean speed [length/time]; rotational_temperature: kT of
    the spins; seed: of the random numbers; arrangement: "random", "cubic" or "fcc";
    packing_fraction: makes the box a periodic cube of the right size; material, inertia_factor,
    acceleration, color: as of a `Ball`. ValueError for a wrong value.

    >>> fill = Fill(count=500, radius=0.5, arrangement="fcc", packing_fraction=0.3, temperature=1)
    >>> fill
    Fill(count=500, radius=0.5, arrangement='fcc', packing_fraction=0.3, temperature=1)
    """

    __slots__ = ("table", "words")

    def __init__(self, count: int, radius: float | Sequence[float], **words: Any) -> None:
        self.words = {"count": count, "radius": radius, **words}
        raw = {name: as_in_file(value) for name, value in self.words.items() if value is not None}
        try:
            self.table = FillTable.model_validate(raw)
        except ValidationError as failure:
            sentences = []
            for error in failure.errors(include_url=False):
                error["loc"] = ("fill", 0, *error["loc"])
                field, what = describe(error, {"fill": [raw]})
                field = field.replace("fill[0].", "a fill's ", 1).replace("fill[0]", "a fill")
                what = what.replace("must be a table", "must be a dict", 1)
                sentences.append(f"{field} {what}")
            raise ValueError("; ".join(dict.fromkeys(sentences))) from None

    def __repr__(self) -> str:
        return f"Fill({', '.join(f'{name}={value!r}' for name, value in self.words.items())})"


class BallFile:
    """Balls from a CSV file, as [[ball_file]] in a scene file.

    path: a file with the columns x, y, z, vx, vy, vz, radius, and optionally mass, restitution,
    name, color, wx, wy, wz, material, inertia_factor, ax, ay and az."""

    __slots__ = ("path",)

    def __init__(self, path: str | PathLike[str]) -> None:
        if not isinstance(path, str | PathLike):
            raise TypeError(f"a ball file must be a path, not {shown(path)}")
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"BallFile({str(self.path)!r})"


Given = Ball | Fill | BallFile
"""What a simulation may be given balls as."""


def listed(given: Iterable[Given] | Given) -> Sequence[Given]:
    """What was given, one or many, as a sequence; TypeError for what is none of these."""
    if isinstance(given, str):
        raise TypeError(
            f"balls must be Ball, Fill or BallFile, not {shown(given)}: Simulation.load makes a "
            "simulation from a scene's name or file"
        )
    if not isinstance(given, Iterable):
        return listed([given])
    items = given if isinstance(given, Sequence) else list(given)
    if not isinstance(items, Balls | BallViews):
        for item in items:
            if not isinstance(item, Given | BallView):
                raise TypeError(f"balls must be Ball, Fill or BallFile, not {shown(item)}")
    return items


def box_of(given: Sequence[Given], box: Box | None) -> Box | None:
    """The box: that which is given, or a periodic cube of a fill's packing fraction, or None.

    ValueError where the two contradict each other, or two fills do.
    """
    kinds: dict[str, dict[int, Any]] = {
        word: dict(enumerate(item for item in given if isinstance(item, kind)))
        for word, kind in (("fill", Fill), ("ball_file", BallFile), ("ball", Ball))
        if not isinstance(given, Balls)
    }
    fills = {index: fill.table for index, fill in kinds.get("fill", {}).items()}
    if all(fill.packing_fraction is None for fill in fills.values()):
        return box
    words = {} if box is None else {"low": list(box.low), "size": list(box.size)}
    faults = Faults("a simulation")
    made = resolve_box(BoxTable.model_validate(words), {**kinds, "fill": fills}, faults)
    faults.raise_any()
    return made


def placed_balls(
    given: Sequence[Given], obstacles: Sequence[Obstacle], box: Box | None, before: Balls
) -> Balls:
    """Balls, and those of fills and files, in the order given, after those that were before.

    As in a scene, the fill of index k has the seed k if it names none. SceneError, a
    ValueError, says what does not fit or cannot be read.
    """
    if isinstance(given, Balls):
        return before + given if len(before) else given
    faults, balls, arena = Faults("a simulation"), before, Arena(obstacles, box)
    fills, files = count(), count()
    for is_single, items in groupby(given, key=lambda item: not isinstance(item, Fill | BallFile)):
        if is_single:
            balls += Balls.of(cast(Iterable[Ball], items))
            continue
        for item in items:
            if isinstance(item, Fill):
                balls += filled(item.table, next(fills), 1.0, arena, balls, faults)
            elif isinstance(item, BallFile):
                field = f"ball_file[{next(files)}].path"
                balls += read_ball_file(item.path, 1.0, faults, field)
    faults.raise_any()
    return balls
