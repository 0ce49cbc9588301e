"""Which tests run when kernels run as plain Python, and what many of them need."""

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import settings
from scene_files import write_room
from viewer_pupil import Pupil
from viewer_window import Desk, VirtualScreen, need_opengl

from spheresim.compiler.decorators import COMPILED

# How long an example takes is the machine's doing, and the first one may compile.
# Without the compiler fewer are drawn: it is the same property, of the same formulas. With
# `make test-all` more are.
settings.register_profile("suite", deadline=None, max_examples=30 if COMPILED else 15)
settings.register_profile("thorough", deadline=None, max_examples=300)
settings.load_profile("suite")


# One worker begins with `spheresim compile`; the others with what needs little of that, then with
# what needs only the engines that are compiled first.
FIRST = (
    "test_compile.py",
    "convex",
    "collision_world",
    "obstacles",
    "broadphase",
    "numerics",
    "test_adding.py",
    "viewer",
    "contact",
    "scene",
    "record",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    _leave_cases_to_test_all(items)
    if COMPILED:  # see test_rare_kernels.py
        _mark_thorough(item for item in items if item.get_closest_marker("rare_kernels"))
    items.sort(key=_turn)
    if not COMPILED:
        _skip_slow(items)


def _leave_cases_to_test_all(items: list[pytest.Item]) -> None:
    """Mark as `thorough` what is beyond the number of cases that a test names."""
    seen: Counter[str] = Counter()
    for item in items:
        for mark in item.iter_markers("cases"):
            test = item.nodeid.partition("[")[0]
            seen[test] += 1
            if seen[test] > mark.args[0]:
                _mark_thorough([item])


def _mark_thorough(items: Iterable[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.thorough)


def _turn(item: pytest.Item) -> int:
    turns = [k for k, folder in enumerate(FIRST) if folder in item.path.parts]
    return turns[0] if turns else len(FIRST)


def _skip_slow(items: list[pytest.Item]) -> None:
    too_slow = pytest.mark.skip(reason="too slow with NUMBA_DISABLE_JIT=1")
    for item in items:
        if item.get_closest_marker("compiled_only"):
            item.add_marker(too_slow)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one during a test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def room(folder: Path) -> Callable[..., str]:
    """Writes scenes into `folder`, see `write_room`."""
    return write_room


@pytest.fixture(scope="session")
def screen() -> Iterator[str]:
    """The name of a virtual display, on which everything of this session opens from now on."""
    need_opengl()
    server = VirtualScreen()
    os.environ["DISPLAY"] = server.display
    # After each loading a viewer looks for garbage among all that there is: tests load
    # hundreds of times, and all that they have imported makes each of them a long look.
    gc.freeze()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spheresim_viewer.viewer.gc", Mock())
        yield server.display
    server.close()


@pytest.fixture
def open_desk(screen: str) -> Iterator[Callable[..., Desk]]:
    """Opens viewers, and closes them afterwards."""
    desks: list[Desk] = []

    def open_one(*arguments: object, **options: object) -> Desk:
        desks.append(Desk(*arguments, **options))
        return desks[-1]

    yield open_one
    for desk in desks:
        desk.close()


@pytest.fixture(scope="module")
def windows(screen: str) -> Iterator[dict[tuple[int, int], Desk]]:
    """The windows that `reopen_desk` has opened in this module, by their size."""
    open_windows: dict[tuple[int, int], Desk] = {}
    yield open_windows
    for desk in open_windows.values():
        desk.close()


@pytest.fixture
def reopen_desk(windows: dict[tuple[int, int], Desk]) -> Callable[..., Desk]:
    """Shows scenes as they are after the start, in an open window if there is one of that size."""

    def reopen(source: object, size: tuple[int, int] = (640, 480), **of_source: object) -> Desk:
        desk = windows.get(size)
        if desk is None or desk.window.context is None:
            desk = windows[size] = Desk(source, size, **of_source)
        elif desk.window.get_size() != size:
            desk.close()
            desk = windows[size] = Desk(source, size, **of_source)
        else:
            desk.anew(source, **of_source)
        return desk

    return reopen


@pytest.fixture(scope="session")
def pupils(screen: str) -> Iterator[list[Pupil]]:
    """The window of lessons, if one was opened."""
    opened: list[Pupil] = []
    yield opened
    for pupil in opened:
        pupil.close()


@pytest.fixture
def open_lesson(pupils: list[Pupil]) -> Callable[[str], Pupil]:
    """Opens lessons at their start, all in one window."""

    def open_one(name: str = "") -> Pupil:
        if not pupils:
            pupils.append(Pupil(name))
        pupils[0].sit_down(name)
        return pupils[0]

    return open_one
