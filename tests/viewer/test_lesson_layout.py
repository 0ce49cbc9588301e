"""What lessons write: large enough, dark enough, over nothing else, and all of it explained.

It is computed from what a page lays out, without drawing.
"""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from lesson_player import let_it_run, play_move
from spheresim_viewer.lessons.catalogue import LESSONS
from spheresim_viewer.loading import Wait

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]

SIZES = [(640, 480), (1280, 800), (3840, 2160)]


def lay_out(writing, page, size):
    from spheresim_viewer.lessons.canvas import pixels_a_point

    unit = pixels_a_point(*size)
    writing.overlay.begin(*size, unit)
    writing.begin()
    page.draw(writing)
    return unit


def luminance(color):
    """Relative luminance, as the Web Content Accessibility Guidelines define it."""
    parts = np.array(color[:3])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check(writing, size, unit, where):
    """Size, contrast and meaning of all texts, and that no two meet."""
    width, height = np.array(size) / unit
    for text in writing.written:
        said = f"{text.text!r}, {where}, {size}"
        assert text.size * unit >= 14.0, f"small: {said}"
        assert contrast(text.color, text.ground) >= 7.0, f"pale: {said}"
        assert text.ground[3] == 1.0, f"on what shines through: {said}"
        box = text.box
        assert box.x >= 0, said
        assert box.right <= width, f"cut off: {said}"
        assert box.y >= 0, said
        assert box.top <= height, said
        spot = writing.spot_at(box.x + 0.5 * box.width, box.y + 0.5 * box.height)
        assert spot is not None, f"not explained: {said}"
        assert len(spot.meaning.split()) >= 2, said
    for k, text in enumerate(writing.written):
        for other in writing.written[:k]:
            assert not text.box.meets(other.box), (
                f"{text.text!r} over {other.text!r}, {where}, {size}"
            )


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", LESSONS)
def test_every_step_can_be_read_at_every_size(writing, name):
    from spheresim_viewer.lessons.catalogue import lesson_class
    from spheresim_viewer.lessons.page import LessonPage

    page = LessonPage(lesson_class(name)(), lambda: None, "swept-sat")
    for number in range(len(page.guide.steps) + 1):
        for size in SIZES:
            check(writing, size, lay_out(writing, page, size), f"step {number + 1}")
        if page.guide.step:
            play_move(page.lesson, page.guide.step.by)
        let_it_run(page)
        page.guide.look()
        for size in SIZES:
            check(writing, size, lay_out(writing, page, size), f"step {number + 1}, done")
        page.go(number + 1) if number < len(page.guide.steps) else None


@pytest.mark.parametrize("name", LESSONS)
def test_even_the_smallest_page_shows_the_method_and_all_figures(writing, name):
    from spheresim_viewer.lessons.catalogue import lesson_class
    from spheresim_viewer.lessons.page import LessonPage

    page = LessonPage(lesson_class(name)(), lambda: None, "swept-sat")
    for number, step in enumerate(page.guide.steps):
        page.guide.go(number)
        lay_out(writing, page, (640, 480))
        shown = {spot.name.strip() for spot in writing.spots}
        lit = step.lines or page.lesson.lit()
        missing = {page.lesson.method[k].text.strip().split()[0] for k in lit} - {
            name.split()[0] for name in shown if name
        }
        assert not missing, f"step {number + 1}"
        assert {figure.name for figure in page.lesson.figures()} <= shown, f"step {number + 1}"


@pytest.mark.parametrize("name", LESSONS)
def test_no_meaning_is_cut_at_the_foot_of_the_smallest_page(writing, name):
    from spheresim_viewer.lessons.catalogue import lesson_class
    from spheresim_viewer.lessons.page import LessonPage, hint_lines

    page = LessonPage(lesson_class(name)(), lambda: None, "swept-sat")
    for number in range(len(page.guide.steps) + 1):
        page.go(number)
        lay_out(writing, page, (640, 480))
        for spot in writing.spots:
            whole = " ".join(hint_lines(writing, page.board, spot.meaning))
            assert whole == spot.meaning, f"step {number + 1}"


def test_the_table_of_contents_can_be_read_at_every_size(writing):
    from spheresim_viewer.lessons.contents import ContentsPage

    page = ContentsPage(lambda _name: None)
    for size in SIZES:
        check(writing, size, lay_out(writing, page, size), "contents")
        assert set(LESSONS) <= {spot.name for spot in writing.spots}


def test_the_wait_for_a_lesson_can_be_read_at_every_size(writing):
    from spheresim_viewer.lessons.contents import WaitPage

    for wait in (None, Wait(7.0), Wait(76.0, 47.0)):
        page = WaitPage("SAT: separating axis", SimpleNamespace(wait=wait))
        for size in SIZES:
            check(writing, size, lay_out(writing, page, size), "wait")


def test_the_table_of_contents_gets_its_pictures_one_by_one(writing):
    from spheresim_viewer.lessons.contents import ContentsPage

    page = ContentsPage(lambda _name: None, at_once=False)
    drawn = []
    for _ in LESSONS:
        check(writing, SIZES[0], lay_out(writing, page, SIZES[0]), "contents")
        drawn.append(sum(map(len, writing.overlay._corners)))
        assert any("Preparing the pictures" in line.text for line in writing.written)
        while not page.tick(0.1):
            time.sleep(0.01)
    assert drawn == sorted(set(drawn))
    lay_out(writing, page, SIZES[0])
    assert not any("Preparing" in line.text for line in writing.written)
    assert not page.tick(0.1)


@pytest.mark.parametrize("name", LESSONS)
def test_words_are_short_and_names_mean_one_thing(screen, name):
    from spheresim_viewer.lessons.catalogue import lesson_class

    lesson = lesson_class(name)()
    assert len(lesson.title) <= 21
    assert len(lesson.summary) <= 90
    for step in lesson.steps():
        step.exercise.begin()
        assert max(len(step.says), len(step.answer)) <= 100
        assert len(step.do) <= 80
        handles = [handle.name for handle in lesson.handles()]
        handles += [slider.name for slider in lesson.sliders()]
        figures = [figure.name for figure in lesson.figures()]
        keys = [key.shown for key in lesson.controls()]
        for names in (handles, figures, keys):
            assert len(set(names)) == len(names), names
