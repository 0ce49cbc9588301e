"""How the engine's arrays are laid out for a scene: in which order, and how large."""

import math
from typing import Any

import numpy as np

from spheresim.broadphase.sphere_grids.cell_list import Cells, cell_counts, empty_cells
from spheresim.collision.friction_and_restitution import Materials
from spheresim.collision.gas_sums import SNAPSHOT_COLUMNS
from spheresim.collision.journal import ContactWork, empty_journal
from spheresim.compiler.intrinsics import cache_aligned_zeros
from spheresim.compiler.simd import EQUALS, LANES
from spheresim.contact.contact_list import CONTACTS_PER_BALL, empty_contacts
from spheresim.contact.solver import solver_workspace
from spheresim.engines.event_driven.engine_state import (
    BALL_FIELDS,
    BODY_FIELDS,
    EVENT_FIELDS,
    FALLING_BALL_FIELDS,
    HOLD_FIELDS,
    ISLAND_FIELDS,
    ROW,
    Counts,
    EngineState,
    Environment,
    Islands,
    Measures,
    records,
)
from spheresim.engines.event_driven.event_calendar import empty_calendar
from spheresim.engines.event_driven.lees_edwards import NoShear, Shear, stretch_by
from spheresim.engines.event_driven.statistics import BLOCKS_KEPT
from spheresim.engines.sleep_criterion import can_sleep
from spheresim.model.periodic_fit import LEAST_PERIOD
from spheresim.model.periodic_space import smallest_period, space_of
from spheresim.model.periodic_wrap import wrapped
from spheresim.model.shear_flow import is_sheared
from spheresim.model.state import World
from spheresim.numerics.arrays import Floats, Integers
from spheresim.numerics.morton import morton_codes
from spheresim.numerics.records import zero_record
from spheresim.obstacles.driven_walls.moving_walls import wall_records
from spheresim.obstacles.table import is_flat

_NEIGHBOURS_WANTED = 12.0
"""With more, too many are tested in vain, and cells overflow; with fewer, neighbourhoods are left
too often. Measured: from 9 to 12 the speed differs by 2 %, at packing fractions from .1 to .49."""

_FEW_BALLS = 24
"""Up to this number of balls, all are neighbours of each other, and no ball ever leaves its
neighbourhood."""

_STRAIN = 0.25
"""By how much a gas is sheared while a neighbour list holds: more makes longer lists."""

_LEAD_OF_BENT_PATHS = 0.7
"""The lead of a neighbourhood under gravity, or in a field, as a fraction of that without."""

_EVERYTHING = 1e77
"""A margin that holds all coordinates that a scene may have, and can be squared."""

_SHARED = 8.0
"""A velocity that all balls share is taken out if it is so many times what they have beside it."""


def allocate(world: World, order: Integers, falls: bool, spin: Floats | None) -> EngineState:
    """Arrays for balls in the given order, without cells yet, and none of them in the air.

    falls: whether each has an acceleration; spin: angular velocities, or None.
    """
    n = len(order)
    ball = records(n, FALLING_BALL_FIELDS if falls else BALL_FIELDS)
    ball.radius = world.radius[order]
    body = records(n, BODY_FIELDS)
    body.mass, body.restitution = world.mass[order], world.restitution[order]
    body.name = order
    # A step of islands, and a new turn of the calendar, may log all trajectories at once.
    has_materials = isinstance(world.materials, Materials)
    names, numbers = empty_journal(2 * n if has_lasting_contact(world) else 0, has_materials)
    count = zero_record(Counts)
    count.recording = 1
    count.blocks, count.block_impacts = 1, n  # a snapshot looks at all balls
    return EngineState(
        ball=ball,
        event=records(n, EVENT_FIELDS),
        body=body,
        hold=records(n if has_lasting_contact(world) else 0, HOLD_FIELDS),
        islands=_empty_islands(n) if has_lasting_contact(world) else None,
        image=np.zeros((n, 3)),
        row=cache_aligned_zeros(n * ROW, np.uint32),
        expiry=np.zeros(n if is_sheared(world.box) else 0),
        found=np.zeros(3 * n + EQUALS, dtype=np.uint32),
        lanes=cache_aligned_zeros(len(ball.dtype) * LANES, np.float64),
        cells=None,
        calendar=empty_calendar(n),
        walls=wall_records(world.walls),
        names=names,
        numbers=numbers,
        block=np.zeros((BLOCKS_KEPT, SNAPSHOT_COLUMNS)),
        count=count,
        measure=zero_record(Measures),
        work=zero_record(ContactWork),
        spin=np.zeros((n, 3)) if has_materials and spin is None else spin,
        tangential=np.zeros((1, 3)) if has_materials else None,
    )


