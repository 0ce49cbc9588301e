"""Which columns stand over a picture, and which part of it they leave free for what is framed."""

from typing import NamedTuple

from spheresim_viewer.camera.framing import LEAST_FREE, Area, Cover
from spheresim_viewer.hud import caption, control_panel, plots
from spheresim_viewer.hud.overlay import Overlay
from spheresim_viewer.hud.readouts import MARGIN, NARROW, usual_height
from spheresim_viewer.hud.readouts import WIDTH as NUMBERS_WIDTH
from spheresim_viewer.scene_view import SceneView

_GAP = 8.0


class Columns(NamedTuple):
    """Whether panel, plots and numbers are drawn, from the right to the left; all_rows: whether the
    numbers have all their rows; plots_right: where the plots end."""

    panel: bool
    plots: bool
    numbers: bool
    all_rows: bool
    plots_right: float

    @property
    def numbers_right(self) -> float:
        """Where the numbers, and the cards beside them, end."""
        return self.plots_right - (plots.WIDTH + _GAP if self.plots else 0.0)


def columns(overlay: Overlay, scene_view: SceneView, in_window: bool) -> Columns:
    """The columns that are switched on and have room; numbers give way to plots.

    Numbers have few rows where the picture is narrow, or where all rows would leave too little of
    it free beside plots, both between the columns and below the numbers.
    """
    options, right = scene_view.options, overlay.width - MARGIN
    has_panel = in_window and control_panel.is_shown(overlay, options)
    if has_panel:
        right -= control_panel.WIDTH + _GAP
    has_plots = bool(options.plots) and plots.has_room(overlay, right)
    room = right - (plots.WIDTH if has_plots else 0.0)
    has_numbers = bool(options.numbers) and (room > NUMBERS_WIDTH + 2.0 * MARGIN or not has_plots)
    between = room - (MARGIN + NUMBERS_WIDTH + 2.0 * _GAP)
    below = overlay.height - usual_height(overlay, True) - _foot(overlay, scene_view, in_window)
    has_room = between > LEAST_FREE * overlay.width or below > LEAST_FREE * overlay.height
    all_rows = overlay.width > NARROW and (not has_plots or has_room)
    return Columns(has_panel, has_plots, has_numbers, all_rows, right)


def covers(overlay: Overlay, scene_view: SceneView, in_window: bool) -> list[Cover]:
    """What covers the picture. Sizes are the usual ones: what changes in a panel moves nothing."""
    found = []

    def add(left: float, low: float, right: float, top: float, *sides: str) -> None:
        across, up = 2.0 / overlay.width, 2.0 / overlay.height
        area = Area(left * across - 1.0, right * across - 1.0, low * up - 1.0, top * up - 1.0)
        found.append(Cover(area, sides))

    width, height = overlay.width, overlay.height
    foot = _foot(overlay, scene_view, in_window)
    if foot > MARGIN:
        add(0.0, 0.0, width, foot, "bottom")
    shown = columns(overlay, scene_view, in_window)
    if shown.panel:
        add(shown.plots_right, foot, width, height, "right")
    if shown.plots:
        add(shown.numbers_right, foot, width, height, "right")
    if shown.numbers:
        low = height - usual_height(overlay, shown.all_rows)
        add(0.0, low, MARGIN + NUMBERS_WIDTH + _GAP, height, "left", "top")
    return found


def _foot(overlay: Overlay, scene_view: SceneView, in_window: bool) -> float:
    """The height of what stands along the lower edge, in points."""
    height = caption.height(overlay, scene_view.scene.view, in_window)
    return caption.foot(in_window) + height
