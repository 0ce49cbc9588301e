"""Files of triangles: STL and OBJ from elsewhere, and the archives that runs write.

An archive is a numpy archive (.npz) of any number of meshes, `vertices_0`, `triangles_0` and so on,
which keeps each bit. The path of one of them is that of the archive and its number: meshes.npz/0.

Programs that write files of meshes leave triangles without an area in them. Where two corners are
the same point, the triangle is a side of another one, and goes. Where all three lie on a line, it
joins a side to the two sides that lie along it: the triangle beyond the long side is divided there
instead, so that a closed surface stays closed.
"""

import io
import math
import re
import zipfile
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np

from spheresim.numerics.arguments import LARGEST_INPUT
from spheresim.numerics.arrays import Booleans, Floats, Integers
from spheresim.obstacles.features.polyhedron import Loops, have_area

READABLE = (".stl", ".obj")
_ARCHIVE = ".npz"
_CONVERTIBLE = (".ply", ".off", ".glb", ".gltf", ".3mf", ".dae")

_FACET = re.compile(rb"^[ \t]*facet\s", re.IGNORECASE | re.MULTILINE)
_CORNER = re.compile(rb"^[ \t]*v[ \t]", re.MULTILINE)
_FACE = re.compile(rb"^[ \t]*f[ \t]", re.MULTILINE)
_ZERO = re.compile(_FACE.pattern + rb"(?:[^\r\n]*[ \t])?[+-]?0+(?![^/\s])", re.MULTILINE)
"""A face with a corner 0: corners are counted from 1."""

_NOT_IN_FILE = "a face has a corner that is not in the file"
_CUT_OFF = "it is cut off"

_DIVISIONS = 10
"""Most triangles that are divided for each one whose corners lie on a line."""


def file_of(path: Path) -> Path:
    """The file in which the mesh of a path is."""
    return path.parent if path.parent.suffix == _ARCHIVE else path


def read_mesh(path: Path) -> tuple[Floats, Integers]:
    """The vertices (n, 3) and triangles (m, 3) of a path.

    Of files from elsewhere triangles without an area are left out. ValueError for what is no such
    file; ImportError where its reader is not installed.
    """
    file = file_of(path)
    if path.suffix.lower() not in READABLE and file == path:
        raise ValueError(
            f"a mesh is read from STL or OBJ files, not from {str(path)!r}{_advice(path)}"
        )
    if not file.is_file():
        raise ValueError(f"there is no file {str(file)!r}")
    if file != path:
        return _read_from_archive(file, path.name)
    suffix, contents = path.suffix.lower(), b""
    try:
        contents = file.read_bytes()
        fault = _fault_of(contents, suffix)
    except OSError as unreadable:
        fault = unreadable.strerror or "it is not readable"
    if fault:
        raise ValueError(f"{file.name} cannot be read as a mesh: {fault}")
    vertices, triangles = _read(file.name, contents, suffix)
    if len(triangles) == 0:
        raise ValueError(f"{file.name} has no triangles in it")
    vertices, triangles = _with_area(vertices, triangles)
    if len(triangles) == 0:
        raise ValueError(
            f"{file.name} has no triangle with an area: the corners of each lie on a line"
        )
    return vertices, triangles


def _advice(path: Path) -> str:
    """How to convert a mesh of another kind; nothing where it is not known to be one."""
    if path.suffix.lower() not in _CONVERTIBLE:
        return ""
    old, new = str(path), str(path.with_suffix(".stl"))
    return f"; in Python, trimesh.load({old!r}).export({new!r}) converts it"


def archive_of(meshes: Sequence[tuple[Floats, Integers]]) -> bytes:
    """An archive of meshes, vertices and triangles each; the same bytes for the same meshes."""
    arrays: dict[str, np.ndarray] = {}
    for number, (vertices, triangles) in enumerate(meshes):
        arrays[f"vertices_{number}"] = np.ascontiguousarray(vertices)
        arrays[f"triangles_{number}"] = np.ascontiguousarray(triangles, dtype=np.int32)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _read_from_archive(file: Path, number: str) -> tuple[Floats, Integers]:
    """A mesh of an archive; refused if compressed, for a small one could fill the memory."""
    names = f"vertices_{number}", f"triangles_{number}"
    try:
        with zipfile.ZipFile(file) as archive:
            if any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
                raise ValueError("it is compressed")
        with np.load(file, allow_pickle=False) as found:
            if missing := [name for name in names if name not in found.files]:
                raise ValueError(f"it has no {missing[0]!r}")
            return found[names[0]], found[names[1]]
    except Exception as failure:  # whatever a damaged file may raise
        raise ValueError(f"{file.name} cannot be read as meshes: {failure}") from None


