"""Whose the files in a run's directory are: a run replaces what a run wrote, and nothing else.

`run.json` lists the files that its run writes, and is there before any of them but an empty
`frames.csv`, which is locked as long as the run lives. So whatever ends a run, the next one
knows what it may take away.
"""

import json
import os
from io import FileIO
from pathlib import Path

from spheresim.record.layout import CHECKPOINT, DRAFTS, FRAMES, INFO, NAMES, PART, SCENE, RunError
from spheresim.record.lock import lock
from spheresim.scene import Scene, scene_texts
from spheresim.scene.write import BALL_FILE, holds

_LARGEST_INFO = 1_000_000


def own_files(directory: Path) -> set[str]:
    """The names of what the run in a directory may have written; empty if there is no run."""
    path = directory / INFO
    try:
        if path.stat().st_size > _LARGEST_INFO:
            return set()
        info = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return set()
    if not isinstance(info, dict) or not isinstance(info.get("finished"), bool):
        return set()
    if isinstance(info.get("files"), list):
        names = {name for name in NAMES if name in info["files"]}
    elif {"spheresim", "scene_sha256"} <= info.keys():  # an earlier version's
        names = set(NAMES) - ({BALL_FILE} if _without_ball_file(directory) else set())
    else:
        return set()
    return names | set(DRAFTS) | {INFO}


def _without_ball_file(directory: Path) -> bool:
    try:
        return BALL_FILE not in (directory / SCENE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return True


def check_directory(directory: Path, force: bool, scene: Scene | None = None) -> None:
    """Refuse a directory in which a run of a scene would replace what it must not.

    That is a run, unless `force` lets it be replaced; whatever no run wrote; and what the
    scene is read from, unless it says to the letter what the run would write there.
    """
    if directory.exists() and not directory.is_dir():
        raise RunError(f"{directory}: there is a file in the place of the run's directory")
    own = own_files(directory)
    if own and not force:
        raise RunError(
            f"{directory}: holds a run already; --force replaces it, --out names another"
        )
    if foreign := [name for name in _there(directory) if name not in own]:
        raise RunError(
            f"{directory}: holds {' and '.join(foreign)}, which no run wrote and this one would "
            "replace; --out names another directory"
        )
    if scene is not None:
        _sources_among(directory, scene)


def _there(directory: Path) -> list[str]:
    """Which of the names that a run writes are taken by what is somebody's.

    Nobody's is an empty file of frames, and beside it the draft of a `run.json`: so far came
    a run that was ended as soon as it began.
    """
    frames = directory / FRAMES
    nobodys = {FRAMES, INFO + PART} if frames.is_file() and frames.stat().st_size == 0 else set()
    taken = [name for name in (*NAMES, *DRAFTS) if os.path.lexists(directory / name)]
    return [name for name in taken if name not in nobodys]


def _sources_among(directory: Path, scene: Scene) -> set[str]:
    """The names of files that a scene was read from and that stay as they are."""
    sources = [path for path in (scene.path, *scene.ball_files) if path.exists()]
    found = {
        name
        for name in NAMES
        if (directory / name).exists()
        and any((directory / name).samefile(source) for source in sources)
    }
    texts = scene_texts(scene) if found else {}
    for name in sorted(found):
        if name not in texts or not holds(directory / name, texts[name]):
            raise RunError(
                f"{directory / name}: this run is made from it, and would write something else "
                "there; --out names another directory"
            )
    return found


def prepare_directory(directory: Path, force: bool, scene: Scene | None = None) -> None:
    """Check the directory, make it, and take away the run that `force` replaces."""
    check_directory(directory, force, scene)
    directory.mkdir(parents=True, exist_ok=True)
    frames = directory / FRAMES
    held = _hold(frames) if os.path.lexists(frames) else None
    try:
        check_directory(directory, force, scene)  # by now nobody else changes it
        own = own_files(directory) - {FRAMES, INFO}
        kept = set() if scene is None else _sources_among(directory, scene)
        # From a checkpoint nobody shall resume what is half taken away.
        for name in sorted(own - kept, key=lambda name: name != CHECKPOINT):
            (directory / name).unlink(missing_ok=True)
    finally:
        if held is not None:
            held.close()
    frames.unlink(missing_ok=True)
    (directory / INFO).unlink(missing_ok=True)  # it says whose the others are


def begin_frames(directory: Path) -> FileIO:
    """A new `frames.csv`, which says to all others that a run is being written here."""
    path = directory / FRAMES
    try:
        file = path.open("xb", buffering=0)
    except FileExistsError:
        raise RunError(f"{directory}: another run has begun there") from None
    return _locked(file, path)


def resume_frames(directory: Path) -> FileIO:
    """The `frames.csv` of a run that goes on; RunError if there is no such run, or it lives."""
    path = directory / FRAMES
    if FRAMES not in own_files(directory) or not path.is_file():
        raise RunError(f"{directory}: holds no run that could be resumed")
    return _hold(path)


def _hold(path: Path) -> FileIO:
    return _locked(path.open("r+b", buffering=0), path)


def _locked(file: FileIO, path: Path) -> FileIO:
    """The file, if it is still that at its path and nobody else holds it."""
    mine = lock(file) and path.exists()
    if mine and os.path.samestat(os.fstat(file.fileno()), path.stat()):
        return file
    file.close()
    raise RunError(f"{path.parent}: another run is being written there; --out names another place")