def grids(
    world: World, position: Floats, reach: Floats, counts: Any = None
) -> tuple[Integers, Cells]:
    """The level (n,) of each ball, and empty cells, for balls at these positions, of these reaches.

    counts: the numbers of cells (levels, 3) in place of those that follow from the positions.
    """
    _, level = np.unique(np.floor(np.log2(reach / reach.min())), return_inverse=True)
    sides = list(space_of(world.box).size)
    extent = np.ptp(position, axis=0) + 2.0 * float(reach.max())
    if counts is None or len(counts) != level.max() + 1:
        counts = cell_counts(reach, level, sides, extent)
    return level, empty_cells(reach, level, sides, counts, _search_stretch(world))


def laid_out(
    world: World,
    environment: Environment,
    engine_state: EngineState,
    dense: float,
    bends: bool,
    position: Floats,
    counts: Any = None,
) -> tuple[Environment, EngineState, Floats]:
    """Laid out for balls at these positions, of a density, in cells that are empty; the margins,
    (n,), too.

    bends: whether paths do; counts: see `grids`.
    """
    margin = margins(world, dense)[engine_state.body.name]
    reach = engine_state.ball.radius + margin
    engine_state.body.level, cells = grids(world, position, reach, counts)
    engine_state.measure.density = dense
    lead_fraction, rebuild_threshold = lead_and_threshold(world, dense, bends)
    environment = environment._replace(
        lead_fraction=lead_fraction, rebuild_threshold=rebuild_threshold
    )
    return environment, engine_state._replace(cells=cells), margin


def _empty_islands(n: int) -> Islands:
    capacity = CONTACTS_PER_BALL * n
    return Islands(
        member=np.zeros(n, dtype=np.uint32),
        contacts=empty_contacts(capacity),
        before=empty_contacts(capacity),
        active=np.zeros(n, dtype=np.uint32),
        active_contacts=empty_contacts(capacity),
        solver=solver_workspace(capacity, n),
        motion=np.zeros((n, 3)),
        inverse_mass=np.zeros(n),
        island=records(n, ISLAND_FIELDS),
    )


def can_press(world: World) -> bool:
    """Whether anything can press a ball onto anything: gravity, or a tube that takes energy."""
    if world.gravity.mag_sqr() > 0.0:
        return True
    obstacles = world.obstacles
    can_bend = (not is_flat(obstacles, k) for k in range(obstacles.kind.size))
    return not world.is_elastic and any(can_bend)


def can_fall(world: World) -> bool:
    """Whether balls have accelerations; in worlds with walls always, though they may be 0."""
    return can_press(world) or world.has_walls


def has_lasting_contact(world: World) -> bool:
    """Whether balls may lie, slide and ride: where they are pressed; where obstacles move, only
    where they can sleep, too."""
    return can_sleep(world) if world.has_walls else can_press(world)


def may_change_density(world: World) -> bool:
    """Whether the layout follows the density: not of few balls, which are all neighbours, nor of a
    gas under shear, whose lists hold for a time that follows from its margins."""
    return len(world.radius) > _FEW_BALLS and not is_sheared(world.box)


def density(world: World, position: Floats) -> float:
    """Balls per volume where a ball typically is, which may be a heap in a large box."""
    n = len(world.radius)
    if world.box is not None:
        position = wrapped(world.box, 0.0, position)
    extent = np.ptp(position, axis=0) + 2.0 * float(world.radius.max())
    if world.box is not None:
        extent = np.where(world.box.periodic, world.box.size, extent)
    density = n / float(np.prod(extent))
    if n <= _FEW_BALLS:
        return density
    for _ in range(20):
        width = (8.0 / density) ** (1.0 / 3.0)
        cell = np.floor((position - position.min(axis=0)) / width)
        code = np.minimum(cell, 2.0**20).astype(np.int64) @ np.array([1 << 42, 1 << 21, 1])
        _, where, count = np.unique(code, return_inverse=True, return_counts=True)
        typical = float(np.median(count[where])) / width**3
        if typical < 3.0 * density:
            break
        density = typical
    return density


