"""The names of the files of a run, and the columns of its tables.

Those of impacts and contacts are where these tables are made: `collision.impacts`,
`contact.contact_table`. The numbers of `flights.bin` are laid out in `flights_file`.
"""

from spheresim.scene.faults import one_line
from spheresim.scene.find import RESOLVED
from spheresim.scene.write import BALL_FILE, MESH_FILE

FRAMES, EVENTS, CONTACTS, BALLS, SCENE, INFO, CHECKPOINT = (
    "frames.csv",
    "events.csv",
    "contacts.csv",
    "balls.csv",
    RESOLVED,
    "run.json",
    "checkpoint.npz",
)

FLIGHTS = "flights.bin"

FRAMES_PARQUET, EVENTS_PARQUET = "frames.parquet", "events.parquet"
FRAMES_XYZ, FRAMES_GSD = "frames.xyz", "frames.gsd"

IN_EVERY_FORMAT = (INFO, SCENE, BALL_FILE, BALLS, FLIGHTS, CONTACTS, CHECKPOINT, MESH_FILE)
"""What a run may write besides the files of its formats (see `formats.catalogue`)."""

PARQUET_OF = {FRAMES: FRAMES_PARQUET, EVENTS: EVENTS_PARQUET}
"""The folder of the same table as a CSV."""

PART_NAME = "{}.parquet"
"""A file in such a folder."""

PART = ".part"
"""The suffix of a file that is not complete yet (see `atomic`)."""

FRAME_COLUMNS = [
    ("frame", "i8"),
    ("t", "f8"),
    ("ball", "i8"),
    *((name, "f8") for name in ("x", "y", "z", "vx", "vy", "vz")),
]

SPIN_COLUMNS = [(name, "f8") for name in ("wx", "wy", "wz")]
"""Those that follow where spins are followed: angular velocities."""


def frame_columns(has_spin: bool) -> list[tuple[str, str]]:
    """All columns of a table of frames."""
    return [*FRAME_COLUMNS, *SPIN_COLUMNS] if has_spin else FRAME_COLUMNS


BALL_COLUMNS = [
    ("ball", "i8"),
    ("name", "O"),
    ("radius", "f8"),
    ("mass", "f8"),
    ("restitution", "f8"),
]


def ball_columns(has_spin: bool) -> list[tuple[str, str]]:
    """All columns of a table of balls: with spins also their moments of inertia."""
    return [*BALL_COLUMNS, ("inertia", "f8")] if has_spin else BALL_COLUMNS


class RunError(ValueError):
    """A run's directory cannot be written or read; the message is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(one_line(reason))
