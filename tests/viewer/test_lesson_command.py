"""`spheresim lesson` as its user meets it."""

import re

import pytest
from command_line import spheresim
from spheresim_viewer.lessons.catalogue import LESSONS
from viewer_window import read_png

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]


def test_a_lesson_that_does_not_exist_is_refused_and_the_others_named(tmp_path):
    done = spheresim("lesson", "billiards", cwd=tmp_path)
    assert done.returncode == 2
    assert all(name in done.stderr for name in ("billiards", *LESSONS))


def test_without_a_screen_a_window_is_refused_in_a_sentence(tmp_path):
    done = spheresim("lesson", "ray", cwd=tmp_path)
    assert done.returncode == 2
    assert "--screenshot" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_step_that_a_lesson_does_not_have_is_refused(screen, tmp_path):
    arguments = ("gjk", "--step", 99, "--size", "640x480", "--screenshot", "gjk.png")
    done = spheresim("lesson", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert re.fullmatch(r"--step must be at most \d for the lesson gjk, not 99\n", done.stderr)
    assert not list(tmp_path.iterdir())


def test_pictures_of_the_contents_and_of_steps_need_no_screen(screen, tmp_path):
    pictures = []
    for words in ([], ["ray"], ["ray", "--step", 4]):
        file = tmp_path / f"{len(pictures)}.png"
        done = spheresim("lesson", *words, "--size", "640x480", "--screenshot", file, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        pictures.append(read_png(file))
        assert pictures[-1].shape == (480, 640, 3)
    assert (pictures[1] != pictures[2]).any()
