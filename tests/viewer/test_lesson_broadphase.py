"""The numbers of the lesson on broad phases, without a window."""

import pytest
from lesson_player import figures_of

pytestmark = pytest.mark.compiled_only


@pytest.fixture
def lesson(screen):
    from spheresim_viewer.lessons.broadphase import BroadphaseLesson

    return BroadphaseLesson()


def proposed(lesson):
    return {row.name: int(row.value) for row in lesson.chart().rows}


def test_the_lectures_nine_objects(lesson):
    lesson.pose()
    assert figures_of(lesson)["all pairs"] == "36"
    assert figures_of(lesson)["proposed"] == "13"


def test_no_way_loses_the_pair_that_overlaps_wherever_objects_are(lesson):
    for k in range(9):
        lesson.handles()[k].drag((0.5 * k - 2.0, 0.3 * k - 1.0))
        for row in lesson.chart().rows:
            row.action()
            shown = figures_of(lesson)
            assert int(shown["boxes overlap"]) + int(shown["false"]) == int(shown["proposed"])
        overlapping = {figures_of(lesson)["boxes overlap"] for row in lesson.chart().rows}
        assert len(overlapping) == 1


def test_cells_decide(lesson):
    few, depth = (slider.drag for slider in lesson.sliders())
    few(12.0)
    assert proposed(lesson)["grid"] == 36
    few(0.3)
    assert proposed(lesson)["grid"] <= 3
    depth(3.0)
    assert proposed(lesson)["quadtree"] < 13
