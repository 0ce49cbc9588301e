"""The stage: what is shown of a world whose obstacles go on for ever."""

from viewer.stage.stage import Stage
from viewer.stage.surface import Surface

__all__ = ["Stage", "Surface"]
