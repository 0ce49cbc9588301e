"""Which files in a directory a run may replace: those that an earlier run wrote, no others.

`run.json` lists the files of its run. It is written before any of them except an empty
`frames.csv`, which stays locked until the process ends. So however a run ends, the next one
knows which files it may delete.
"""

import json
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path

from spheresim.record.files_and_columns import (
    CHECKPOINT,
    FLIGHTS,
    FRAMES,
    INFO,
    PART,
    PART_NAME,
    SCENE,
    RunError,
)
from spheresim.record.formats.catalogue import INCOMPLETE, RUN_FILES
from spheresim.record.lock import lock
from spheresim.scene import Scene, scene_files
from spheresim.scene.write import BALL_FILE, holds

_LARGEST_INFO = 1_000_000


def own_files(directory: Path) -> set[str]:
    """The names of the files that the run in a directory may have written; empty without a run."""
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
        names = {name for name in RUN_FILES if name in info["files"]}
    elif {"spheresim", "scene_sha256"} <= info.keys():  # an earlier version's
        names = set(RUN_FILES) - ({BALL_FILE} if _without_ball_file(directory) else set())
    else:
        return set()
    return names | set(INCOMPLETE) | {INFO, FLIGHTS}  # which is listed at the end, if there is any


def _without_ball_file(directory: Path) -> bool:
    try:
        return BALL_FILE not in (directory / SCENE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return True


def check_directory(directory: Path, force: bool, scene: Scene | None = None) -> None:
    """RunError if a run of a scene in a directory would replace what it must not.

    That is an earlier run, unless `force` is set; a file that no run wrote; and a file that the
    scene is read from, unless its contents are just what the run would write there.
    """
    if directory.exists() and not directory.is_dir():
        raise RunError(f"{directory}: there is a file in the place of the run's directory")
    own = own_files(directory)
    if own and not force:
        raise RunError(
            f"{directory}: holds a run already; --force (in Python force=True) replaces it, "
            "--out names another"
        )
    if foreign := [name for name in _taken_names(directory) if name not in own]:
        raise RunError(
            f"{directory}: holds {' and '.join(foreign)}, which no run wrote and this one would "
            "replace; --out names another directory"
        )
    if scene is not None:
        _kept_sources(directory, scene)


def _taken_names(directory: Path) -> list[str]:
    """Which of the names that a run writes are taken by files that matter.

    An empty `frames.csv`, and beside it an unfinished `run.json`, do not matter: a run that was
    killed just after its start leaves them.
    """
    frames = directory / FRAMES
    leftover = {FRAMES, INFO + PART} if frames.is_file() and frames.stat().st_size == 0 else set()
    taken = [name for name in (*RUN_FILES, *INCOMPLETE) if os.path.lexists(directory / name)]
    return [name for name in taken if name not in leftover]


def _kept_sources(directory: Path, scene: Scene) -> set[str]:
    """The names of files that the scene was read from, and that the run leaves as they are."""
    sources = [path for path in (scene.path, *scene.files) if path.exists()]
    found = {
        name
        for name in RUN_FILES
        if (directory / name).exists()
        and any((directory / name).samefile(source) for source in sources)
    }
    made = scene_files(scene) if found else {}
    for name in sorted(found):
        if name not in made or not holds(directory / name, made[name]):
            raise RunError(
                f"{directory / name}: this run is made from it, and would write something else "
                "there; --out names another directory"
            )
    return found


def prepare_directory(directory: Path, force: bool, scene: Scene | None = None) -> None:
    """Check the directory, make it, and delete the run that `force` replaces."""
    check_directory(directory, force, scene)
    directory.mkdir(parents=True, exist_ok=True)
    # Lock the old run, then check again: from now on no other process changes it.
    frames = directory / FRAMES
    held = _open_locked(frames) if os.path.lexists(frames) else None
    try:
        check_directory(directory, force, scene)
        own = own_files(directory) - {FRAMES, INFO}
        kept = set() if scene is None else _kept_sources(directory, scene)
        # Delete the checkpoint first, so that a run that is half deleted cannot be resumed.
        for name in sorted(own - kept, key=lambda name: name != CHECKPOINT):
            _remove(directory / name)
    finally:
        if held is not None:
            held.close()
    frames.unlink(missing_ok=True)
    (directory / INFO).unlink(missing_ok=True)  # last, since it lists the other files


def _remove(path: Path) -> None:
    """Delete a file that a run wrote, or a folder of parts without anything else in it."""
    if path.is_dir() and not path.is_symlink():
        for part in path.glob(PART_NAME.format("*")):
            part.unlink()
        with suppress(OSError):  # files of others stay
            path.rmdir()
    else:
        path.unlink(missing_ok=True)


def begin_frames(directory: Path) -> FileIO:
    """A new `frames.csv`, locked: the lock shows other processes that a run is being written."""
    path = directory / FRAMES
    try:
        file = path.open("xb", buffering=0)
    except FileExistsError:
        raise RunError(f"{directory}: another run has begun there") from None
    return _locked(file, path)


def resume_frames(directory: Path) -> FileIO:
    """The `frames.csv` of a run to be resumed, locked.

    RunError if there is no run, or if another process still writes it.
    """
    path, own = directory / FRAMES, own_files(directory)
    if not own or (FRAMES in own and not path.is_file()):
        raise RunError(f"{directory}: holds no run that could be resumed")
    if FRAMES not in own:  # of a run in other formats: it is there only to be locked
        path.touch()
    return _open_locked(path)


def _open_locked(path: Path) -> FileIO:
    return _locked(path.open("r+b", buffering=0), path)


def _locked(file: FileIO, path: Path) -> FileIO:
    """The file, locked; RunError if another process has locked it, or has replaced it since."""
    is_locked = lock(file) and path.exists()
    if is_locked and os.path.samestat(os.fstat(file.fileno()), path.stat()):
        return file
    file.close()
    raise RunError(f"{path.parent}: another run is being written there; --out names another place")