def _fault_of(contents: bytes, suffix: str) -> str:
    """What is wrong with a file from elsewhere, of what its reader does not notice; else ""."""
    kind = _kind_of(contents)
    if kind not in {"", suffix}:
        return f"its contents look like {kind[1:].upper()}, not like {suffix[1:].upper()}"
    if kind == ".obj" and _ZERO.search(contents):
        return _NOT_IN_FILE
    if kind == ".stl" and not _is_binary_stl(contents):
        end = contents.lower().rfind(b"endsolid")
        return _CUT_OFF if _FACET.search(contents, max(end, 0)) else ""
    return ""


def _kind_of(contents: bytes) -> str:
    """The suffix of the format that the contents of a file surely have, or ""."""
    if _is_binary_stl(contents):
        return ".stl"
    if b"\0" in contents:  # no text
        return ""
    if contents.lstrip()[:5].lower() == b"solid" and _FACET.search(contents):
        return ".stl"
    return ".obj" if _CORNER.search(contents) and _FACE.search(contents) else ""


def _is_binary_stl(contents: bytes) -> bool:
    """Whether a file is as long as 80 bytes, a number of triangles and 50 bytes for each."""
    return len(contents) >= 84 and len(contents) == 84 + 50 * int.from_bytes(
        contents[80:84], "little"
    )


def _read(name: str, contents: bytes, suffix: str) -> tuple[Floats, Integers]:
    """The vertices and triangles of a file from elsewhere."""
    try:
        import trimesh
    except ImportError:
        raise ImportError(
            "meshes are read by trimesh, which is not installed: pip install 'spheresim[mesh]'"
        ) from None
    try:
        file = io.BytesIO(contents)
        mesh = trimesh.load(file, file_type=suffix[1:], force="mesh", process=False)
        return np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64)
    except ImportError:  # of what would guess in which letters a text is that is none
        raise ValueError(
            f"{name} cannot be read as a mesh: {_CUT_OFF}, or neither text nor binary"
        ) from None
    except IndexError:
        raise ValueError(f"{name} cannot be read as a mesh: {_NOT_IN_FILE}") from None
    except Exception as failure:  # whatever a damaged file may raise
        raise ValueError(f"{name} cannot be read as a mesh: {failure}") from None


def _with_area(vertices: Floats, triangles: Integers) -> tuple[Floats, Integers]:
    """A mesh of the same surface, whose triangles all have an area."""
    if not np.all(np.abs(vertices) <= LARGEST_INPUT):  # which is refused later
        return vertices, triangles
    corners = vertices[triangles]
    doubled = np.all(corners == np.roll(corners, 1, axis=1), axis=2).any(axis=1)
    triangles = triangles[~doubled]
    if len(triangles) == 0 or _are_wide(vertices, triangles).all():
        return vertices, triangles
    vertices, same = np.unique(vertices, axis=0, return_inverse=True)
    triangles = _divided(vertices, same.reshape(-1)[triangles])
    return vertices, triangles[_are_wide(vertices, triangles)]


def _divided(vertices: Floats, triangles: Integers) -> Integers:
    """The triangles, with those divided that meet the long side of one whose corners lie on a line.

    vertices: each once. Where that makes others on a line, they come in turn, up to `_DIVISIONS`
    for each in the file.
    """
    faces = dict(enumerate(map(tuple, triangles.tolist())))
    sides = {side: name for name, face in faces.items() for side in _sides(face)}
    flat = np.flatnonzero(~_are_wide(vertices, triangles)).tolist()
    names, most = count(len(faces)), _DIVISIONS * len(flat)
    for _ in range(most):
        if not flat:
            break
        face = faces.pop(flat.pop(), None)
        if face is None:  # it was divided itself
            continue
        a, b = max(_sides(face), key=lambda side: math.dist(*vertices[list(side)]))
        beyond = faces.pop(sides.get((b, a), -1), None)
        if beyond is None:  # nothing meets the long side
            continue
        (middle,), (tip,) = set(face) - {a, b}, set(beyond) - {a, b}
        if middle == tip:  # two that lie on each other
            continue
        for part in ((b, middle, tip), (middle, a, tip)):
            name = next(names)
            faces[name] = part
            sides.update(dict.fromkeys(_sides(part), name))
            if not _are_wide(vertices, np.array([part]))[0]:
                flat.append(name)
    return np.array(list(faces.values()), dtype=np.int64).reshape(-1, 3)


def _sides(face: tuple[int, ...]) -> list[tuple[int, int]]:
    a, b, c = face
    return [(a, b), (b, c), (c, a)]


def _are_wide(vertices: Floats, triangles: Integers) -> Booleans:
    """Which triangles have an area."""
    loops = Loops.of_triangles(triangles)
    return have_area(vertices, loops, loops.normals(vertices))
