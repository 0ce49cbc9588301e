"""Pictures of lessons: a step that shows what each is about, when it was done."""

import pytest
from lesson_player import let_it_run, play_move
from spheresim_viewer.lessons.catalogue import LESSONS

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]

SIZE = (640, 480)
STEPS = {
    "ray": 5,
    "offset": 3,
    "slices": 2,
    "tunnelling": 4,
    "response": 4,
    "broadphase": 6,
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


def page_of(name):
    """A lesson at the step of its picture, done."""
    from spheresim_viewer.lessons.catalogue import lesson_class
    from spheresim_viewer.lessons.page import LessonPage

    page = LessonPage(lesson_class(name)(), lambda: None)
    page.go(STEPS[name] - 1)
    play_move(page.lesson, page.guide.step.by)
    let_it_run(page)
    page.guide.look()
    return page


@pytest.mark.parametrize("name", ["ray", "broadphase", "swept-sat"])
def test_lessons(canvas, compare, name):
    compare(f"lesson-{name}", canvas.picture(page_of(name)))


@pytest.mark.parametrize("name", LESSONS)
def test_text_stands_on_the_ground_that_its_contrast_is_computed_from(canvas, name, monkeypatch):
    """The pixels of the plates, without the text."""
    monkeypatch.setattr(canvas.overlay, "text", lambda *_arguments: None)
    pixels = canvas.picture(page_of(name)).astype(float) / 255.0
    for text in canvas.writing.written:
        x, y, width, height = text.box
        rows = slice(round(SIZE[1] - y - height) + 1, round(SIZE[1] - y) - 1)
        ground = pixels[rows, round(x) : round(x + width)]
        assert abs(ground - text.ground[:3]).max() < 0.02, text.text


def test_the_table_of_contents(canvas, compare):
    from spheresim_viewer.lessons.contents import ContentsPage

    compare("lesson-contents", canvas.picture(ContentsPage(lambda _name: None)))
