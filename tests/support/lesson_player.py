"""Plays a lesson as its own steps say, without a window."""

from spheresim_viewer.lessons.exercise import Click, Drag, Press, Slide


def play_move(lesson, move):
    """Do one move of a step on the lesson itself."""
    if isinstance(move, Drag):
        (handle,) = (handle for handle in lesson.handles() if handle.name == move.handle)
        handle.drag(lesson.region.nearest(move.to))
        lesson.changed()
    elif isinstance(move, Slide):
        (slider,) = (slider for slider in lesson.sliders() if slider.name == move.slider)
        slider.drag(move.to)
        lesson.changed()
    elif isinstance(move, Press):
        for _ in range(move.times):
            (key,) = (key for key in lesson.controls() if key.shown == move.key)
            key.action()
    else:
        assert isinstance(move, Click)
        (row,) = (row for row in lesson.chart().rows if row.name == move.spot)
        row.action()


def let_it_run(lesson, seconds=20.0):
    """Let time go on until nothing moves any more."""
    passed = 0.0
    while lesson.tick(0.05):
        passed += 0.05
        assert passed < seconds, "it never stands still"


def figures_of(lesson):
    """The figures beside the diagram, by name."""
    return {figure.name: figure.value for figure in lesson.figures()}


def texts_of(lesson):
    """What is written at the ends of the chart's rows."""
    return [row.value for row in lesson.chart().rows]


def press(lesson, *keys):
    """Do what keys do."""
    for shown in keys:
        play_move(lesson, Press(shown))
