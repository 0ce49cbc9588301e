"""All that a frame depends on, so that frames that would be the same are not drawn."""

from copy import copy
from typing import Any, NamedTuple


class FrameState(NamedTuple):
    """To be compared with that of the frame before.

    scene: what the picture of the scene depends on; over: what only the text over it does.
    """

    scene: tuple[object, ...]
    over: tuple[object, ...]


def frame_state(viewer: Any) -> FrameState | None:
    """The state of a viewer's next frame; None if it must be drawn in any case."""
    scene_view = viewer.scene_view
    if scene_view is None or viewer.is_loading or scene_view.dragged is not None:
        return None
    player, camera, pointer = scene_view.player, scene_view.camera, viewer.overlay.pointer
    throw = scene_view.throw
    is_on_text = pointer is not None and (
        viewer.transport.holds(*pointer)
        or viewer.overlay.area_at(*pointer) is not None
        or viewer.overlay.explained_at(*pointer) is not None
    )
    return FrameState(
        (
            *(scene_view, scene_view.picked, player.time, player.settings, copy(viewer.options)),
            *(tuple(v.round(9)) for v in (camera.eye, camera.forward, camera.upward)),
            tuple(camera.shift.round(9)),
            throw and (throw.ball.position, throw.ball.velocity, len(throw.forecast.way)),
        ),
        (
            *(pointer if is_on_text else None, scene_view.picked_obstacle, viewer.notice.lines),
            *(scene_view.is_caption_read, viewer.sliders.typed),
            *(player.running, player.speed, player.furthest, player.seeking, player.lagging),
        ),
    )
