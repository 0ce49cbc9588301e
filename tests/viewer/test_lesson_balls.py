"""The numbers of the lessons on rays and balls, without a window; and that no drag breaks any."""

import numpy as np
import pytest
from lesson_player import figures_of, let_it_run, play_move, press
from spheresim_viewer.lessons.catalogue import LESSONS

pytestmark = pytest.mark.compiled_only


@pytest.fixture
def make(screen):
    from spheresim_viewer.lessons.catalogue import lesson_class

    return lambda name: lesson_class(name)()


def figure(lesson, name):
    return float(figures_of(lesson)[name].split()[0].replace("−", "-"))


def test_ray_the_time_is_the_tutorials_formula(make):
    """Tc = t · T / L, and t = n · (X₀ − S) / (n · D): what is written there can be checked."""
    lesson = make("ray")
    for step in lesson.steps():
        step.exercise.begin()
        play_move(lesson, step.by)
        found = figures_of(lesson)
        slope, height = figure(lesson, "slope"), figure(lesson, "n · (X₀ − S)")
        if found["t, floor"] != "none":
            t = float(found["t, floor"].split(" ≈ ")[1].replace("−", "-"))
            assert t == pytest.approx(height / slope, abs=0.02)
        if "Tc" in found:
            (dsc, rest), tc = found["Tc"].split(" ≈ ")[0].split("·"), found["Tc"].split(" ≈ ")[1]
            whole, dst = map(float, rest.split("/"))
            assert float(tc) == pytest.approx(float(dsc) * whole / dst, abs=6e-3)
            assert whole == pytest.approx(lesson.step, abs=6e-3)


def test_ray_behind_the_start_the_floors_t_is_the_formulas_too(make):
    lesson = make("ray")
    lesson._place((1.2, 1.0), (1.2, 0.5))
    t = float(figures_of(lesson)["t, floor"].split(" ≈ ")[1].replace("−", "-"))
    assert t == pytest.approx(-np.hypot(1.2, 0.5) / 0.5, abs=6e-3)
    lesson.start = np.array((1.2, -1.0))  # below the floor
    lesson.velocity = np.array((1.2, -0.35))
    t = float(figures_of(lesson)["t, floor"].split(" ≈ ")[1].replace("−", "-"))
    assert t == pytest.approx(-np.hypot(1.2, 0.35) / 0.35, abs=6e-3)


@pytest.mark.parametrize("velocity", [(1.9, -1.4), (-0.5, 1.4), (6.0, 0.0)])
def test_ray_the_start_stays_above_the_floor_and_where_the_tip_fits(make, velocity):
    lesson = make("ray")
    left, low, right, high = lesson.region
    for corner in ((left, low), (right, low), (right, high), (left, high)):
        lesson._place((1.2, 5.2), velocity)
        for handle in lesson.handles():
            if handle.name == "start":
                handle.drag(np.array(corner))
        assert lesson.start[1] >= 0.0
        assert lesson.velocity == pytest.approx(velocity)
        for handle in lesson.handles():
            assert lesson.region.nearest(handle.place) == pytest.approx(handle.place)


def test_offset_where_the_obstacles_are_said_to_have_grown_they_have(make):
    lesson = make("offset")
    for step in lesson.steps()[2:]:
        step.exercise.begin()
        assert figure(lesson, "grown by") == lesson.radius


@pytest.mark.parametrize("name", LESSONS)
def test_what_a_step_asks_for_is_not_done_before_nor_after_steps_that_were_skipped(make, name):
    from spheresim_viewer.lessons.exercise import Guide

    for number in range(len(make(name).steps())):
        guide = Guide(make(name))
        guide.go(number)
        assert not guide.step.exercise.done(), f"step {number + 1}"


def test_offset_the_time_is_the_same_from_ball_to_point(make):
    lesson = make("offset")
    for velocity in ((1.5, -1.4), (2.6, -0.2)):
        lesson._ready(velocity)
        times = []
        for morph in np.linspace(0.0, 1.0, 11):
            lesson.sliders()[0].drag(morph)
            times.append(lesson._time())
        assert times == pytest.approx([times[0]] * 11, rel=1e-12)
        end = lesson.place + times[0] * lesson.velocity
        contact = np.array(lesson._contact())
        assert np.hypot(*(end - contact)) == pytest.approx(lesson.radius)
        assert lesson._naive_time() > times[0]


def test_offset_the_ball_melts_to_a_point_and_back(make):
    lesson = make("offset")
    for goal in (1.0, 0.0):
        press(lesson, "M")
        let_it_run(lesson)
        assert lesson.morph == goal


def test_offset_not_grown_the_ball_sinks_in_by_its_radius(make):
    lesson = make("offset")
    lesson._ready((1.5, -1.4), grows=False)
    press(lesson, "space")
    let_it_run(lesson)
    assert (lesson.place + lesson.time * lesson.velocity)[1] == pytest.approx(0.0, abs=1e-12)


