"""The figures that a physicist measures of a state or a run.

Each function takes arrays, or a `Run` in place of all arrays that the run has, and gives an error
with each value; what follows a run are options, by name:

    from spheresim import Run, analysis

    run = Run.load("runs/gas")
    g = analysis.radial_distribution(run)
    print(g.x, g.value, g.error, analysis.diffusion(run).coefficient)
"""

from spheresim.analysis.catalogue import Analysis, analyse
from spheresim.analysis.contact_numbers import ContactNumbers, contact_numbers
from spheresim.analysis.cooling import Cooling, cooling
from spheresim.analysis.energy_over_time import Conservation, energy_and_momentum
from spheresim.analysis.measured import Curve, Measured
from spheresim.analysis.of_run import NotInRunError
from spheresim.analysis.pair_correlation import contact_value, radial_distribution, structure_factor
from spheresim.analysis.pressure_and_free_paths import (
    FreePaths,
    Pressure,
    collision_rate,
    free_paths,
    pressure,
)
from spheresim.analysis.speeds import SpeedDistribution, maxwell, speed_distribution
from spheresim.analysis.stress import StressTensor, stress
from spheresim.analysis.time_correlation import (
    Diffusion,
    diffusion,
    mean_squared_displacement,
    velocity_autocorrelation,
)

__all__ = [
    "Analysis",
    "Conservation",
    "ContactNumbers",
    "Cooling",
    "Curve",
    "Diffusion",
    "FreePaths",
    "Measured",
    "NotInRunError",
    "Pressure",
    "SpeedDistribution",
    "StressTensor",
    "analyse",
    "collision_rate",
    "contact_numbers",
    "contact_value",
    "cooling",
    "diffusion",
    "energy_and_momentum",
    "free_paths",
    "maxwell",
    "mean_squared_displacement",
    "pressure",
    "radial_distribution",
    "speed_distribution",
    "stress",
    "structure_factor",
    "velocity_autocorrelation",
]
