"""Scenes at their best moments, as for the plates of a book; golden pictures chosen by eye.

With those of the lessons they are twenty.
"""

import pytest

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]

SIZE = (640, 400)
PLATES = {
    "room": ("magic_room", 418.2, ""),
    "first-impact": ("magic_room", 0.0, "n j o"),
    "slices": ("two_balls", 0.0, "n u u u"),
    "gas": ("gas_in_a_box", 1.0, ""),
    "star": ("billiard_in_a_tube", 14.0, ""),
    "pile": ("pile", 0.6, ""),
    "pillars": ("pillars", 1.6, "c"),
    "obstacles": ("pinball", 1.0, ""),
}


@pytest.mark.parametrize("plate", PLATES)
def test_a_plate(reopen_desk, compare, plate):
    name, time, keys = PLATES[plate]
    desk = reopen_desk(name, size=SIZE)
    desk.player.pause()
    desk.options.numbers, desk.options.explosions = False, False
    desk.options.shadows = True
    desk.options.trails |= plate in ("room", "star", "obstacles")
    if name == "billiard_in_a_tube":
        desk.scene_view.trails.last(4.2)  # the whole star
    desk.press(*keys.split())
    for moment in [*desk.scene_view.trails.times_before(time), time] if time else ():
        desk.go_to(moment)
        desk.pass_time(1, 0.0)
    desk.viewer.notice.clear()
    desk.settle()
    compare(f"plate-{plate}", desk.captured())
