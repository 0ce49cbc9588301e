"""The number of balls in each of a scene's cells: counted, and written over the cell."""

import numpy as np
import pytest
from spheresim_viewer.cell_counts import cell_counts, cell_tops

from spheresim.scene.view import Counts

COUNTS = Counts((-1.0, 0.0, 0.0), (1.0, 2.0, 1.0), (2, 1, 1))


def test_each_centre_is_counted_in_one_cell():
    """Inside, on the face between two cells, on the outer faces, and outside of all."""
    places = [(-0.5, 1, 0.5), (0, 1, 0.5), (-1, 0, 0), (1, 2, 1), (1.1, 1, 0.5), (0.5, -1, 0.5)]
    assert cell_counts(COUNTS, np.array(places, float)).ravel().tolist() == [2, 2]


@pytest.mark.parametrize(
    ("up", "first"), [((0, 1, 0), (-0.5, 2.0, 0.5)), ((0, 0, -1), (-0.5, 1.0, 0.0))]
)
def test_a_number_stands_above_the_middle_of_its_cell(up, first):
    tops = cell_tops(COUNTS, np.array(up, float))
    assert tops.tolist() == [list(first), [0.5, *first[1:]]]


def test_of_numbers_that_would_overlap_the_largest_is_written(screen):
    from spheresim_viewer.hud.counts import apart  # it needs a display

    middle = np.array([(0, 0), (8, 0), (16, 0), (60, 0), (60, 9), (60, 30)], float)
    found = np.array([2, 0, 5, 1, 1, 0])
    assert apart(middle, np.full(6, 10.0), np.full(6, 12.0), found).tolist() == [0, 2, 3, 5]


@pytest.mark.compiled_only
def test_the_numbers_are_written_and_counted_anew_as_time_goes(open_desk, tmp_path):
    scene = tmp_path / "fall.toml"
    scene.write_text("""
duration = 2
[view]
counts = { low = [-1, 0, -1], high = [1, 4, 1], cells = [1, 2, 1] }
[[ball]]
position = [0, 3.5, 0]
velocity = [0, -1, 0]
radius = 0.2
""")
    desk = open_desk(str(scene), size=(400, 300))
    desk.press("space", "h")
    for time, numbers in ((0.0, ["1", "0"]), (1.6, ["0", "1"])):
        desk.go_to(time)
        desk.settle()
        desk.captured()
        written = desk.viewer.overlay.written()
        upper = sorted((text for text in written if text[0] in "01"), key=lambda text: -text[1][1])
        assert [text for text, _box in upper] == numbers
