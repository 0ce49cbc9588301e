"""Pictures and films without any display."""

import importlib.util
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import PATIENCE, has_bytes, python, started, wait_until
from viewer_window import need_opengl, read_png

pytestmark = [pytest.mark.compiled_only, pytest.mark.thorough]


@pytest.fixture(autouse=True)
def _opengl() -> None:
    need_opengl()


def view(*arguments, cwd, code="pass"):
    """Run `spheresim view` where there is no display; `code` runs before it."""
    program = f"import sys; {code}; from spheresim.cli import main; main()"
    return python("-c", program, "view", *arguments, cwd=cwd)


def pictures(*requests, cwd) -> list[Path]:
    """The files of pictures, each asked for by its arguments, all in one program."""
    start = len(list(Path(cwd).glob("*.png")))
    files = [Path(cwd) / f"{start + k}.png" for k in range(len(requests))]
    *before, last = (
        ["view", *map(str, arguments), "--screenshot", file.name]
        for arguments, file in zip(requests, files, strict=True)
    )
    code = (
        "from spheresim_viewer.command import view; from spheresim.cli import app; "
        f"app.command('view')(view); [app(words, standalone_mode=False) for words in {before}]"
    )
    done = view(*last[1:], cwd=cwd, code=code)
    assert (done.returncode, done.stderr) == (0, "")
    return files


def picture(*arguments, cwd) -> Path:
    """The file of a picture."""
    return pictures(arguments, cwd=cwd)[0]


def test_without_a_display_it_is_the_picture_of_the_window(open_desk, folder):
    file = picture("magic_room", "--at", 66, "--size", "400x300", cwd=folder)
    unseen = read_png(file)
    file.unlink()
    desk = open_desk("magic_room", size=(400, 300))
    desk.press("space")
    desk.go_to(66.0)
    if not desk.options.shadows:
        desk.press("l")  # a window starts without them where the processor draws
    desk.settle()
    desk.press("F12")
    (kept,) = folder.glob("*.png")
    assert kept.name == "magic_room-66.png"
    assert np.array_equal(read_png(kept), unseen)
    first = kept.read_bytes()
    desk.press("F12")
    assert len(list(folder.glob("*.png"))) == 2
    assert kept.read_bytes() == first


def test_what_is_to_be_shown_is_shown(tmp_path):
    requests = ("", "--show bare,ghosts,speed", "--at 90")
    arguments = [("magic_room", *words.split(), "--size", "160x120") for words in requests]
    seen = dict(zip(requests, map(read_png, pictures(*arguments, cwd=tmp_path)), strict=True))
    for words, pixels in seen.items():
        assert pixels.shape == (120, 160, 3)
        assert pixels.std() > 1.0
        assert not words or not np.array_equal(pixels, seen[""])


def test_a_video_without_pyav_is_one_sentence(tmp_path):
    hidden = "sys.modules['av'] = None"
    done = view("two_balls", "--video", "film.mp4", cwd=tmp_path, code=hidden)
    assert done.returncode == 2
    assert done.stderr.strip() == f"--video needs PyAV: {sys.executable} -m pip install av"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(importlib.util.find_spec("av") is None, reason="PyAV is not installed")
def test_a_video_has_its_size_and_its_frames(tmp_path):
    import av

    arguments = ("--fps", 25, "--duration", 0.4, "--size", "160x120")
    done = view("two_balls", "--video", "film.mp4", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    with av.open(str(tmp_path / "film.mp4")) as film:
        stream = film.streams.video[0]
        assert (stream.width, stream.height, stream.average_rate) == (160, 120, 25)
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(stream)]
    assert len(frames) == 10
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 40
    assert [path.name for path in tmp_path.iterdir()] == ["film.mp4"]


@pytest.mark.skipif(importlib.util.find_spec("av") is None, reason="PyAV is not installed")
def test_a_video_that_is_ended_by_a_signal_leaves_nothing(tmp_path):
    words = ["--video", "film.mp4", "--duration", 3, "--fps", 240, "--size", "320x240"]
    with started("view", "two_balls", *words, cwd=tmp_path) as process:
        wait_until(lambda: has_bytes(tmp_path / "film.mp4.part", 1), process)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stderr) == (130, "interrupted: no film was written\n")
    assert not list(tmp_path.iterdir())


def test_a_video_of_odd_size_is_refused(tmp_path):
    done = view("two_balls", "--video", "film.mp4", "--size", "161x120", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
