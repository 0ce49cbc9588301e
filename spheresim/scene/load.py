"""From a scene file to a `Scene`, or to one exception with all faults of the file."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from spheresim.analysis.crossings import Gate
from spheresim.contact.thresholds import Thresholds
from spheresim.engines.catalogue import option_conflict, usual_engine
from spheresim.model.balls import Ball, Balls
from spheresim.model.force_field import HarmonicTrap
from spheresim.model.labels import Labels, numbered_name
from spheresim.model.materials import SMOOTH, Surfaces
from spheresim.model.obstacle import Obstacle
from spheresim.model.shear_flow import gravity_misfit
from spheresim.model.state import NO_MATERIALS_WITH_WALLS
from spheresim.model.thermostat import Thermostat
from spheresim.numerics.vector import TVector
from spheresim.obstacles.table import SHAPE_OF
from spheresim.scene.arena import Arena
from spheresim.scene.ball_file import read_ball_file
from spheresim.scene.box import resolve_box
from spheresim.scene.check_between_tables import (
    check_count,
    check_field,
    check_fit,
    check_materials,
    check_names,
    check_places,
    check_thermostat,
    check_thresholds,
    check_times,
    check_view,
)
from spheresim.scene.count import Count
from spheresim.scene.faults import Faults
from spheresim.scene.fill.filling import filled
from spheresim.scene.fill.properties import seed_of
from spheresim.scene.find import RESOLVED, find_scene
from spheresim.scene.overrides import set_values
from spheresim.scene.python_values import as_in_file
from spheresim.scene.read_toml import leading_comment, parse, read_bytes
from spheresim.scene.scene import Scene
from spheresim.scene.schema.balls import BallTable
from spheresim.scene.schema.scene import SceneTable, ViewTable
from spheresim.scene.shapes import entrances_of, files_of, motion_of, shape_of, thermal_of
from spheresim.scene.surfaces import surfaces_of
from spheresim.scene.validate import SoundTables, validate
from spheresim.scene.view import Counts, View


def load_scene(source: str | Path, **fields: object) -> Scene:
    """Read a scene from a file, a shipped scene's name or a run's directory; returns a `Scene`.

    fields: values in place of those of the file, unless they are None: step, duration, frame_every
    [time], engine ("steps" or "events"), toi ("analytic" or "sliced"), slices, and any others, such
    as gravity=(0, 0, 0) or **{"fill[0].count": 50}. A seed is for the first fill, seed + 1 for the
    next, and so on, and seed for each warm obstacle and the thermostat. With the engine "steps",
    frame_every must be a whole multiple of step, and space must not be periodic. SceneError with
    all faults of the file, one per line.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    settings = {name: as_in_file(value) for name, value in given.items()}
    path = find_scene(source)
    return scene_from(read_bytes(path), path, settings)


def scene_from(data: bytes, path: Path, settings: Mapping[str, Any]) -> Scene:
    """A scene from the bytes of a file, with settings in place of the file's values.

    path: where the bytes are from, for names, messages and ball files; settings: values by the
    words of `scene.settings`, such as `restitution` or `fill[0].count`, and `seed` as in
    `load_scene`. SceneError holds all faults, one a line.
    """
    faults = Faults(path)
    text, raw = parse(data, path)
    set_values(raw, settings, faults)
    scene = _resolve(validate(raw, faults), path, faults)
    faults.raise_any()
    seed = settings.get("seed")
    if seed is not None and scene.seed is None:
        faults.warn("", f"the seed {seed} changes nothing, for there is no [[fill]]")
    return replace(
        scene,
        sha256=hashlib.sha256(data).hexdigest(),
        comment=leading_comment(text),
        warnings=tuple(faults.warnings),
    )


def check_settings(data: bytes, path: Path, settings: Mapping[str, Any]) -> None:
    """SceneError if settings do not fit the tables of a scene file, without resolving it.

    So faults that lie between tables, such as balls that overlap, are not found.
    """
    faults = Faults(path)
    raw = parse(data, path)[1]
    set_values(raw, settings, faults)
    validate(raw, faults)
    faults.raise_any()


