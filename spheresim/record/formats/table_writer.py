"""What the writer of every format answers, and what it is made from."""

from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

from spheresim.collision.impacts import Impacts
from spheresim.model.state import State
from spheresim.scene import Scene


class Place(NamedTuple):
    """Where a run is written, and of what: obstacles are their names; `frames` is `frames.csv`,
    open and locked, and empty unless the run is written as CSV."""

    directory: Path
    scene: Scene
    obstacles: Sequence[str]
    frames: FileIO


class Kept(NamedTuple):
    """How much was written at a checkpoint: frames, impacts, and bytes of each growing file."""

    frames: int
    events: int
    sizes: Sequence[int]


class TableWriter(Protocol):
    """Writes frames and impacts in one format. What it has taken is read back whole, up to what
    `sync` or `close` has seen at the least, whatever ends the process."""

    files: ClassVar[tuple[str, ...]]
    """The names in the run's directory that it writes."""
    package: ClassVar[str | None]
    """What must be installed for it beyond what is always there, if anything."""
    sizes_kept: ClassVar[int]
    """How many numbers `sizes` gives."""

    def __init__(self, place: Place) -> None: ...

    def begin(self) -> None:
        """Create the files."""

    def check(self, kept: Kept) -> None:
        """RunError unless the files hold what they did at a checkpoint."""

    def go_on(self, kept: Kept) -> None:
        """Take away what was written after a checkpoint, and go on from there."""

    def frame(self, number: int, state: State) -> None:
        """Write a frame: all balls at the time of a state."""

    def impacts(self, first: int, batch: Impacts) -> None:
        """Write a batch of impacts, counted from `first` on."""

    def sizes(self) -> list[int]:
        """The bytes written so far of each file that grows."""

    def sync(self) -> None:
        """Return when all that was taken is on the disk."""

    def close(self) -> None:
        """Write what is left, and close the files."""
