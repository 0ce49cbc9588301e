"""Exact 3D simulation of spheres: the collision tutorial's method, whole and correct."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from spheresim.collision.toi import analytic_toi, obstacle_toi, sliced_toi
    from spheresim.model.balls import Ball
    from spheresim.model.state import Box, Obstacle
    from spheresim.numerics.ray import TRay
    from spheresim.numerics.vector import TVector
    from spheresim.obstacles.cylinder import Cylinder
    from spheresim.obstacles.plane import Plane
    from spheresim.obstacles.shape import Bounds, Hit
    from spheresim.record.load import Run
    from spheresim.simulation import Simulation

# Loaded on first use: the compiler takes half a second to import, and `--help` needs none of it.
_HOMES = {
    "Ball": "model.balls",
    "Bounds": "obstacles.shape",
    "Box": "model.state",
    "Cylinder": "obstacles.cylinder",
    "Hit": "obstacles.shape",
    "Obstacle": "model.state",
    "Plane": "obstacles.plane",
    "Run": "record.load",
    "Simulation": "simulation",
    "TRay": "numerics.ray",
    "TVector": "numerics.vector",
    "analytic_toi": "collision.toi",
    "obstacle_toi": "collision.toi",
    "sliced_toi": "collision.toi",
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
