"""Which sources a kernel is made of: all of its own folder, and of the folders that it imports.

Numba's own cache looks at the file of the function alone, and goes stale when a callee in
another file changes (numba issue 1833). Whole folders, because a kernel also uses the methods
of values that it is handed, and need not import the file that defines them.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

_IMPORT = re.compile(rf"^\s*(?:from|import)\s+{PACKAGE.name}\.(\w+)", re.MULTILINE)


def digest(source: Path) -> str:
    """A name for the text of all sources that a file of this package may build on."""
    parts, new = set(), {source.relative_to(PACKAGE).parts[0].removesuffix(".py")}
    while new:
        parts |= new
        new = set().union(*(_imported_by(part) for part in new)) - parts
    together = hashlib.sha256()
    for part in sorted(parts):
        together.update(_content(part))
    return together.hexdigest()[:16]


@cache
def _sources(part: str) -> dict[str, str]:
    """The texts of the files of a folder, or of a module that is a file at the top."""
    files = [*(PACKAGE / part).rglob("*.py"), *PACKAGE.glob(f"{part}.py")]
    return {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(files)
    }


@cache
def _imported_by(part: str) -> frozenset[str]:
    return frozenset(name for text in _sources(part).values() for name in _IMPORT.findall(text))


@cache
def _content(part: str) -> bytes:
    return hashlib.sha256(repr(_sources(part)).encode()).digest()
