"""What is kept on disk: pictures, and the present state as a scene."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spheresim.engines.options import ENGINE_KINDS
from spheresim.scene.write import write_scene


def free_path(stem: str, suffix: str) -> Path:
    """A name in the current folder that nothing has yet."""
    path = Path(f"{stem}{suffix}")
    count = 2
    while path.exists():
        path = Path(f"{stem}-{count}{suffix}")
        count += 1
    return path


def write_png(path: Path, pixels: Any) -> None:
    """Write pixels (height, width, 3) of uint8, the top row first."""
    from pyglet.image import ImageData
    from pyglet.image.codecs.png import PNGImageEncoder

    height, width = pixels.shape[:2]
    image = ImageData(width, height, "RGB", np.ascontiguousarray(pixels).tobytes(), -3 * width)
    with path.open("wb") as file:
        image.save(str(path), file=file, encoder=PNGImageEncoder())


def save_scene(player: Any, directory: Path) -> None:
    """Write the present state as a scene that runs and opens again; its time 0 is now."""
    moment, scene = player.moment, player.moment.scene
    cast, world = moment.course.cast, moment.world
    balls = cast.balls(world, moment.position, moment.velocity)
    obstacles = cast.placed_obstacles(world)
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
    )
    write_scene(now, directory)
