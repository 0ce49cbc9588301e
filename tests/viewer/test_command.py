"""`spheresim view` as its user meets it: what cannot be done is one sentence and exit code 2."""

import sys

import pytest
from command_line import python, spheresim, typed

from spheresim import Simulation
from spheresim.cli import main


@pytest.fixture
def refused(folder, monkeypatch, capsys):
    """Runs a command that is refused before anything is drawn, in this process; its sentence."""

    def run(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["spheresim", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.strip()
        assert "Traceback" not in err
        return err

    return run


def test_help_lists_view_and_imports_nothing_of_it(tmp_path):
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('imported', *sys.modules))\n"
        "from spheresim.cli import main\n"
        "main()\n"
    )
    done = python("-c", code, "--help", cwd=tmp_path)
    assert done.returncode == 0
    words, imported = done.stdout.split("imported")
    assert "view" in words
    assert "spheresim_viewer.command" in imported.split()
    assert not {"pyglet", "spheresim_viewer.viewer", "numpy", "numba"} & set(imported.split())


@pytest.mark.parametrize(
    ("module", "arguments"), [("spheresim", ("view", "--help")), ("spheresim_viewer", ("--help",))]
)
def test_its_help_names_every_option(tmp_path, module, arguments):
    done = python("-m", module, *arguments, cwd=tmp_path)
    assert done.returncode == 0
    for option in ("--engine", "--toi", "--size", "--fullscreen", "--screenshot", "--at"):
        assert option in done.stdout
    for option in ("--video", "--fps", "--duration", "SCENE|RUN_DIR", "magic_room"):
        assert option in done.stdout


@pytest.mark.cases(1)
@pytest.mark.compiled_only
@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ":987"}, {"DISPLAY": "nonsense"}])
def test_without_a_display_it_says_what_to_do(tmp_path, environment):
    done = spheresim("view", "two_balls", cwd=tmp_path, **environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "xvfb-run" in done.stderr
    assert "--screenshot" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no_such_scene",), "no_such_scene"),
        (("two_balls", "--size", "0x0"), "--size"),
        (("two_balls", "--size", "axb"), "--size"),
        (("two_balls", "--size", "99999x99999"), "--size"),
        (("two_balls", "--size", "640"), "--size"),
        (("two_balls", "--engine", "magic"), "--engine"),
        (("two_balls", "--toi", "guess"), "--toi"),
        (("two_balls", "--slices", "0"), "--slices"),
        (("two_balls", "--screenshot", "no/such/folder.png"), "no/such"),
        (("two_balls", "--video", "no/such/folder.mp4"), ""),
        (("two_balls", "--screenshot", "a.png", "--show", "nonsense"), "nonsense"),
        (("two_balls", "--screenshot", "a.png", "--at", "-1"), "--at"),
        (("two_balls", "--screenshot", "a.png", "--at", "nan"), ""),
        (("two_balls", "--screenshot", "a.png", "--at", "inf"), ""),
        (("no_such_scene", "--screenshot", "a.png"), "no_such_scene"),
        (("two_balls", "another"), "another"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_said(refused, tmp_path, arguments, said):
    assert said in refused("view", *arguments)
    assert not list(tmp_path.iterdir())


PICTURE, FILM = ("--screenshot", "a.png"), ("--video", "a.gif")


@pytest.mark.parametrize(
    ("words", "warnings"),
    [
        ((*PICTURE, "--start", "4"), ["--start 4 changes nothing without --video"]),
        ((*PICTURE, "--orbit", "30"), ["--orbit 30 changes nothing without --video"]),
        ((*PICTURE, "--fullscreen"), ["--fullscreen changes nothing with --screenshot or --video"]),
        ((*PICTURE, "--speed", "2"), ["--speed 2 changes nothing without --video"]),
        ((*PICTURE, "--speed", "2", "--fade", "3"), []),
        ((*FILM, "--at", "3"), ["--at 3 changes nothing without --screenshot"]),
        ((*FILM, *PICTURE, "--at", "3", "--orbit", "30", "--show", "trails"), []),
        (("--show", "trails"), ["--show trails changes nothing without --screenshot or --video"]),
        (("--fullscreen",), []),
    ],
)
def test_options_without_effect_are_warned_of(tmp_path, monkeypatch, words, warnings):
    monkeypatch.setattr("spheresim_viewer.launch.launch", lambda _request: 0)
    done = typed("view", "two_balls", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [f"warning: {warning}" for warning in warnings]


def test_slices_that_the_scene_does_not_use_are_warned_of(tmp_path):
    done = spheresim("view", "two_balls", "--slices", "7", cwd=tmp_path)
    first, *_ = done.stderr.splitlines()
    assert first == "warning: --slices 7 changes nothing without --toi sliced"


@pytest.mark.compiled_only
def test_the_engine_of_a_finished_run_cannot_be_changed(refused, tmp_path):
    Simulation.load("two_balls").save(tmp_path / "run", until=0.1)
    said = refused("view", "run", "--engine", "steps", "--slices", "7", *PICTURE)
    assert said == "run: is a finished run, whose engine and slices cannot be changed\n"
    assert not (tmp_path / "a.png").exists()


@pytest.mark.compiled_only
@pytest.mark.parametrize("file", ["a.jpeg", ".", "b.png"])
def test_a_screenshot_into_what_is_no_picture_is_a_sentence(refused, tmp_path, file):
    (tmp_path / "b.png").mkdir()
    assert refused("view", "two_balls", "--screenshot", file, "--size", "64x64")


def test_all_faults_of_a_scene_are_said_before_a_window_is_opened(tmp_path):
    (tmp_path / "broken.toml").write_text(
        "duration = 1\n[[ball]]\nposition = [0, 0]\nradius = -1\n[[ball]]\n"
    )
    done = spheresim("view", "broken.toml", cwd=tmp_path, DISPLAY=":987")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) >= 3
    assert all(line.startswith("broken.toml") for line in done.stderr.strip().splitlines())


@pytest.mark.compiled_only
@pytest.mark.thorough
def test_a_damaged_run_is_a_sentence(tmp_path, screen):
    (tmp_path / "run.json").write_text("{}")
    done = spheresim("view", ".", cwd=tmp_path, DISPLAY=screen)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


@pytest.mark.compiled_only
def test_the_directory_of_a_run_is_replayed(open_desk, folder):
    assert spheresim("run", "two_balls", "--out", "run", "--quiet", cwd=folder).returncode == 0
    desk = open_desk("run", size=(640, 480))
    desk.press("space")
    desk.go_to(5.0)
    assert "replay of steps, analytic" in desk.words
    assert desk.player.snapshot.impacts == 1
    desk.go_to(1000.0)
    assert desk.player.time == 8.0
    desk.press("Right", "n")
    assert desk.player.time == 8.0
    desk.press("space")  # from the end it begins anew
    desk.frames(5, 0.1)
    assert desk.player.time == pytest.approx(0.5 * desk.player.speed)
