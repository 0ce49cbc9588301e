"""The stage: the part of a world that is shown, although its obstacles are infinite."""

from spheresim_viewer.stage.stage import Stage, box_corners
from spheresim_viewer.stage.surface import Surface

__all__ = ["Stage", "Surface", "box_corners"]
