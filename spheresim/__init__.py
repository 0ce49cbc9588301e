"""Exact 3D simulation of spheres: the collision tutorial's method, whole and correct."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from spheresim.balls import Ball
    from spheresim.impact import analytic_toi, obstacle_toi, sliced_toi
    from spheresim.ray import TRay
    from spheresim.record.load import Run
    from spheresim.shapes.cylinder import Cylinder
    from spheresim.shapes.plane import Plane
    from spheresim.shapes.questions import Bounds, Hit
    from spheresim.simulation import Simulation
    from spheresim.state import Box, Obstacle
    from spheresim.vector import TVector

# Loaded on first use: the compiler takes half a second to import, and `--help` needs none of it.
_HOMES = {
    "Ball": "balls",
    "Bounds": "shapes.questions",
    "Box": "state",
    "Cylinder": "shapes.cylinder",
    "Hit": "shapes.questions",
    "Obstacle": "state",
    "Plane": "shapes.plane",
    "Run": "record.load",
    "Simulation": "simulation",
    "TRay": "ray",
    "TVector": "vector",
    "analytic_toi": "impact",
    "obstacle_toi": "impact",
    "sliced_toi": "impact",
}

__all__ = [
    "Ball",
    "Bounds",
    "Box",
    "Cylinder",
    "Hit",
    "Obstacle",
    "Plane",
    "Run",
    "Simulation",
    "TRay",
    "TVector",
    "__version__",
    "analytic_toi",
    "obstacle_toi",
    "sliced_toi",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spheresim' has no attribute {name!r}")
    return getattr(import_module(f"spheresim.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
