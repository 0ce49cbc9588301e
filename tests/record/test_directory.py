"""What a run leaves alone: whatever no run wrote, what it is made from, and a run that lives."""

import json
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import PATIENCE, contents, has_bytes, run, started, typed, wait_until
from scene_files import TWO_BALLS

from spheresim.cli import main
from spheresim.record.directory import prepare_directory
from spheresim.record.files_and_columns import RunError
from spheresim.record.write import RunWriter
from spheresim.scene import load_scene

TWO = f"""
duration = 1.0
step = 0.05
{TWO_BALLS}"""
HEADER = "x,y,z,vx,vy,vz,radius\n"


@pytest.fixture(autouse=True)
def _files(folder):
    Path("two.toml").write_text(TWO)
    rows = "".join(f"{3 * k},0,0,0,0,0,1\n" for k in range(60))
    Path("sixty.csv").write_text(HEADER + rows)
    Path("sixty.toml").write_text('duration = 1\nstep = 0.5\n[[ball_file]]\npath = "sixty.csv"\n')


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    "names",
    [
        ["scene.toml", "balls.csv", "balls_start.csv"],
        ["scene.toml"],
        ["balls_start.csv"],
        ["frames.csv"],
        ["checkpoint.npz"],
        ["run.json"],
        ["run.json.part"],
    ],
)
def test_what_no_run_wrote_is_never_replaced(names, force):
    Path("out").mkdir()
    for name in names:
        (Path("out") / name).write_text(f"my own {name}")
    before = contents("out")
    with pytest.raises(RunError, match="which no run wrote and this one would replace; --out"):
        run("sixty.toml", **({"force": True} if force else {}))
    assert contents("out") == before


@pytest.mark.parametrize(
    "info",
    [
        "{}",
        "[]",
        '{"finished": true}',
        '{"files": ["balls.csv"]}',
        "[" * 100_000,
        "\0",
        " " * 2**21,
    ],
)
def test_a_run_json_that_no_run_wrote_makes_no_run(info):
    Path("out").mkdir()
    for name, text in (("run.json", info), ("balls.csv", "mine")):
        (Path("out") / name).write_text(text)
    before = contents("out")
    with pytest.raises(RunError, match=r"out: holds run\.json and balls\.csv, which no run wrote"):
        run("two.toml", force=True)
    assert contents("out") == before


def test_force_replaces_the_files_of_a_run_and_no_other():
    assert run("sixty.toml") == 0
    (Path("out") / "notes.txt").write_text("mine")
    assert run("two.toml", force=True) == 0
    assert "balls_start.csv" not in contents("out")
    assert contents("out")["notes.txt"] == b"mine"
    # What the second run did not write is not its own, though another run once had such a file.
    (Path("out") / "balls_start.csv").write_text("mine")
    with pytest.raises(RunError, match=r"holds balls_start\.csv, which no run wrote"):
        run("sixty.toml", force=True)
    assert contents("out")["balls_start.csv"] == b"mine"


def test_a_run_of_an_earlier_version_can_be_replaced():
    assert run("sixty.toml") == 0
    path = Path("out/run.json")
    info = json.loads(path.read_text())
    del info["files"]
    path.write_text(json.dumps(info))
    assert run("two.toml", force=True) == 0
    assert "balls_start.csv" not in contents("out")


@pytest.mark.parametrize("source", ["two.toml", "sixty.toml"])
def test_a_runs_directory_may_be_run_into_itself(source):
    assert run(source) == 0
    before = contents("out")
    stamp = Path("out/scene.toml").stat().st_mtime_ns
    assert run("out", force=True) == 0
    after = contents("out")
    assert after.keys() == before.keys()
    assert all(after[name] == before[name] for name in before if name != "run.json")
    assert Path("out/scene.toml").stat().st_mtime_ns == stamp


@pytest.mark.parametrize("change", [{"duration": 2.0}, {"comment": "# what I found out\n"}])
def test_what_a_run_is_made_from_it_does_not_replace(change):
    assert run("two.toml") == 0
    if "comment" in change:
        path = Path("out/scene.toml")
        path.write_text(path.read_text() + change.pop("comment"))
    before = contents("out")
    with pytest.raises(RunError, match=r"scene\.toml: this run is made from it, and would write"):
        run("out", force=True, **change)
    assert contents("out") == before


def test_a_ball_file_in_the_runs_directory_is_not_replaced():
    assert run("sixty.toml") == 0
    edited = Path("out/balls_start.csv")
    edited.write_text(HEADER + "0,0,0,0,0,0,1\n")
    Path("new.toml").write_text('duration = 1\n[[ball_file]]\npath = "out/balls_start.csv"\n')
    with pytest.raises(RunError, match=r"balls_start\.csv: this run is made from it"):
        run("new.toml", force=True)
    assert edited.read_text() == HEADER + "0,0,0,0,0,0,1\n"


