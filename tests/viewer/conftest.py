"""The room in which keys are tried."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from viewer_window import Desk


@pytest.fixture(scope="module")
def room(screen: str) -> Iterator[Desk]:
    """The tutorial's room in a small window, opened once for all tests of a module."""
    desk = Desk("magic_room", size=(400, 300))
    yield desk
    desk.close()


@pytest.fixture
def desk(room: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The room as it is after the start, but paused."""
    monkeypatch.chdir(tmp_path)
    room.anew()
    room.player.running = False
    return room
