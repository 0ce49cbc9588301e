"""Files of triangles: STL and OBJ from elsewhere, and the archives that runs write.

An archive is a numpy archive (.npz) of any number of meshes, `vertices_0`, `triangles_0` and so on,
which keeps each bit. The path of one of them is that of the archive and its number: meshes.npz/0.
"""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.numerics.arrays import Floats, Integers

READABLE = (".stl", ".obj")
_ARCHIVE = ".npz"


def file_of(path: Path) -> Path:
    """The file in which the mesh of a path is."""
    return path.parent if path.parent.suffix == _ARCHIVE else path


def read_mesh(path: Path) -> tuple[Floats, Integers]:
    """The vertices (n, 3) and triangles (m, 3) of a path.

    Triangles of which two corners are the same point are left out. ValueError for what is no such
    file; ImportError where its reader is not installed.
    """
    file = file_of(path)
    if path.suffix.lower() not in READABLE and file == path:
        raise ValueError(f"a mesh is read from STL or OBJ files, not from {str(path)!r}")
    if not file.is_file():
        raise ValueError(f"there is no file {str(file)!r}")
    if file != path:
        return _read_from_archive(file, path.name)
    vertices, triangles = _read(file)
    if len(triangles) == 0:
        raise ValueError(f"{file.name} has no triangles in it")
    return _with_three_corners(vertices, triangles)


def archive_of(meshes: Sequence[tuple[Any, Any]]) -> bytes:
    """An archive of meshes, vertices and triangles each; the same bytes for the same meshes."""
    arrays: dict[str, Any] = {}
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


def _read(file: Path) -> tuple[Floats, Integers]:
    """The vertices and triangles of a file from elsewhere."""
    try:
        import trimesh
    except ImportError:
        raise ImportError(
            "meshes are read by trimesh, which is not installed: pip install 'spheresim[mesh]'"
        ) from None
    try:
        mesh = trimesh.load(file, force="mesh", process=False)
        return np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64)
    except ImportError:  # of what would guess in which letters a text is that is none
        raise ValueError(
            f"{file.name} cannot be read as a mesh: it is cut off, or neither text nor binary"
        ) from None
    except IndexError:
        raise ValueError(
            f"{file.name} cannot be read as a mesh: a face has a corner that is not in the file"
        ) from None
    except Exception as failure:  # whatever a damaged file may raise
        raise ValueError(f"{file.name} cannot be read as a mesh: {failure}") from None


def _with_three_corners(vertices: Floats, triangles: Integers) -> tuple[Floats, Integers]:
    """A mesh without triangles that are no more than a side of another one: programs that write
    meshes leave some, and without them the surface is the same."""
    corners = vertices[triangles]
    doubled = np.all(corners == np.roll(corners, 1, axis=1), axis=2).any(axis=1)
    return vertices, triangles[~doubled]
