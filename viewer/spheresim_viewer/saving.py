"""Saving pictures, and the present state as a scene."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spheresim.engines.catalogue import ENGINE_KINDS
from spheresim.record.atomic import atomic_write
from spheresim.scene.write import write_scene

if TYPE_CHECKING:
    pass


def unused_path(stem: str, suffix: str) -> Path:
    """A path in the current folder that does not exist yet."""
    path = Path(f"{stem}{suffix}")
    count = 2
    while path.exists():
        path = Path(f"{stem}-{count}{suffix}")
        count += 1
    return path


def write_png(path: Path, pixels: npt.NDArray[np.uint8]) -> None:
    """Write pixels as a PNG: shape (height, width, 3), uint8, the top row first."""
    from pyglet.image import ImageData
    from pyglet.image.codecs.png import PNGImageEncoder

    height, width = pixels.shape[:2]
    image = ImageData(width, height, "RGB", np.ascontiguousarray(pixels).tobytes(), -3 * width)
    with atomic_write(path) as file:
        image.save(str(path), file=file, encoder=PNGImageEncoder())


def save_scene(player: Any, directory: Path) -> None:
    """Write the present state as a scene that runs and opens again; its time starts at 0."""
    # Balls and obstacles as they are now
    snapshot, scene = player.snapshot, player.snapshot.scene
    population, world = snapshot.playback.population, snapshot.world
    balls = population.balls(world, snapshot.position, snapshot.velocity, snapshot.angular_velocity)
    obstacles = population.placed_obstacles(world)
    # The scene's other values, replaced where the user changed them
    settings, frame_every = player.settings, scene.frame_every
    if ENGINE_KINDS[settings.engine].has_fixed_step:  # where frames fall on steps
        frame_every = max(1, round(frame_every / scene.step)) * scene.step
    now = replace(
        scene,
        balls=balls,
        obstacles=obstacles,
        gravity=world.gravity,
        frame_every=frame_every,
        engine=settings.engine,
        toi=settings.toi,
        slices=settings.slices,
        surfaces=population.surfaces(settings),
    )
    write_scene(now, directory)
