"""All that can be measured of a run, and why the rest cannot."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from spheresim.analysis import published_hard_spheres
from spheresim.analysis.cooling import Cooling, cooling
from spheresim.analysis.energy_over_time import Conservation, energy_and_momentum
from spheresim.analysis.gas import UNITS
from spheresim.analysis.measured import FEWEST_BLOCKS, Curve, Measured
from spheresim.analysis.of_run import NotInRunError, RunArrays, arrays_of
from spheresim.analysis.pair_correlation import contact_value, radial_distribution, structure_factor
from spheresim.analysis.pressure_and_free_paths import (
    FreePaths,
    Pressure,
    collision_rate,
    free_paths,
    pressure,
)
from spheresim.analysis.published_hard_spheres import Fluid, fluid_of
from spheresim.analysis.speeds import (
    SpeedDistribution,
    speed_distribution,
    unequal_temperatures,
)
from spheresim.analysis.stress import StressTensor, stress
from spheresim.analysis.time_correlation import (
    Diffusion,
    diffusion,
    mean_squared_displacement,
    velocity_autocorrelation,
)
from spheresim.numerics.arrays import Floats

T = TypeVar("T")

_SUMMED_UP = {
    "mean free path": "mean_free_path",
    "collision rate": "collision_rate",
    "pressure": "pressure",
    "compressibility factor": "compressibility_factor",
    "shear viscosity": "shear_viscosity",
}
"""The figures that need impacts, and their names in `run.json`."""

_CURVES = {
    "free paths": "distribution of free paths",
    "collision rate": "collision rate over time",
    "pressure": "pressure over time",
}
"""What is missing where figures are known without impacts, by what is missing else."""


class Analysis(NamedTuple):
    """The figures of a run; None for a figure that could not be measured.

    fluid: the hard-sphere fluid of the run, if its balls are equal and nothing accelerates them
    between impacts; published_factor: the published Z of such a fluid, or of a mixture; is_lossy:
    whether impacts take energy: nothing is published then; has_free_flights: whether only impacts
    change velocities, as in published diffusion and viscosity; has_obstacles: whether balls may hit
    something else than balls; counted: figures by name from the engine's own sums, for a run
    without impacts on disk; missing: by name, the reason why a figure could not be measured;
    unsettled: a sentence on what the run has not forgotten of its start, "" if nothing is seen.
    """

    conservation: Conservation | None
    speeds: SpeedDistribution | None
    free_paths: FreePaths | None
    collision_rate: tuple[Measured, Curve] | None
    pressure: Pressure | None
    stress: StressTensor | None
    radial_distribution: Curve | None
    contact_value: Measured | None
    structure_factor: Curve | None
    displacement: Curve | None
    diffusion: Diffusion | None
    autocorrelation: Curve | None
    cooling: Cooling | None
    fluid: Fluid | None
    published_factor: float | None
    is_lossy: bool
    has_free_flights: bool
    has_obstacles: bool
    counted: dict[str, Measured]
    missing: dict[str, str]
    unsettled: str

    def figures(self) -> dict[str, Measured]:
        """The single values by name, with the published values where these exist."""
        counted = dict(self.counted)
        rate = counted.pop("collision rate", None)
        found: dict[str, Measured | None] = {
            "Sonine coefficient of speeds": self.speeds and self.speeds.sonine,
            self.name_of_mean_path: self.free_paths and self.free_paths.mean,
            self.name_of_rate: self.collision_rate[0] if self.collision_rate else rate,
            "pressure": self.pressure and self.pressure.pressure,
            "compressibility factor": self.pressure and self.pressure.compressibility_factor,
            "shear viscosity": self.stress and self.stress.shear_viscosity,
            **counted,
            "g at contact": self.contact_value,
            "diffusion": self.diffusion and self.diffusion.coefficient,
            "temperature at the start": self.cooling and self.cooling.start,
            "time of cooling": self.cooling and self.cooling.time,
            "exponent of cooling": self.cooling and self.cooling.exponent,
        }
        return {
            name: value._replace(published=self._published().get(name, value.published))
            for name, value in found.items()
            if value is not None
        }

    @property
    def name_of_mean_path(self) -> str:
        """The mean free path of a gas is that between impacts of two balls."""
        on_obstacles = self.free_paths is not None and self.free_paths.end_on_obstacles
        return "mean path between impacts" if on_obstacles else "mean free path"

    @property
    def name_of_rate(self) -> str:
        """The collision rate is that of impacts of two balls."""
        return "collision rate of two balls" if self.has_obstacles else "collision rate"

    def _published(self) -> dict[str, float]:
        fluid, factor = self.fluid, self.published_factor
        if factor is None or self.is_lossy:
            return {}
        if fluid is None:
            return {"compressibility factor": factor}
        phi = fluid.packing_fraction
        published = {
            "Sonine coefficient of speeds": 0.0,
            "mean free path": published_hard_spheres.mean_free_path(phi, fluid.diameter),
            "collision rate": fluid.collision_rate,
            "compressibility factor": factor,
            "g at contact": published_hard_spheres.contact_value(phi),
        }
        if self.has_free_flights:
            diffusion = published_hard_spheres.speedy_diffusion(phi, fluid.diameter, fluid.speed)
            viscosity = published_hard_spheres.enskog_viscosity(
                phi, fluid.diameter, fluid.mass, fluid.mass * fluid.speed**2
            )
            published |= {"diffusion": diffusion, "shear viscosity": viscosity}
        return published


def analyse(run: Any) -> Analysis:
    """All figures of a run, as an `Analysis`; each is a function of `spheresim.analysis`."""
    missing: dict[str, str] = {}

    def tried(name: str, measure: Callable[[], T]) -> T | None:
        try:
            return measure()
        except NotInRunError as reason:
            missing[name] = str(reason)
            return None

    arrays = arrays_of(run, settled=True)
    distribution = tried("radial distribution", lambda: radial_distribution(run))
    return Analysis(
        conservation=tried("energy", lambda: energy_and_momentum(run)),
        speeds=tried("speeds", lambda: speed_distribution(run)),
        free_paths=tried("free paths", lambda: free_paths(run)),
        collision_rate=tried("collision rate", lambda: collision_rate(run)),
        pressure=tried("pressure", lambda: pressure(run)),
        stress=tried("stress", lambda: stress(run)),
        radial_distribution=distribution,
        contact_value=distribution
        and tried("g at contact", lambda: _contact(distribution, arrays.radius)),
        structure_factor=tried("structure factor", lambda: structure_factor(run)),
        displacement=tried("displacement", lambda: mean_squared_displacement(run)),
        diffusion=tried("diffusion", lambda: _diffusion(run, arrays)),
        autocorrelation=tried("velocity autocorrelation", lambda: velocity_autocorrelation(run)),
        cooling=tried("cooling", lambda: cooling(run)),
        fluid=_fluid(arrays),
        published_factor=published_hard_spheres.published_factor(arrays.radius, _size(arrays)),
        is_lossy=arrays.is_lossy,
        has_free_flights=arrays.has_free_flights,
        has_obstacles=len(run.scene.obstacles) > 0,
        counted=_counted(run, missing) if "collision rate" in missing else {},
        missing=missing,
        unsettled=_unsettled(run, arrays),
    )


def _counted(run: Any, missing: dict[str, str]) -> dict[str, Measured]:
    """What the engine summed up as it ran, which `run.json` holds: see `gas_figures`.

    Of these only the curves are missing then.
    """
    found = {}
    for name, key in _SUMMED_UP.items():
        if run.info.get(key) is not None:
            found[name] = Measured(run.info[key], run.info.get(f"{key}_error"), UNITS[key])
    for name, curve in _CURVES.items():
        if name in missing and found:
            missing[curve] = missing.pop(name)
    return found


def _diffusion(run: Any, arrays: RunArrays) -> Diffusion:
    """D, where there is one: balls wander on for ever, and as fast later as now."""
    scene = run.scene
    is_driven = scene.is_driven or arrays.shear_rate != 0.0
    if arrays.is_accelerated or (arrays.is_lossy and not is_driven):
        raise NotInRunError(
            "balls that slow down, fall or are in a trap have no coefficient of diffusion"
        )
    if scene.box is None or not any(scene.box.periodic):
        raise NotInRunError("it needs a periodic box, because elsewhere walls stop the diffusion")
    if len(arrays.mass) < FEWEST_BLOCKS:
        raise NotInRunError(
            f"its error is from the scatter among balls, so it needs at least {FEWEST_BLOCKS} balls"
        )
    return diffusion(run)


def _contact(distribution: Curve, radius: Floats) -> Measured:
    if np.ptp(radius) > 0.0:
        raise NotInRunError("it is measured only for equal balls")
    return contact_value(distribution, 2.0 * float(radius[0]))


def _unsettled(run: Any, arrays: RunArrays) -> str:
    """Whether an elastic mixture is still on its way to one temperature, in a sentence."""
    if arrays.is_lossy or arrays.shear_rate != 0.0 or any(o.is_wall for o in run.scene.obstacles):
        return ""
    found = unequal_temperatures(run)
    if found is None:
        return ""
    return (
        f"balls of different mass still have different temperatures: {found[0]:.3g} the lighter, "
        f"{found[1]:.3g} the heavier, as what is left out as settling ends"
    )


def _size(arrays: RunArrays) -> Floats | None:
    """Of the box of a fluid, None if the run is none."""
    if arrays.is_accelerated:
        return None
    try:
        return arrays.size
    except NotInRunError:
        return None


def _fluid(arrays: RunArrays) -> Fluid | None:
    size = _size(arrays)
    if size is None:
        return None
    energies = np.einsum("j,ijk,ijk->", arrays.mass, arrays.velocity, arrays.velocity)
    temperature = float(energies) / (3.0 * len(arrays.t) * len(arrays.mass))
    return fluid_of(arrays.radius, arrays.mass, size, temperature)
