"""Commands of other packages: imported when asked for, and broken ones harm no other command."""

import re
import sys
from importlib.metadata import EntryPoint

import pytest
from command_line import spheresim
from typer.testing import CliRunner

import spheresim.commands.entry_points as commands_of_packages
from spheresim.cli import app

STRANGER = 'raise RuntimeError("a stranger")'


@pytest.fixture
def strangers(tmp_path):
    """A folder with files that have the names of the viewer's packages, of today and once."""
    for name in ("viewer.py", "spheresim_viewer.py"):
        (tmp_path / name).write_text(STRANGER)
    return tmp_path


@pytest.fixture
def invoke(monkeypatch):
    """Run the command line beside the entry points given by name and place."""

    def invoke_beside(places, *arguments):
        found = [EntryPoint(name, place, "spheresim.commands") for name, place in places.items()]
        monkeypatch.setattr(commands_of_packages, "entry_points", lambda **_: found)
        return CliRunner().invoke(app, arguments)

    return invoke_beside


def test_commands_run_beside_files_with_the_names_of_the_viewer(strangers):
    done = spheresim("scenes", cwd=strangers)
    assert (done.returncode, done.stderr) == (0, "")
    assert "magic_room" in done.stdout


def test_the_command_that_a_stranger_hides_says_so_in_one_sentence(strangers):
    done = spheresim("view", "magic_room", cwd=strangers)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "the command view cannot be loaded: RuntimeError: a stranger\n"


@pytest.mark.parametrize(
    "place", ["no_such_package:view", "math:no_such_name", "math:pi", "test_entry_points_none"]
)
def test_a_broken_entry_point_spoils_its_own_command_only(invoke, place):
    assert invoke({"broken": place}, "scenes").exit_code == 0
    broken = invoke({"broken": place}, "broken")
    assert broken.exit_code == 2
    assert broken.output.startswith("the command broken cannot be loaded: ")
    assert broken.output.count("\n") == 1
    listed = invoke({"broken": place}, "--help")
    assert listed.exit_code == 0
    assert re.search(r"^ *broken +cannot be loaded: ", listed.output, re.MULTILINE)


def test_no_entry_point_replaces_a_command_of_ours(invoke):
    assert "magic_room" in invoke({"scenes": "no_such_package:scenes"}, "scenes").output


def test_a_package_is_imported_only_when_its_command_or_the_list_of_all_is_asked_for(
    invoke, monkeypatch, tmp_path
):
    (tmp_path / "late_package.py").write_text(
        'def greet(name: str = "you") -> None:\n    "Say hello."\n    print(f"hello {name}")\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    places = {"greet": "late_package:greet"}
    for arguments in (["scenes"], ["run", "no such scene"], ["--version"]):
        invoke(places, *arguments)
        assert "late_package" not in sys.modules
    assert "Say hello." in invoke(places, "--help").output
    assert invoke(places, "greet", "--name", "world").output == "hello world\n"
    assert invoke(places, "greet", "--nome", "world").exit_code == 2