def test_slices_both_answers_and_the_error_between_them(make):
    """The analytic time solves |d + v·t| = r1 + r2; the sliced one is the start of a slice."""
    lesson = make("slices")
    (a, b), (va, vb) = lesson.places, lesson.velocities
    exact, sliced = figure(lesson, "exact"), figure(lesson, "sliced")
    assert np.hypot(*(a - b + (va - vb) * exact)) == pytest.approx(1.6, abs=1e-2)
    assert sliced * 8 == int(sliced * 8)
    assert 0 <= exact - sliced <= 1 / 8
    lesson.sliders()[0].drag(150.0)
    assert figure(lesson, "too early by") <= 1 / 150 + 1e-3
    lesson.sliders()[0].drag(1.0)
    assert figures_of(lesson)["the impact is"] == "missed"


@pytest.mark.parametrize("values", [(12, 0.2, 0.3), (30, 0.08, 0.3), (5, 0.3, 2.5), (8, 0.04, 0.1)])
def test_tunnelling_what_no_frame_sees_the_sweep_finds(make, values):
    lesson = make("tunnelling")
    lesson._ready(*values)
    speed, step, thickness = values
    exact = (6.3 - 0.5 * thickness - 0.25 - 0.6) / speed
    assert figure(lesson, "swept impact") == pytest.approx(exact, abs=6e-4)
    assert figure(lesson, "safe step") <= exact + 6e-4
    places = 0.6 + speed * step * np.arange(200)
    seen = np.flatnonzero(np.abs(places - 6.3) <= 0.5 * thickness + 0.25)
    words = figures_of(lesson)["seen by"]
    assert words == (f"frame {seen[0]}" if len(seen) else "no frame: missed")
    if speed * step <= thickness + 0.5:
        assert len(seen)


def test_response_momentum_is_kept_and_energy_lost_as_restitution_says(make):
    lesson = make("response")
    for e, mass in ((1.0, 1.0), (0.5, 1.0), (0.5, 4.0), (0.0, 0.2)):
        lesson._ready(False, (2.4, 0.3), (-0.5, 0.1))
        lesson.angle, lesson.restitution, lesson.mass = 2.6, e, mass
        result, vn = lesson._result(), lesson._vn()
        before, after = lesson.velocities, (result.velocity_i[:2], result.velocity_j[:2])
        momenta = [mass * np.array(a) + np.array(b) for a, b in (before, after)]
        assert momenta[0] == pytest.approx(momenta[1])
        energies = [0.5 * mass * np.dot(a, a) + 0.5 * np.dot(b, b) for a, b in (before, after)]
        lost = 0.5 * mass / (1 + mass) * vn**2 * (1 - e**2)
        assert energies[0] - energies[1] == pytest.approx(lost)
        assert figure(lesson, "energy lost") == pytest.approx(lost, abs=6e-4)
        assert result.vn_after == pytest.approx(-e * vn)


@pytest.mark.thorough
@pytest.mark.parametrize("drags", [15, pytest.param(1000, marks=pytest.mark.study)])
@pytest.mark.parametrize("name", LESSONS)
def test_no_drag_breaks_a_lesson(make, writing, name, drags):
    """To random and extreme places, exactly onto each other, with keys and steps between."""
    from spheresim_viewer.lessons.page import LessonPage

    page = LessonPage(make(name), lambda: None)
    random = np.random.default_rng(0)
    for _ in range(drags):
        drag_something(page.lesson, random)
        if random.random() < 0.3:
            controls = page.lesson.controls()
            if controls:
                controls[random.integers(len(controls))].action()
            page.lesson.tick(0.3)
            page.guide.go(int(random.integers(len(page.guide.steps) + 1)))
        look(writing, page)


def drag_something(lesson, random):
    if lesson.sliders() and random.random() < 0.4:
        slider = lesson.sliders()[random.integers(len(lesson.sliders()))]
        slider.drag(float(random.choice([*slider.span, random.uniform(*slider.span)])))
        return
    handles = lesson.handles()
    if not handles:
        return
    handle, other = (handles[random.integers(len(handles))] for _ in range(2))
    left, low, right, high = lesson.region
    place = random.uniform((left, low), (right, high))
    if random.random() < 0.3:
        place = np.array((random.choice((left, right)), random.choice((low, high))))
    elif random.random() < 0.3:
        place = np.asarray(other.place, float)
    handle.drag(lesson.region.nearest(place))
    lesson.changed()


def look(writing, page):
    """Lay the page out; everything is a number, and inside of the page."""
    overlay = writing.overlay
    overlay.begin(800, 600, 1.0)
    writing.begin()
    page.draw(writing)
    for shown in page.lesson.figures():
        assert "nan" not in shown.value, shown
    corners = np.concatenate(overlay._corners)
    assert np.isfinite(corners).all()
    assert (corners > -12).all()
    assert (corners < (812, 612)).all()
