"""The functions of a page's modules, run by Node.js."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import spheresim_viewer

FOLDER = Path(spheresim_viewer.__file__).parent / "web" / "js"
NODE = shutil.which("node")

needs_node = pytest.mark.skipif(NODE is None, reason="no Node.js to run the page's functions")


def by_script(folder: Path, program: str, given: Any) -> Any:
    """What a program, which may import the page's modules, makes of `GIVEN`."""
    for module in FOLDER.glob("*.js"):
        text = module.read_text(encoding="utf-8").replace(".js", ".mjs")
        (folder / f"{module.stem}.mjs").write_text(text, encoding="utf-8")
    script = folder / "program.mjs"
    script.write_text(f"const GIVEN = {json.dumps(given)};{program}", encoding="utf-8")
    done = subprocess.run(
        [str(NODE), script.name], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
