"""Scripts in a new process, which sees only the environment that it is given."""

import subprocess
import sys
from pathlib import Path

import spheresim


def run(script, package=Path(spheresim.__file__).parent, **environment):
    """What a script prints in a new process that sees only this environment."""
    site = str(Path(package).parent)
    done = subprocess.run(
        [sys.executable, *([script] if isinstance(script, Path) else ["-c", script])],
        cwd=site,
        env={"PYTHONPATH": site, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout
