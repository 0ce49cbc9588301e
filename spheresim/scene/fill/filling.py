"""The balls of a fill: in its room, clear of those before them."""

from collections.abc import Set as AbstractSet

from spheresim.model.balls import Balls
from spheresim.model.shear_flow import flow, is_sheared
from spheresim.model.state import Box
from spheresim.scene.arena import Arena
from spheresim.scene.faults import Faults
from spheresim.scene.fill.arrange import arrange
from spheresim.scene.fill.properties import seed_of
from spheresim.scene.fill.room import Room, corners_of, enclosed_room, make_room, too_wide
from spheresim.scene.fill.sides import right_side
from spheresim.scene.fill.spheres import spheres_of, with_images
from spheresim.scene.schema.balls import FillTable


def filled(
    fill: FillTable,
    index: int,
    restitution: float,
    arena: Arena,
    balls: Balls,
    faults: Faults,
    unsound: AbstractSet[str] = frozenset(),
) -> Balls:
    """The balls of a fill, clear of those before it; none if there is a fault.

    index: among the fills, from 0; unsound: the kinds of tables of which faults have been
    reported, so that what follows from them is not reported too.
    """
    obstacles, box = arena
    room = _room_of(fill, f"fill[{index}]", arena, faults, unsound)
    if room is None:
        return Balls.of([])
    try:
        others = spheres_of(balls)
        if box is not None:
            others = with_images(others, box, room.low, room.high)
        side = right_side(room, obstacles)
        new = arrange(fill, seed_of(fill, index), room, others, restitution, side)
        return _in_flow(new, box) if is_sheared(box) else new
    except ValueError as failure:
        faults.add(f"fill[{index}]", str(failure))
        return Balls.of([])


def _in_flow(balls: Balls, box: Box | None) -> Balls:
    """The balls, moving along with the flow of a sheared box beside their own velocities."""
    return balls.replaced(velocity=balls.velocity + flow(box, balls.position))


def _room_of(
    fill: FillTable, field: str, arena: Arena, faults: Faults, unsound: AbstractSet[str]
) -> Room | None:
    """The room that a fill fills; None if there is a fault.

    It is the fill's region, else the box, else the room that planes enclose.
    """
    obstacles, box = arena
    if fill.region is not None:
        low, high = corners_of(fill.region, fill.radius[1])
        if box is not None and (fault := too_wide(low, high, box)):
            faults.add(f"{field}.region", fault)
            return None
        return make_room(low, high, obstacles, box)
    if box is not None:
        return make_room(box.low, box.low + box.size, obstacles, box, box.periodic)
    if "box" in unsound:
        return None
    corners = enclosed_room(obstacles)
    if not isinstance(corners, str):
        return make_room(*corners, obstacles)
    if "plane" not in unsound:
        faults.add(
            f"{field}.region",
            f"is missing, and the planes enclose no axis-aligned room that it could be: {corners}",
        )
    return None
