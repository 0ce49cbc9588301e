"""A picture of every lesson: a step that shows what it is about, when it was done."""

import pytest
from lesson_player import let_it_run, play_move
from spheresim_viewer.lessons.catalogue import LESSONS

pytestmark = pytest.mark.compiled_only

SIZE = (640, 480)
STEPS = {
    "ray": 5,
    "offset": 3,
    "slices": 2,
    "tunnelling": 4,
    "response": 4,
    "bounding": 4,
    "sat": 3,
    "swept-sat": 3,
    "support": 5,
    "gjk": 3,
    "features": 1,
}


@pytest.fixture(scope="module")
def canvas(screen):
    from spheresim_viewer.headless import open_hidden_window
    from spheresim_viewer.lessons.canvas import LessonCanvas

    window = open_hidden_window(*SIZE)
    window.switch_to()
    yield LessonCanvas(window, *SIZE)
    window.close()


@pytest.mark.parametrize("name", LESSONS)
def test_lessons(canvas, compare, name):
    from spheresim_viewer.lessons.catalogue import lesson_class
    from spheresim_viewer.lessons.page import LessonPage

    page = LessonPage(lesson_class(name)(), lambda: None)
    page.go(STEPS[name] - 1)
    for move in page.guide.step.by:
        play_move(page.lesson, move)
    let_it_run(page)
    page.guide.look()
    compare(f"lesson-{name}", canvas.picture(page))


def test_the_table_of_contents(canvas, compare):
    from spheresim_viewer.lessons.contents import ContentsPage

    compare("lesson-contents", canvas.picture(ContentsPage(lambda _name: None)))
