"""Writing a scene with all balls resolved, so that it loads as the same values."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from spheresim.contact.thresholds import USUAL_THRESHOLDS, Thresholds
from spheresim.model.balls import Ball
from spheresim.model.force_field import HarmonicTrap
from spheresim.model.materials import (
    SMOOTH,
    SOLID_SPHERE,
    Material,
    MaterialPair,
    PowerLaw,
    Surfaces,
)
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box
from spheresim.model.thermostat import Thermostat
from spheresim.numerics.arrays import Floats, Integers
from spheresim.obstacles.fields import plain
from spheresim.obstacles.mesh_files import archive_of
from spheresim.obstacles.shape import Keep
from spheresim.obstacles.table import SHAPE_OF
from spheresim.scene.ball_file import ball_file_text
from spheresim.scene.count import Count
from spheresim.scene.faults import quoted, toml
from spheresim.scene.find import RESOLVED
from spheresim.scene.scene import Scene
from spheresim.scene.view import View

BALL_FILE = "balls_start.csv"
MESH_FILE = "meshes.npz"

_MOST_INLINE = 50
"""Up to so many balls stand in the scene file itself, more in a ball file."""


def write_scene(scene: Scene, directory: Path) -> None:
    """Write a scene to `scene.toml` in a directory.

    Many balls are written to `balls_start.csv` beside it, and large meshes to `meshes.npz`. A file
    that has the same contents already is not written again.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for name, contents in scene_files(scene).items():
        if not holds(directory / name, contents):
            (directory / name).write_bytes(contents)


def holds(path: Path, contents: bytes) -> bool:
    """Whether there is a file with just these contents."""
    return path.is_file() and path.read_bytes() == contents


def scene_files(
    scene: Scene, file: str = RESOLVED, ball_file: str = BALL_FILE, mesh_file: str = MESH_FILE
) -> dict[str, bytes]:
    """The files in which a scene can be written: their contents by their names.

    There is a scene file, a CSV file if there are many balls, and an archive of large meshes."""
    meshes: list[tuple[Floats, Integers]] = []

    def keep(vertices: Floats, triangles: Integers) -> str:
        meshes.append((vertices, triangles))
        return f"{mesh_file}/{len(meshes) - 1}"

    blocks = [_head(scene), *_box(scene.box), *_rest(scene.rest)]
    blocks += [*_named("trap", scene.trap), *_named("thermostat", scene.thermostat)]
    blocks += _view(scene.view)
    blocks += _materials(scene.surfaces)
    orders = _orders(scene.obstacles)
    for wall, order in zip(scene.obstacles, orders, strict=True):
        blocks.append(_obstacle(wall, wall.name in scene.entrances, order, keep))
    blocks += map(_count, scene.counts)
    beside = {mesh_file: archive_of(meshes)} if meshes else {}
    if len(scene.balls) <= _MOST_INLINE:
        blocks += map(_ball, scene.balls)
    else:
        blocks.append(_block("[[ball_file]]", [("path", quoted(ball_file))]))
        beside[ball_file] = ball_file_text(scene.balls).encode()
    return {file: "\n".join(blocks).encode(), **beside}


def _head(scene: Scene) -> str:
    comment = "".join(f"# {line}".rstrip() + "\n" for line in scene.comment.splitlines())
    values = [
        ("title", quoted(scene.title)),
        ("duration", repr(scene.duration)),
        ("step", repr(scene.step)),
        ("frame_every", repr(scene.frame_every)),
        ("gravity", toml(scene.gravity)),
        ("restitution", repr(scene.restitution)),
        *_surface(scene.surfaces, SMOOTH),
        ("engine", quoted(scene.engine)),
        ("toi", quoted(scene.toi)),
        ("slices", repr(scene.slices)),
    ]
    return _block(comment.rstrip("\n"), values) if comment else _block("", values)[1:]


def _normal(item: Ball | Obstacle) -> tuple[str, str]:
    """The material, or else the restitution."""
    if item.material is not None:
        return "material", quoted(item.material)
    return "restitution", repr(item.restitution)


def _materials(surfaces: Surfaces) -> list[str]:
    """The tables of materials, and of pairs of them."""
    blocks = []
    for material in surfaces.materials:
        values = [("name", quoted(material.name)), *_surface(material)]
        blocks.append(_block("[[material]]", values))
    for pair in surfaces.pairs:
        names = ", ".join(map(quoted, pair.materials))
        blocks.append(_block("[[material_pair]]", [("materials", f"[{names}]"), *_surface(pair)]))
    return blocks


