"""CPU milliseconds for each frame of the viewer, beside balls drawn as instanced meshes.

`python -m benchmarks.viewer [--csv FILE]`. A gas in a box at 1280 x 720, four samples in a
pixel, no shadows, everything else on: numbers, plots, time line, trails, velocities,
contacts, explosions. The peer is the same scene with nothing but its balls drawn as
icospheres of 80 triangles, in the same light. It needs OpenGL, but no display and no
graphics card; on a machine with one, the times are those of the processor alone.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from spheresim_viewer.headless import use_display

from benchmarks.gas import RADIUS, gas
from benchmarks.measurements import Measurement, add_csv_option, append, version_of

WIDTH, HEIGHT = 1280, 720
CASES = (1_000, 10_000, 100_000)
STEP = 0.1
ROUNDS = 5

OURS, MESHES = "spheresim_viewer", "meshes of 80 triangles"
PER_FRAME, PER_UPLOAD = "milliseconds_per_frame", "milliseconds_per_upload"


def player(n: int) -> Any:
    """A gas that has run for some steps."""
    from spheresim_viewer.timeline.live import Live
    from spheresim_viewer.timeline.player import Player

    from spheresim.model.balls import Ball
    from spheresim.model.obstacle import Obstacle
    from spheresim.numerics.vector import TVector
    from spheresim.obstacles.plane import Plane
    from spheresim.scene.scene import Scene

    start = gas(n, 0.05)
    far = (start.side,) * 3
    walls = [Plane((0, 0, 0), normal) for normal in np.eye(3)]
    walls += [Plane(far, -normal) for normal in np.eye(3)]
    scene = Scene(
        title="A gas in a box",
        duration=100.0,
        step=STEP,
        frame_every=STEP,
        gravity=TVector(0.0, 0.0, 0.0),
        restitution=1.0,
        balls=[Ball(x, v, RADIUS) for x, v in zip(start.position, start.velocity, strict=True)],
        obstacles=[Obstacle(wall, 1.0, f"wall {k}") for k, wall in enumerate(walls)],
        path=Path("gas.toml"),
        name="gas",
        sha256="",
        seed=None,
    )
    return Player(Live.of_scene(scene))


def milliseconds(work: Callable[[], object]) -> float:
    """CPU time of a call, the least of several rounds; all threads count."""
    from pyglet import gl

    best = float("inf")
    for _ in range(ROUNDS + 1):  # the first prepares what is made when it is needed
        gl.glFinish()
        started = time.process_time()
        work()
        gl.glFinish()
        best = min(best, time.process_time() - started)
    return 1e3 * best


def measure(n: int) -> dict[tuple[str, str], float]:
    """What a frame costs with everything on, with balls as meshes, and what the upload costs.

    By program and quantity.
    """
    from spheresim_viewer.canvas import draw_figures
    from spheresim_viewer.draw.renderer import Renderer
    from spheresim_viewer.hud.transport import Transport, draw_hint
    from spheresim_viewer.offline import OfflineRenderer
    from spheresim_viewer.options import options_of

    from benchmarks.mesh_balls import MeshBalls

    options = options_of("plots,trails,arrows,contacts,speed")
    options.shadows = False
    offline = OfflineRenderer(player(n), WIDTH, HEIGHT, options)
    scene_view, canvas, transport = offline.scene_view, offline.canvas, Transport()
    actions = SimpleNamespace(**dict.fromkeys(_BUTTONS, print))

    def draw_over(overlay: Any) -> None:
        transport.draw(overlay, scene_view, actions)
        draw_hint(overlay, scene_view)
        draw_figures(overlay, scene_view, {"frames per second": "60"})

    for k in range(1, 4):
        offline.go_to(k * STEP)
    picture = scene_view.picture(WIDTH, HEIGHT, 1.0)
    renderer: Renderer = canvas.renderer
    peer = MeshBalls()
    peer.upload(picture.centre, picture.radius, picture.color)
    return {
        (OURS, PER_FRAME): milliseconds(lambda: canvas.draw(scene_view, draw_over)),
        (MESHES, PER_FRAME): milliseconds(lambda: renderer.draw(picture, peer)),
        (MESHES, PER_UPLOAD): milliseconds(
            lambda: peer.upload(picture.centre, picture.radius, picture.color)
        ),
    }


_BUTTONS = ("restart", "step_back", "run_or_pause", "step_forward", "next_impact")
_BUTTONS += ("slower", "faster")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add_csv_option(parser)
    path = parser.parse_args().csv
    use_display(False)
    rows, version = [], version_of("spheresim")
    for n in CASES:
        for (program, quantity), value in measure(n).items():
            rows.append(Measurement({"balls": n}, program, quantity, f"{value:.4g}", version))
            print(f"{n:<8} {program:24} {quantity:24} {value:9.4g}", flush=True)
    if path is not None:
        append(path, rows)


if __name__ == "__main__":
    main()