def margins(world: World, density: float) -> Any:
    """How far each ball may go in its neighbourhood, for the requested number of neighbours.

    On a periodic axis so little that a ball meets only the nearest image of another.
    """
    period, largest = smallest_period(world.box), float(world.radius.max())
    if not period > LEAST_PERIOD * largest:
        raise ValueError(
            f"box must be more than {LEAST_PERIOD} times the largest radius, {largest!r}, "
            f"along a periodic axis, not {period!r}"
        )
    # Two balls may both go twice their margin, and pass each other meanwhile by this strain.
    strain, room = list_strain(world), 0.499 * period - 2.0 * largest
    most = (room - strain * 2.0 * largest) / (4.0 + 2.0 * strain)
    if len(world.radius) <= _FEW_BALLS:
        return np.full(len(world.radius), min(_EVERYTHING, most))
    reach = 0.5 * (_NEIGHBOURS_WANTED / density * 0.75 / math.pi) ** (1.0 / 3.0)
    radius = float(np.mean(world.radius))
    margin = np.maximum(reach - radius, 0.1 * world.radius)
    return np.minimum(margin, most)


def lead_and_threshold(world: World, density: float, bends: bool) -> tuple[float, float]:
    """The `lead_fraction` and `rebuild_threshold` of an `Environment`; bends: whether paths do.

    Measured: at low density long flights make a large lead worth while, at high density
    a ball soon turns back.
    """
    if len(world.radius) <= _FEW_BALLS:
        return 0.0, 0.0
    packing = density * float(np.mean(world.radius**3)) * 4.0 / 3.0 * math.pi
    lead_fraction = float(np.interp(packing, (0.1, 0.3, 0.49), (0.9, 0.7, 0.2)))
    rebuild_threshold = float(np.interp(packing, (0.1, 0.3, 0.49), (0.4, 0.25, 0.0)))
    # Some of the margin is left for the bend of a path.
    return lead_fraction * (_LEAD_OF_BENT_PATHS if bends else 1.0), rebuild_threshold


def list_strain(world: World) -> float:
    """By how much the gas may be sheared while a neighbour list holds; 0 if it is not sheared.

    In a narrow box half of the room between a ball and its own image is for that.
    """
    if not is_sheared(world.box):
        return 0.0
    largest = float(world.radius.max())
    room = 0.499 * smallest_period(world.box) - 2.0 * largest
    return min(_STRAIN, 0.25 * room / largest)


def _search_stretch(world: World) -> float:
    """How much further than in space a search goes at most in the co-moving coordinates of shear.

    Their strain is at most half the ratio of the box's sides, and what lists hold beyond that.
    """
    if world.box is None or not world.box.is_sheared:
        return 1.0
    return stretch_by(0.5 * world.box.size.x / world.box.size.y + 2.0 * list_strain(world))


def shear_of(world: World) -> Any:
    """`Shear` of a world whose box is sheared, else `NoShear`."""
    box = world.box
    if box is None or not box.is_sheared:
        return NoShear()
    return Shear(box.shear_rate, box.shear_rate * box.size.y, list_strain(world))


def common_velocity(world: World, velocity: Floats) -> Any:
    """A velocity that all balls share, by far more than what they have of their own, else 0.

    Where there is nothing but balls, only their relative motion counts, and counted from a point
    that moves along with them no ball leaves its neighbourhood because of it. It has few digits,
    so that what is left of a velocity is exact.
    """
    if not _is_isolated(world):
        return np.zeros(3)
    mean = velocity.mean(axis=0)
    own = math.sqrt(float(((velocity - mean) ** 2).sum(axis=1).mean()))
    if not float(np.linalg.norm(mean)) > _SHARED * own:
        return np.zeros(3)
    digits, exponent = np.frexp(mean)
    return np.ldexp(np.round(digits * 2.0**20), exponent - 20)


def centre_of_mass_velocity(world: World, velocity: Floats) -> Any:
    """The velocity of the centre of mass of a gas, which stays; 0 where more than balls acts."""
    if len(velocity) == 1 or not _is_isolated(world):
        return np.zeros(3)
    return np.average(velocity, axis=0, weights=world.mass)


def _is_isolated(world: World) -> bool:
    """Whether there is nothing but balls, unless a field of force or a heat bath acts on them."""
    acts = world.obstacles.kind.size > 0 or world.gravity.mag_sqr() > 0.0
    return not (acts or is_sheared(world.box))


def order(position: Floats, width: float) -> Integers:
    """Balls along a curve through their cells (Morton's), so that neighbours are near in memory."""
    n = len(position)
    if n < 64:
        return np.arange(n)
    cell = np.floor((position - position.min(axis=0)) / width)
    scale = min(1.0, 2**20 / max(1.0, float(cell.max())))
    return np.argsort(morton_codes(cell * scale), kind="stable")
