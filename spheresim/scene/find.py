"""Finding a scene file by its path, by a shipped scene's name, or by a run's directory."""

import difflib
from os import PathLike
from pathlib import Path

from spheresim.scene.faults import SceneError, shown

RESOLVED = "scene.toml"
"""The scene in a run's directory."""

_SIMILAR = 0.65
"""From this part of equal letters on a name may be meant: `magic` for `magic_room` has 2/3."""


def shipped_scenes() -> dict[str, Path]:
    """The scenes that come with the package, by name."""
    package = Path(__file__).parents[1]
    installed, checkout = package / "scenes", package.parent / "scenes"
    folder = installed if installed.is_dir() else checkout
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_scene(source: str | Path) -> Path:
    """The path of a scene file, from a path, a shipped scene's name, or a run's directory.

    If several exist, a file is preferred to a shipped scene, and this to a run's directory.
    SceneError if there is none, TypeError for what is neither text nor a path.
    """
    if not isinstance(source, str | PathLike):
        raise TypeError(f"a scene must be a name or a path, not {source!r}")
    if source == "":
        raise SceneError(['a scene must be a file, a shipped scene\'s name or a directory, not ""'])
    path = Path(source)
    shipped = shipped_scenes()
    try:
        if path.is_file():
            return path
        if str(source) in shipped:
            return shipped[str(source)]
        if (path / RESOLVED).is_file():
            return path / RESOLVED
        is_directory, exists = path.is_dir(), path.exists()
    except OSError as fault:
        raise SceneError([f"{shown(str(source))} cannot be read: {fault.strerror}"]) from None
    if is_directory:
        what = f"is a directory without {RESOLVED}, expected is one that a run made"
        raise SceneError([f"{path}: {what}"])
    if exists:
        raise SceneError([f"{path}: must be a file or a directory"])
    raise SceneError([_no_such(source, list(shipped))])


def _no_such(source: str | Path, shipped: list[str]) -> str:
    near = difflib.get_close_matches(Path(source).stem, shipped, n=1, cutoff=_SIMILAR)
    beside = Path(f"{source}.toml")
    hint = str(beside) if beside.is_file() else near[0] if near else ""
    question = f" - did you mean {hint}?" if hint else ""
    return (
        f"no scene {shown(str(source))}: there is neither such a file, nor a run's directory, "
        f"nor a shipped scene (those are {', '.join(shipped)}){question}"
    )
