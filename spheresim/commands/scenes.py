"""`spheresim scenes`: the names and titles of the shipped scenes."""

import tomllib

from rich.console import Console
from rich.table import Table

from spheresim.scene import shipped_scenes


def list_scenes() -> None:
    """Print each shipped scene's name and title."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, path in shipped_scenes().items():
        table.add_row(name, tomllib.loads(path.read_text(encoding="utf-8")).get("title", ""))
    Console().print(table)