def _surface(
    given: Material | MaterialPair | Surfaces, usual: Surfaces | None = None
) -> list[tuple[str, str]]:
    """What is given of a surface; usual: what need not be said."""
    values = []
    for name in ("restitution", "tangential_restitution", "friction"):
        value = getattr(given, name, None)
        if value is None or value == getattr(usual, name, None):
            continue
        if isinstance(value, PowerLaw):
            value = asdict(value)
        values.append((name, toml(value)))
    return values


def _box(box: Box | None) -> list[str]:
    if box is None:
        return []
    values = [
        ("low", toml(box.low)),
        ("size", toml(box.size)),
        ("periodic", toml(box.periodic)),
    ]
    if box.is_sheared:
        values.append(("shear_rate", repr(box.shear_rate)))
    return [_block("[box]", values)]


def _rest(rest: Thresholds) -> list[str]:
    """The table of the thresholds that are not the usual ones."""
    usual = USUAL_THRESHOLDS._asdict()
    values = [(name, repr(value)) for name, value in rest._asdict().items() if value != usual[name]]
    return [_block("[rest]", values)] if values else []


def _named(name: str, given: HarmonicTrap | Thermostat | None) -> list[str]:
    """The table of what is given by its fields, if it is."""
    if given is None:
        return []
    return [_block(f"[{name}]", [(key, toml(plain(v))) for key, v in given._asdict().items()])]


def _view(view: View) -> list[str]:
    """The table of what is not shown as usual."""
    return [_block("[view]", view.rows())] if view.rows() else []


def _orders(obstacles: Sequence[Obstacle]) -> Sequence[int]:
    """What `order` must be said of each obstacle: 0, unless they are not in the usual order."""
    kinds = [list(SHAPE_OF).index(obstacle.shape.kind) for obstacle in obstacles]
    return [0] * len(kinds) if kinds == sorted(kinds) else range(len(kinds))


def _obstacle(obstacle: Obstacle, is_entrance: bool, order: int, keep: Keep) -> str:
    shape = obstacle.shape
    values = [("name", quoted(str(obstacle.name)))]
    values += [(field, toml(value)) for field, value in shape.table(keep).items()]
    values.append(_normal(obstacle))
    if is_entrance:
        values.append(("entrance", "true"))
    if order:
        values.append(("order", repr(order)))
    if obstacle.motion is not None:
        given = obstacle.motion._asdict().items()
        fields = {"kind": obstacle.motion.kind, **{key: plain(value) for key, value in given}}
        values.append(("motion", toml(fields)))
    if obstacle.thermal is not None:
        values.append(("thermal", toml(obstacle.thermal._asdict())))
    return _block(f"[[{shape.kind}]]", values)


def _ball(ball: Ball) -> str:
    values = [
        ("name", quoted(str(ball.name))),
        ("position", toml(ball.position)),
        ("velocity", toml(ball.velocity)),
        ("radius", repr(ball.radius)),
        ("mass", repr(ball.mass)),
        _normal(ball),
    ]
    if any(ball.angular_velocity):
        values.append(("angular_velocity", toml(ball.angular_velocity)))
    if ball.inertia_factor != SOLID_SPHERE:
        values.append(("inertia_factor", repr(ball.inertia_factor)))
    if any(ball.acceleration):
        values.append(("acceleration", toml(ball.acceleration)))
    if ball.color:
        values.append(("color", quoted(ball.color)))
    return _block("[[ball]]", values)


def _count(count: Count) -> str:
    values = [("name", quoted(count.name))]
    if count.gate is not None:
        fields = {key: plain(value) for key, value in count.gate._asdict().items()}
        if fields["radius"] == math.inf:
            del fields["radius"]
        values.append(("gate", toml(fields)))
    given = (("kinds", count.kinds), ("of", count.of), ("bins", count.bins))
    values += [(name, toml(value)) for name, value in given if value is not None]
    return _block("[[count]]", values)


def _block(header: str, values: Iterable[tuple[str, str]]) -> str:
    return "\n".join([header, *(f"{key} = {value}" for key, value in values)]) + "\n"
