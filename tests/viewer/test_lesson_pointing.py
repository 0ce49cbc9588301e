"""What is pointed at beside the picture lights up in it, and labels show their places."""

import numpy as np
import pytest
from spheresim_viewer.lessons.catalogue import LESSONS

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]

SIZE = (1280, 800)


def laid_out(writing, page, pointed):
    """The colors of all triangles of a page, at something that is pointed at."""
    writing.overlay.begin(*SIZE, 1.0)
    writing.begin()
    page.lesson.pointed = pointed
    page.draw(writing)
    return np.concatenate(writing.overlay._colors)


def glowing(colors):
    from spheresim_viewer.lessons.diagram import _GLOW

    return int(np.count_nonzero((np.abs(colors - _GLOW) < 1e-9).all(axis=1)))


@pytest.mark.parametrize("name", LESSONS)
def test_what_has_a_color_in_the_picture_lights_up(writing, name):
    from spheresim_viewer.lessons.catalogue import lesson_class
    from spheresim_viewer.lessons.page import LessonPage

    page = LessonPage(lesson_class(name)(), lambda: None)
    page.lesson.pose()
    page.go(len(page.guide.steps))
    assert glowing(laid_out(writing, page, "")) == 0
    named = [row.name for row in page.lesson.figures() if row.swatch is not None]
    # What a figure says of another state is not in the picture of this one.
    assert any(glowing(laid_out(writing, page, row)) for row in named)


def test_the_axis_of_a_row_is_drawn_while_it_is_pointed_at(writing):
    from spheresim_viewer.lessons.page import LessonPage
    from spheresim_viewer.lessons.sat import SatLesson

    page = LessonPage(SatLesson(), lambda: None)
    page.go(len(page.guide.steps))
    laid_out(writing, page, "")
    rows = [row.name for row in page.lesson.chart().rows]
    for row in rows:
        laid_out(writing, page, row)
        assert [text.text for text in writing.written].count(
            row
        ) == 2  # in its row, and at the axis
    chosen = page.lesson.chart().chosen
    laid_out(writing, page, "")
    assert page.lesson.chart().chosen == chosen


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", LESSONS)
def test_what_is_pointed_at_in_the_picture_lights_up_its_row(writing, name):
    from spheresim_viewer.lessons.catalogue import lesson_class
    from spheresim_viewer.lessons.colors import CHOSEN
    from spheresim_viewer.lessons.page import LessonPage

    page = LessonPage(lesson_class(name)(), lambda: None)
    page.lesson.pose()
    page.go(len(page.guide.steps))
    laid_out(writing, page, "")
    figures = {row.name: row.swatch for row in page.lesson.figures() if row.swatch is not None}
    box = page.diagram.box
    # Wherever nothing else is that can be pointed at
    found = {}
    for x in np.arange(box.x + 1.0, box.right, 12.0):
        for y in np.arange(box.y + 1.0, box.top, 12.0):
            spot = page.spot_at(writing, x, y)
            if spot is not None and writing.spot_at(x, y) is None:
                found.setdefault(spot.name, spot)
    assert found
    assert set(found) <= set(figures)
    for spot in found.values():
        page.point(spot)
        colors = laid_out(writing, page, spot.name)
        assert glowing(colors)
        grounds = [text.ground for text in writing.written if text.text == spot.name]
        assert CHOSEN in grounds  # besides its label in the picture
    # Beside the picture's things nothing is meant
    assert page.spot_at(writing, box.x - 100.0, box.y - 100.0) is None
