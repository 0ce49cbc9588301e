"""Which sources a kernel is made of, and a name for all of them together.

Numba's own cache looks at the file of the function alone, and goes stale when a callee in
another file changes (numba issue 1833). Here a kernel's name covers, in its own folder and in all
folders that it reaches by imports, each file that has something for the compiler, and what those
import: whole folders, because a kernel also uses the methods of values that it is handed, and
need not import the file that defines them. Comments and docstrings change nothing.
"""

import ast
import hashlib
import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1]

_COMPILER = "compiler/"
"""Files that import from this folder have something for the compiler."""


class _Source(NamedTuple):
    """A file as it was at a time, its text without comments and docstrings, and what it imports."""

    changed: int
    size: int
    digest: str
    imports: list[str]


@cache
def digest(source: Path, folder: Path) -> str:
    """A name for all sources on which a file of this package may build.

    folder: where what was found of each file is kept for other processes, by its time and size.
    """
    read = _reader(folder)
    files: set[str] = set()
    folders: set[str] = set()
    new = {source.relative_to(PACKAGE).as_posix()}
    while new:
        files |= new
        reached = {file.partition("/")[0] for file in new if "/" in file} - folders
        folders |= reached
        new = {imported for file in new for imported in read.of(file).imports}
        new |= {file for part in reached for file in read.for_compiler(part)}
        new -= files
    read.keep()
    together = hashlib.sha256()
    for file in sorted(files):
        together.update(f"{file} {read.of(file).digest}\n".encode())
    return together.hexdigest()[:16]


@cache
def _reader(folder: Path) -> "_Reader":
    return _Reader(folder)


class _Reader:
    """Reads files of the package, but those that have not changed since they were read last.

    A process that runs sees each file as it was when it was first asked for.
    """

    def __init__(self, folder: Path) -> None:
        # Apart for each copy of the package, so that two do not wear each other's out.
        copy = hashlib.sha256(str(PACKAGE).encode()).hexdigest()[:16]
        self._file = folder / f"sources-{copy}.json"
        self._kept: dict[str, _Source] = {}
        with suppress(OSError, ValueError, TypeError):
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            self._kept = {name: _Source(*fields) for name, fields in kept.items()}
        self._seen: dict[str, _Source] = {}
        self._is_new = False

    def of(self, name: str) -> _Source:
        """What is in a file, which is named from the package on."""
        if name not in self._seen:
            self._seen[name] = self._look(name)
        return self._seen[name]

    def _look(self, name: str) -> _Source:
        at = (PACKAGE / name).stat()
        kept = self._kept.get(name)
        if kept is None or (kept.changed, kept.size) != (at.st_mtime_ns, at.st_size):
            text = (PACKAGE / name).read_text(encoding="utf-8")
            kept = _Source(at.st_mtime_ns, at.st_size, *_read(text))
            self._kept[name] = kept
            self._is_new = True
        return kept

    def for_compiler(self, folder: str) -> list[str]:
        """Files of a folder, and of those in it, that have something for the compiler."""
        paths = (PACKAGE / folder).rglob("*.py")
        names = [path.relative_to(PACKAGE).as_posix() for path in sorted(paths)]
        return [
            name
            for name in names
            if any(imported.startswith(_COMPILER) for imported in self.of(name).imports)
        ]

    def keep(self) -> None:
        """Keep what was read for the next process."""
        if self._is_new:
            with suppress(OSError):
                part = self._file.with_suffix(f".{os.getpid()}")
                part.write_text(json.dumps(self._kept), encoding="utf-8")
                part.replace(self._file)
                self._is_new = False


def _read(text: str) -> tuple[str, list[str]]:
    """The digest of a file's syntax tree without docstrings, and the files that it imports."""
    tree = ast.parse(text)
    imports: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            imports |= _files(node.module)
            for name in node.names:
                imports |= _files(f"{node.module}.{name.name}")
        elif isinstance(node, ast.Import):
            imports |= {file for name in node.names for file in _files(name.name)}
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            _take_docstring(node)
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16], sorted(imports)


def _take_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:]


def _files(module: str) -> set[str]:
    """The file of a module of this package; none for another name."""
    package, _, rest = module.partition(".")
    if package != PACKAGE.name or not rest:
        return set()
    place = rest.replace(".", "/")
    found = (f"{place}.py", f"{place}/__init__.py")
    return {name for name in found if (PACKAGE / name).is_file()}