def _resolve(tables: SoundTables, path: Path, faults: Faults) -> Scene:
    """The scene, which must not be used if there are faults."""
    # Times, obstacles and box, then balls, which need room between them.
    table = tables.scene
    frame_every = table.step if table.frame_every is None else table.frame_every
    engine = _engine(tables, faults)
    if not tables.unsound & {"duration", "step", "frame_every", "engine", "box"}:
        check_times(table.duration, table.step, frame_every, engine, faults)
    obstacles, obstacle_fields = _obstacles(tables, path.parent, faults)
    box = resolve_box(tables.scene.box, tables.kinds, faults, tables.unsound)
    if fault := gravity_misfit(box, TVector(table.gravity)):
        faults.add("gravity", fault)
    arena = Arena(check_fit(obstacles, obstacle_fields, box, faults), box)
    balls, fields = _balls(tables, arena, path.parent, faults)
    entrances = entrances_of(tables.kinds["plane"])
    surfaces = surfaces_of(tables, faults)
    if surfaces is not None:
        of_obstacles = zip(obstacle_fields, (o.material for o in obstacles), strict=True)
        of_balls = zip(map(str, fields), balls.material, strict=True)
        named = chain(of_obstacles, of_balls if balls.material.has_any() else ())
        check_materials(surfaces, named, faults)
    surfaces = surfaces or SMOOTH
    turns = surfaces.are_rough or bool(balls.angular_velocity.any()) or balls.material.has_any()
    if turns or any(obstacle.material for obstacle in obstacles):
        walls = zip(obstacles, obstacle_fields, strict=True)
        for field in [field for obstacle, field in walls if obstacle.is_piston_or_warm]:
            faults.add(field, NO_MATERIALS_WITH_WALLS)
    rest = Thresholds(**table.rest.model_dump())
    check_thresholds(rest, faults)

    thermostat = None if table.thermostat is None else Thermostat(**table.thermostat.model_dump())
    if not tables.unsound & {"duration", "thermostat"}:
        check_thermostat(thermostat, table.duration, len(balls), faults)
    trap = None if table.trap is None else HarmonicTrap(**table.trap.model_dump())
    if not tables.unsound & {"trap", "ball", "fill", "ball_file", "box", "engine", *SHAPE_OF}:
        check_field(balls, trap, engine, Arena(obstacles, box), faults)
    view = _view(table.view)
    if not tables.unsound:  # else a ball that is followed may be missing
        check_view(view, balls.name, faults)

    # What overlaps, or is behind a plane.
    check_places(balls, fields, arena, entrances, faults)
    name = path.resolve().parent.name if path.name == RESOLVED else path.stem
    return Scene(
        title=table.title or "".join(filter(str.isprintable, name)) or "scene",
        duration=table.duration,
        step=table.step,
        frame_every=frame_every,
        gravity=TVector(table.gravity),
        restitution=table.restitution,
        balls=with_slow_restitution(balls, surfaces),
        obstacles=[_slow(obstacle, surfaces) for obstacle in obstacles],
        path=path,
        name=name or "scene",
        sha256="",
        seed=_seed(tables, obstacles, thermostat),
        box=box,
        files=files_of(tables.kinds, path.parent),
        engine=engine,
        toi=table.toi,
        slices=table.slices,
        entrances=entrances,
        rest=rest,
        view=view,
        surfaces=surfaces,
        thermostat=thermostat,
        trap=trap,
        counts=_counts(tables, balls, obstacles, faults),
    )


def _seed(
    tables: SoundTables, obstacles: list[Obstacle], thermostat: Thermostat | None
) -> int | None:
    """The seed of the first fill, or else of the first warm obstacle, or else of the thermostat;
    None without any."""
    fills = [seed_of(fill, i) for i, fill in tables.kinds["fill"].items()]
    warm = [obstacle.thermal.seed for obstacle in obstacles if obstacle.thermal is not None]
    bath = [] if thermostat is None else [thermostat.seed]
    return next(iter(fills + warm + bath), None)


def _counts(
    tables: SoundTables, balls: Balls, obstacles: list[Obstacle], faults: Faults
) -> tuple[Count, ...]:
    """What the tables [[count]] say."""
    counts: dict[int, Count] = {}
    for index, item in tables.kinds["count"].items():
        gate = item.gate and Gate(**item.gate.model_dump(exclude_none=True))
        bins = None if item.bins is None else tuple(item.bins)
        count = Count(item.name, item.kinds, item.of, bins, gate)
        check_count(count, balls, [str(obstacle.name) for obstacle in obstacles], index, faults)
        counts[index] = count
    names = Labels.of(count.name for count in counts.values())
    check_names(Labels.of(f"count[{index}]" for index in counts), names, "count", faults)
    return tuple(counts.values())