def test_a_link_in_a_run_is_taken_away_and_not_what_it_leads_to():
    assert run("two.toml") == 0
    Path("precious.csv").write_text("mine")
    Path("out/frames.csv").unlink()
    Path("out/frames.csv").symlink_to(Path("precious.csv").resolve())
    assert run("two.toml", force=True) == 0
    assert Path("precious.csv").read_text() == "mine"
    assert not Path("out/frames.csv").is_symlink()


def test_a_second_run_is_refused_while_the_first_lives():
    scene = load_scene("two.toml")
    prepare_directory(Path("out"), force=False)
    with RunWriter(Path("out"), scene, []) as writer:
        writer.info({"finished": False})
        before = contents("out")
        with pytest.raises(RunError, match="out: another run is being written there"):
            run("two.toml", force=True)
        with pytest.raises(RunError, match="out: another run has begun there"):
            RunWriter(Path("out"), scene, [])
        assert contents("out") == before
    assert run("two.toml", force=True) == 0


def test_of_two_that_were_prepared_at_once_one_writes():
    scene = load_scene("two.toml")
    prepare_directory(Path("out"), force=True)
    prepare_directory(Path("out"), force=True)
    refused = pytest.raises(RunError, match="another run has begun there")
    with RunWriter(Path("out"), scene, []), refused:
        RunWriter(Path("out"), scene, [])


@pytest.mark.compiled_only
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_a_run_that_was_killed_blocks_nobody():
    Path("long.toml").write_text(TWO.replace("duration = 1.0", "duration = 1e7"))
    with started("run", "long.toml", "--out", "out") as process:
        wait_until(lambda: has_bytes(Path("out/frames.csv"), 10_000), process)
        with pytest.raises(RunError, match="another run is being written there"):
            run("two.toml", force=True)
        process.kill()
        process.wait(PATIENCE)
    with pytest.raises(RunError, match="holds a run already"):
        run("two.toml")
    assert run("two.toml", force=True) == 0
    assert json.loads(Path("out/run.json").read_text())["finished"] is True


@pytest.mark.parametrize("at", range(12))
def test_wherever_the_disk_refuses_the_folder_can_be_used_again(at, monkeypatch):
    """An error at any opening of a file leaves what is recognised as a run, or nothing."""
    opened = []
    really = Path.open

    def refuse(path, mode="r", *arguments, **options):
        if mode not in ("r", "rb"):
            opened.append(path)
            if len(opened) == at + 1:
                raise OSError(28, "No space left on device", str(path))
        return really(path, mode, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        with suppress(OSError, RunError):
            run("sixty.toml")
    assert run("sixty.toml", force=True) == 0
    assert json.loads(Path("out/run.json").read_text())["finished"] is True


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_compare_replaces_its_own_tables_and_nothing_else(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["spheresim", "compare", "two.toml", "--out", "mine.csv"])
    for text in ("my notes\n", "s", "speed;slices\n"):
        Path("mine.csv").write_text(text)
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2
        assert (
            "mine.csv: was not written by compare, and would be replaced" in capsys.readouterr().err
        )
        assert Path("mine.csv").read_text() == text
    Path("mine.csv").write_text("")  # as mktemp makes it
    Path("two.toml").write_text(TWO.replace("duration = 1.0", "duration = 5.0"))
    for _ in range(2):
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 0
    assert Path("mine.csv").read_text().startswith("speed,slices,")


@pytest.mark.parametrize("option", ["--screenshot", "--video"])
def test_the_viewer_replaces_pictures_only_by_pictures(monkeypatch, capsys, option):
    pytest.importorskip("pyglet")
    if option == "--video":
        pytest.importorskip("av")
    name = "notes.png" if option == "--screenshot" else "notes.mp4"
    Path(name).write_text("my notes")
    monkeypatch.setattr("sys.argv", ["spheresim", "view", "two.toml", option, name])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert f"{name}: is no {name[-3:].upper()}, and would be replaced" in capsys.readouterr().err
    assert Path(name).read_text() == "my notes"


def test_a_message_stays_on_one_line_whatever_a_path_is():
    odd = Path("two\nlines\x1b[1m")
    odd.mkdir()
    (odd / "balls.csv").write_text("mine")
    (odd / "scene.toml").write_text("duration = -1\n")
    for arguments in (
        ["run", "two.toml", "--out", str(odd)],
        ["run", str(odd)],
        ["run", str(odd / "nothing.toml")],
        ["run", "two.toml", "--out", str(odd / "scene.toml")],
        ["run", "two.toml", "--out", str(odd / "scene.toml" / "deeper")],
        ["compare", "two.toml", "--out", str(odd / "balls.csv")],
    ):
        told = typed(*arguments, cwd=".")
        assert told.returncode == 2
        assert "two\\u000alines" in told.stderr
        assert told.stderr.count("\n") == (2 if arguments == ["run", str(odd)] else 1), told.stderr
