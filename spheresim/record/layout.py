"""What the files of a run are called, and what their columns are."""

FRAMES, EVENTS, BALLS, SCENE, INFO, CHECKPOINT = (
    "frames.csv",
    "events.csv",
    "balls.csv",
    "scene.toml",
    "run.json",
    "checkpoint.npz",
)

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
    """A run's directory that cannot be written, or read, for the reason given."""
