"""What came of a run, in numbers: counts, energies, and the figures of a gas."""

from typing import Any, Protocol

from spheresim.analysis.drift import Drift
from spheresim.analysis.gas import GasFigures, gas_figures
from spheresim.collision.impacts import Tally
from spheresim.model.state import State, World
from spheresim.numerics.arrays import Booleans, Floats, Records
from spheresim.obstacles.driven_walls.report import wall_figures


class Simulated(Protocol):
    """The methods of a simulation that are used here; `Simulation` has them."""

    @property
    def time(self) -> float: ...
    @property
    def state(self) -> State: ...
    @property
    def world(self) -> World: ...
    @property
    def tally(self) -> Tally: ...
    @property
    def asleep(self) -> Booleans: ...
    @property
    def sliding(self) -> Booleans: ...
    @property
    def walls(self) -> Records: ...
    @property
    def heat_bath(self) -> Records: ...
    @property
    def field(self) -> object: ...
    @property
    def snapshots(self) -> Floats | None: ...

    counts: dict[str, Any]


def outcome(simulation: Simulated, drift: Drift) -> dict[str, Any]:
    """The figures of a run as of now, by the names that they have in `run.json`."""
    tally = simulation.tally
    return {
        "time": simulation.time,
        "steps": tally.steps,
        "impacts": tally.impacts,
        "ball_impacts": tally.ball_impacts,
        "obstacle_impacts": tally.obstacle_impacts,
        "collapse_answers": tally.collapse_answers,
        **drift.figures(simulation.state, tally.dissipated, tally.given, tally.work_of_shear),
        **wall_figures(simulation.walls),
        **_bath_figures(simulation.heat_bath),
        "asleep": int(simulation.asleep.sum()),
        "sliding": int(simulation.sliding.sum()),
        "deepest_overlap": tally.deepest_overlap,
        **_gas(simulation),
        **_count_figures(simulation.counts),
    }


def _bath_figures(record: Records) -> dict[str, Any]:
    """The heat that balls took from a thermostat's heat bath, and how often balls met it."""
    return {
        key: value
        for row in record
        for key, value in (
            ("heat_of_thermostat", float(row.heat)),
            ("thermostat_meetings", int(row.meetings)),
        )
    }


def _count_figures(counts: dict[str, Any]) -> dict[str, Any]:
    """What the counts of a scene have counted."""
    if not counts:
        return {}
    return {"counts": [{"name": name, **count.figures()} for name, count in counts.items()]}


def _gas(simulation: Simulated) -> dict[str, Any]:
    figures = gas_of(simulation)
    return {} if figures is None else figures.info()


def gas_of(simulation: Simulated) -> GasFigures | None:
    """The figures of a gas, if the engine keeps the sums for them.

    Balls move along as many axes as any of them has a velocity along, or three if all rest.
    """
    if simulation.snapshots is None:
        return None
    dimensions = int(simulation.state.velocity.any(axis=0).sum()) or 3
    acts = len(simulation.heat_bath) > 0, simulation.field is not None
    return gas_figures(simulation.world, simulation.snapshots, dimensions, *acts)
