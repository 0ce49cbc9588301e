"""Hashes of what the shipped scenes come to, engine by engine, after a short run.

The committed ones stand in `tests/data/state_hashes.toml`, one table for each system and
processor family: libraries of functions such as the sine differ between them. After a change
that is meant to change bits, or to record them for another machine:

    .venv/bin/python tests/support/state_hashes.py
"""

import hashlib
import platform
import tomllib
from pathlib import Path

import numpy as np
from scene_files import PERIODIC

from spheresim import Simulation
from spheresim.scene import shipped_scenes

FILE = Path(__file__).parents[1] / "data" / "state_hashes.toml"
MACHINE = f"{platform.system()} {platform.machine()}"
IMPACTS = 40
"""A run stops after so many impacts, or at the end of its scene."""
ENGINES = ("steps", "events")


def cases() -> list[tuple[str, str]]:
    """Scenes and engines; what is periodic has the exact one alone."""
    return [
        (scene, engine)
        for scene in shipped_scenes()
        for engine in ENGINES
        if scene not in PERIODIC or engine == "events"
    ]


def state_hash(scene: str, engine: str) -> str:
    """Of time, places, velocities and impacts, to the last bit."""
    simulation = Simulation.load(scene, engine=engine)
    try:
        simulation.run(until=simulation.scene.duration, impacts=IMPACTS)
    except RuntimeError:  # fewer came
        simulation.run(until=simulation.scene.duration)
    impacts = simulation.impacts
    numbers = [impacts[name] for name in ("t", "i", "j", "x", "y", "z", "vn_before", "vn_after")]
    digest = hashlib.sha256()
    for array in (simulation.time, simulation.position, simulation.velocity, *numbers):
        digest.update(np.asarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()[:16]


def recorded() -> dict[str, dict[str, str]]:
    """All committed hashes, by machine, then by scene and engine."""
    return tomllib.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def renew() -> None:
    """Write this machine's hashes anew, and leave those of others."""
    tables = recorded()
    tables[MACHINE] = {f"{scene} {engine}": state_hash(scene, engine) for scene, engine in cases()}
    lines = ["# Written by tests/support/state_hashes.py"]
    for machine, table in sorted(tables.items()):
        lines += ["", f'["{machine}"]', *(f'"{case}" = "{of}"' for case, of in table.items())]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew()
