"""The format `xyz`: frames.xyz, extended XYZ, which OVITO and ASE open.

One frame after another: the number of balls; a line with time, box and the names of the columns;
a line for each ball. Impacts have no place in it.
"""

from typing import ClassVar

import numpy as np

from spheresim.collision.impacts import Impacts
from spheresim.model.periodic_wrap import slide
from spheresim.model.state import Box, State
from spheresim.record.csv_lines import numeric_rows
from spheresim.record.files_and_columns import FRAMES_XYZ, RunError
from spheresim.record.formats.table_writer import Kept, Place
from spheresim.record.line_file import LineFile

_COLUMNS = "species:S:1:pos:R:3:velo:R:3{}:radius:R:1:mass:R:1:id:I:1"
_SPINS = ":angular_velocity:R:3"


class XyzFrames:
    """See `TableWriter`."""

    files: ClassVar[tuple[str, ...]] = (FRAMES_XYZ,)
    package: ClassVar[str | None] = None
    sizes_kept: ClassVar[int] = 1

    def __init__(self, place: Place) -> None:
        self._path = place.directory / FRAMES_XYZ
        balls = place.scene.balls
        self._first_line = f"{len(balls)}\n"
        self._box = place.scene.box
        self._columns = _COLUMNS.format(_SPINS if place.scene.has_spin else "")
        own = numeric_rows(np.stack([balls.radius, balls.mass], axis=1))
        self._own = [b"%b,%d\n" % (row, ball) for ball, row in enumerate(own)]

    def begin(self) -> None:
        self._file = LineFile(self._path.open("xb", buffering=0))

    def check(self, kept: Kept) -> None:
        self._old = self._path.open("r+b", buffering=0)
        self._old.seek(max(0, kept.sizes[0] - 1))
        if kept.sizes[0] < 0 or (kept.sizes[0] and self._old.read(1) != b"\n"):
            raise RunError(f"{self._path}: is not what it was when the checkpoint was made")

    def go_on(self, kept: Kept) -> None:
        self._file = LineFile(self._old, keep=kept.sizes[0])

    def frame(self, number: int, state: State) -> None:
        time = float(state.time[0])
        box = box_words(self._box, time)
        head = f"{self._first_line}{box} Properties={self._columns} Time={time!r} frame={number}\n"
        vectors = [state.position, state.velocity]
        if state.angular_velocity is not None:
            vectors.append(state.angular_velocity)
        rows = numeric_rows(np.hstack(vectors))
        lines = [b"X,%b,%b" % both for both in zip(rows, self._own, strict=True)]
        self._file.append(head.encode() + b"".join(lines).replace(b",", b" "))

    def impacts(self, first: int, batch: Impacts) -> None:
        """Nothing: the format has no place for them."""

    def sizes(self) -> list[int]:
        return [self._file.size()]

    def sync(self) -> None:
        self._file.sync()

    def close(self) -> None:
        self._file.close()


def box_words(box: Box | None, time: float = 0.0) -> str:
    """The words of a box in extended XYZ; `pbc` says along which axes it is periodic.

    In a sheared box the second vector of the lattice leads to the image above, which slides.
    """
    if box is None:
        return 'pbc="F F F"'
    x, y, z = box.size
    origin = " ".join(map(repr, box.low))
    periodic = " ".join("T" if along else "F" for along in box.periodic)
    slid = float(slide(box, time)) if box.is_sheared else 0.0
    lattice = f"{x!r} 0.0 0.0 {slid!r} {y!r} 0.0 0.0 0.0 {z!r}"
    return f'Lattice="{lattice}" Origin="{origin}" pbc="{periodic}"'
