"""The catalogue of engines: what each can do, which suits what world, what cannot go together.

To make one imports it; to read this table imports no compiler.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from spheresim.engines.engine_protocol import Engine
    from spheresim.model.force_field import Field
    from spheresim.model.obstacle import Obstacle
    from spheresim.model.state import Box, State, World
    from spheresim.model.thermostat import Thermostat

EngineName = Literal["steps", "events"]
"""The fixed timestep, and the exact engine, which goes from impact to impact."""

ENGINES: tuple[str, ...] = get_args(EngineName)

ToiMethod = Literal["analytic", "sliced"]
"""How impacts of two balls may be found."""

TOI_METHODS: tuple[str, ...] = get_args(ToiMethod)


def _time_stepping(
    world: "World",
    start: "State",
    step: float,
    slices: int,
    field: "Field | None" = None,
    thermostat: "Thermostat | None" = None,
) -> "Engine":
    from spheresim.engines.time_stepping.engine import Stepping

    return Stepping(world, start, step, slices, field, thermostat)


def _event_driven(
    world: "World",
    start: "State",
    step: float,
    _slices: int,
    field: "Field | None" = None,
    thermostat: "Thermostat | None" = None,
) -> "Engine":
    from spheresim.engines.event_driven.engine import Events

    # See `checked_field`.
    return Events(world, start, step, field, thermostat=thermostat)  # type: ignore[arg-type]


@dataclass(frozen=True)
class EngineKind:
    """What can be known of an engine before there is one."""

    make: Callable[["World", "State", float, int, "Field | None", "Thermostat | None"], "Engine"]
    """From a world, a state, a timestep, into how many slices it is cut (0: analytic), a field of
    force that the engine supports, and a thermostat."""
    toi_methods: tuple[str, ...]
    """How it can find impacts of two balls."""
    has_fixed_step: bool
    """Whether it goes by whole steps, in which balls fly straight even under gravity, and whose
    number bounds a run; or flies exactly from impact to impact."""
    is_periodic: bool
    """Whether it can run in a periodic box."""
    has_any_field: bool
    """Whether any function of Python may accelerate the balls, or only fields in which flights have
    a closed form."""
    has_checkpoints: bool
    """Whether a run can be saved at any time, and go on from there to the same bytes."""


ENGINE_KINDS: dict[str, EngineKind] = {
    "steps": EngineKind(
        _time_stepping,
        toi_methods=TOI_METHODS,
        has_fixed_step=True,
        is_periodic=False,
        has_any_field=True,
        has_checkpoints=False,
    ),
    "events": EngineKind(
        _event_driven,
        toi_methods=("analytic",),
        has_fixed_step=False,
        is_periodic=True,
        has_any_field=False,
        has_checkpoints=True,
    ),
}


def usual_engine(is_periodic: bool) -> str:
    """The engine where none is named: periodic space is for the exact one alone."""
    return "events" if is_periodic else "steps"


def is_stepped(engine: str, gravity: Sequence[float], field: "Field | None" = None) -> bool:
    """Whether an integrator takes part: gravity or a field acts, and by fixed steps."""
    return ENGINE_KINDS[engine].has_fixed_step and (any(gravity) or field is not None)


def option_conflict(engine: str, toi: str, is_periodic: bool) -> tuple[str, str] | None:
    """What does not go together: which of the two words is wrong, and why; None if all does."""
    kind = ENGINE_KINDS[engine]
    if is_periodic and not kind.is_periodic:
        return "engine", f'must be "events", for the box is periodic, not "{engine}"'
    if toi not in kind.toi_methods:
        return (
            "toi",
            f'must be "analytic" with the engine "{engine}", which has no slices, not "{toi}"',
        )
    return None


def checked_field(
    field: Any, engine: str, obstacles: "Sequence[Obstacle]", box: "Box | None"
) -> "Field | None":
    """The field; ValueError or TypeError if the engine does not support it with these obstacles."""
    if field is None:
        return None
    if not callable(field):
        raise TypeError(
            f"field must be a function of time, positions and velocities, not {field!r}"
        )
    if not ENGINE_KINDS[engine].has_any_field:
        from spheresim.model.force_field import ConstantAccelerations, HarmonicTrap

        if isinstance(field, ConstantAccelerations):
            if box is not None and box.is_sheared:
                raise ValueError("there must be no field in a box with a shear_rate")
            return field
        if not isinstance(field, HarmonicTrap):
            raise ValueError(
                f'with the engine "{engine}" a field must be a HarmonicTrap or '
                "ConstantAccelerations, in which flights have a closed form; any function will do "
                'with "steps"'
            )
        if box is not None and box.is_periodic:
            raise ValueError("a trap must be in open space, not in a periodic box")
        for obstacle in obstacles:
            if obstacle.shape.kind != "plane":
                raise ValueError(
                    f'in a trap with the engine "{engine}" obstacles must be planes, and '
                    f"{obstacle.name!r} is a {obstacle.shape.kind}"
                )
            if obstacle.is_wall:
                raise ValueError(
                    f'in a trap with the engine "{engine}" no obstacle may move or be '
                    f"warm, but {obstacle.name!r} does or is"
                )
    return field


def checked_engine(engine: str | None, toi: str, is_periodic: bool) -> str:
    """The engine that is named, or the usual one; ValueError if it does not go with the rest."""
    engine = usual_engine(is_periodic) if engine is None else engine
    for word, given, known in (("engine", engine, ENGINES), ("toi", toi, TOI_METHODS)):
        if given not in known:
            expected = " or ".join(f'"{name}"' for name in known)
            raise ValueError(f"{word} must be {expected}, not {given!r}")
    if wrong := option_conflict(engine, toi, is_periodic):
        raise ValueError(" ".join(wrong))
    return engine
