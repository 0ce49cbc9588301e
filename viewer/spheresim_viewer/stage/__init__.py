"""The stage: what is shown of a world whose obstacles go on for ever."""

from spheresim_viewer.stage.stage import Stage
from spheresim_viewer.stage.surface import Surface

__all__ = ["Stage", "Surface"]
