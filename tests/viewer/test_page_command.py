"""`spheresim page`, and pages from Python, where no browser is needed."""

import errno
import os
from pathlib import Path

import pytest
import typer
from command_line import typed
from spheresim_viewer import page
from spheresim_viewer.page_command import page as page_command
from spheresim_viewer.web import notebook
from typer.testing import CliRunner

from spheresim import Ball, Run, Simulation
from spheresim.record.files_and_columns import RunError

APP = typer.Typer()
APP.command()(page_command)


def written(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(APP, list(words), env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output


def test_a_scene_becomes_a_file(tmp_path: Path) -> None:
    file = tmp_path / "two.html"
    assert str(file) in written("two_balls", "--out", str(file))
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "exists already" in written("two_balls", "--out", str(file), code=2)
    written("two_balls", "--out", str(file), "--force")


def test_the_same_scene_makes_the_same_bytes() -> None:
    assert page("two_balls") == page("two_balls")


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    assert ".html" in written("two_balls", "--out", str(tmp_path / "two.txt"), code=2)


def test_a_full_disk_leaves_an_earlier_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def full(source: Path, target: Path) -> None:
        if target.parent == tmp_path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    file = tmp_path / "two.html"
    file.write_text("earlier")
    assert "No space left" in written("two_balls", "--out", str(file), "--force", code=2)
    with pytest.raises(OSError, match=r"No space left on device: .*two\.html'$"):
        page("two_balls", file)
    assert [path.name for path in tmp_path.iterdir()] == ["two.html"]
    assert file.read_text() == "earlier"


def test_an_interrupted_page_is_not_written_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_source: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("spheresim_viewer.web.write.document", interrupted)
    told = typed("page", "two_balls", "--out", "two.html", cwd=tmp_path)
    assert (told.returncode, told.stderr) == (130, "interrupted: no page was written\n")
    assert not list(tmp_path.iterdir())


def test_a_run_keeps_its_duration_and_needs_its_impacts(tmp_path: Path) -> None:
    Simulation.load("two_balls").save(tmp_path / "run", until=10.0)
    result = CliRunner().invoke(APP, [str(tmp_path / "run"), "--duration", "3"])
    assert isinstance(result.exception, RunError)
    assert "duration" in str(result.exception)
    events = tmp_path / "run" / "events.csv"
    events.write_text(events.read_text().splitlines()[0] + "\n")
    with pytest.raises(RunError, match="impacts"):
        page(Run.load(tmp_path / "run"))


def test_a_simulation_is_shown_from_now_on_and_does_not_move() -> None:
    simulation = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=1), Ball((9, 0, 0), radius=1)])
    simulation.run(until=2.0)
    page(simulation)
    assert simulation.time == 2.0
    with pytest.raises(TypeError, match="can be shown"):
        page(3)  # type: ignore[arg-type]


def test_what_is_too_large_for_a_notebook_is_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "_picture", lambda _what: "<img>")
    simulation = Simulation([Ball((0, 0, 0), (1, 0, 0), radius=1)])
    assert notebook.notebook_html(simulation).startswith("<iframe")
    monkeypatch.setattr(notebook, "LARGEST", 1000)
    shown = notebook.notebook_html(simulation)
    assert shown.startswith("<img>")
    assert "A picture only" in shown
    monkeypatch.setattr(notebook, "MOST_BALLS", 0)
    assert "1 balls" in notebook.notebook_html(simulation)


def test_the_reason_for_a_picture_counts_impacts_and_the_size_of_flights(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(notebook, "_picture", lambda _what: "<img>")
    simulation = Simulation.load("slope")
    simulation.save(tmp_path / "run", until=2.0)
    run = Run.load(tmp_path / "run")
    impacts, flights = run.info["impacts"], (tmp_path / "run" / "flights.bin").stat().st_size
    assert len(run.rows.t) > impacts  # rows of balls that slide and rest are no impacts
    monkeypatch.setattr(notebook, "LARGEST", 40 * impacts + flights - 1)
    assert f"it has {impacts} impacts, and its page" in notebook.notebook_html(run)


def test_a_page_in_a_folder_that_does_not_exist_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no folder missing" in written("two_balls", "--out", "missing/two.html", code=2)
    with pytest.raises(OSError, match="missing"):
        page("two_balls", "missing/two.html")