def _view(table: ViewTable | None) -> View:
    """What the table [view] says, if there is one."""
    if table is None:
        return View()
    said = table.model_dump()
    points = {key: said[key] and tuple(said[key]) for key in ("camera", "target")}
    counts = said["counts"] and Counts(*(tuple(part) for part in said["counts"].values()))
    return View(**{**said, **points, "counts": counts})


def _engine(tables: SoundTables, faults: Faults) -> str:
    """The engine that the scene names, or the usual one; what does not suit it is a fault."""
    table = tables.scene
    is_periodic = table.box is not None and any(table.box.periodic)
    engine = table.engine or usual_engine(is_periodic)
    if wrong := option_conflict(engine, table.toi, is_periodic):
        faults.add(*wrong)
    return engine


def _slow(obstacle: Obstacle, surfaces: Surfaces) -> Obstacle:
    """The obstacle, with the restitution of its material where it has one."""
    (restitution,) = surfaces.slow_restitution([obstacle.material], [obstacle.restitution])
    return obstacle._replace(restitution=float(restitution))


def with_slow_restitution(balls: Balls, surfaces: Surfaces) -> Balls:
    """The balls, with the restitution of their materials where they have one."""
    if not balls.material.has_any():
        return balls
    restitution = surfaces.slow_restitution(balls.material, balls.restitution)
    return balls.replaced(restitution=restitution)


def _or_default(restitution: float | None, table: SceneTable) -> float:
    return table.restitution if restitution is None else restitution


def _obstacles(
    tables: SoundTables, folder: Path, faults: Faults
) -> tuple[list[Obstacle], list[str]]:
    """By ascending order, then planes, cylinders, and so on; and the field of the file that each
    comes from."""
    rows = [(kind, index, item) for kind in SHAPE_OF for index, item in tables.kinds[kind].items()]
    obstacles, fields = [], []
    for kind, index, item in sorted(rows, key=lambda row: row[2].order):
        field = f"{kind}[{index}]"
        placed = shape_of(SHAPE_OF[kind], item, folder, faults, field)
        if placed is None:
            continue
        restitution = _or_default(item.restitution, tables.scene)
        motion, thermal = motion_of(item, faults, field), thermal_of(item)
        name = item.name or numbered_name(kind, index)
        obstacles.append(Obstacle(placed, restitution, name, item.material, motion, thermal))
        fields.append(field)
    names = Labels.of(obstacle.name for obstacle in obstacles)
    check_names(Labels.of(fields), names, "obstacle", faults)
    return obstacles, fields


def _balls(tables: SoundTables, arena: Arena, folder: Path, faults: Faults) -> tuple[Balls, Labels]:
    """All balls in order, named; and the field of the file that each comes from."""
    single, unsound = tables.kinds["ball"], tables.unsound
    if arena.box is None and tables.scene.box is not None:
        unsound |= {"box"}
    balls = Balls.of(
        _ball(item, _or_default(item.restitution, tables.scene), index)
        for index, item in single.items()
    )
    fields = [Labels.of(f"ball[{index}]" for index in single)]
    for index, fill in tables.kinds["fill"].items():
        restitution = tables.scene.restitution
        new = filled(fill, index, restitution, arena, balls, faults, unsound)
        balls += new
        fields.append(Labels.same(f"fill[{index}]", len(new)))
    for index, item in tables.kinds["ball_file"].items():
        field = f"ball_file[{index}].path"
        new = read_ball_file(folder / item.path, tables.scene.restitution, faults, field)
        balls += new
        fields.append(Labels.same(field, len(new)))
    balls = balls.numbered()
    places = Labels.joined(fields)
    check_names(places, balls.name, "ball", faults)
    return balls, places


def _ball(item: BallTable, restitution: float, index: int) -> Ball:
    return Ball(
        *(item.position, item.velocity, item.radius, item.mass, restitution),
        name=item.name or numbered_name("ball", index),
        color=item.color,
        angular_velocity=item.angular_velocity,
        material=item.material,
        inertia_factor=item.inertia_factor,
        acceleration=item.acceleration,
    )
