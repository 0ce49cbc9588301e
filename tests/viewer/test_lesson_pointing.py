"""What is pointed at beside the picture lights up in it, and labels show their places."""

import numpy as np
import pytest
from spheresim_viewer.lessons.catalogue import LESSONS

pytestmark = pytest.mark.compiled_only

SIZE = (1280, 800)


def laid_out(writing, page, pointed):
    """The colors of all triangles of a page, at something that is pointed at."""
    writing.overlay.begin(*SIZE, 1.0)
    writing.begin(1.0)
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
