"""What the files of a run are called, and what their columns are."""

from spheresim.scene.faults import one_line
from spheresim.scene.find import RESOLVED
from spheresim.scene.write import BALL_FILE

FRAMES, EVENTS, BALLS, SCENE, INFO, CHECKPOINT = (
    "frames.csv",
    "events.csv",
    "balls.csv",
    RESOLVED,
    "run.json",
    "checkpoint.npz",
)

NAMES = (INFO, SCENE, BALL_FILE, BALLS, FRAMES, EVENTS, CHECKPOINT)
"""All that a run may write."""

PART = ".part"
"""What is written whole or not at all has this behind its name until it is."""

DRAFTS = tuple(name + PART for name in (INFO, SCENE, CHECKPOINT))
"""What a run that was killed may have left half written."""

FRAME_COLUMNS = [
    ("frame", "i8"),
    ("t", "f8"),
    ("ball", "i8"),
    *((name, "f8") for name in ("x", "y", "z", "vx", "vy", "vz")),
]

BALL_COLUMNS = [
    ("ball", "i8"),
    ("name", "O"),
    ("radius", "f8"),
    ("mass", "f8"),
    ("restitution", "f8"),
]


class RunError(ValueError):
    """A run's directory that cannot be written, or read, for the reason given on one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(one_line(reason))
