"""Exact 3D simulation of spheres: the collision tutorial's method, whole and correct."""

from importlib import import_module
from typing import TYPE_CHECKING

from spheresim.version import __version__ as __version__

if TYPE_CHECKING:  # for type checkers and editors; `X as X` makes a name public
    from spheresim.analysis.crossings import Gate as Gate
    from spheresim.collision.sliced_toi import sliced_toi as sliced_toi
    from spheresim.collision.toi import analytic_toi as analytic_toi
    from spheresim.collision.toi_batch import analytic_toi_batch as analytic_toi_batch
    from spheresim.collision.toi_batch import sliced_toi_batch as sliced_toi_batch
    from spheresim.collision_world.world import CollisionWorld as CollisionWorld
    from spheresim.contact.thresholds import Thresholds as Thresholds
    from spheresim.model.balls import Ball as Ball
    from spheresim.model.force_field import ConstantAccelerations as ConstantAccelerations
    from spheresim.model.force_field import HarmonicTrap as HarmonicTrap
    from spheresim.model.materials import Material as Material
    from spheresim.model.materials import MaterialPair as MaterialPair
    from spheresim.model.materials import PowerLaw as PowerLaw
    from spheresim.model.materials import Surfaces as Surfaces
    from spheresim.model.obstacle import Obstacle as Obstacle
    from spheresim.model.obstacle_toi import obstacle_toi as obstacle_toi
    from spheresim.model.obstacle_toi import obstacle_toi_batch as obstacle_toi_batch
    from spheresim.model.state import Box as Box
    from spheresim.model.thermostat import Thermostat as Thermostat
    from spheresim.numerics.bounds import Bounds as Bounds
    from spheresim.numerics.ray import TRay as TRay
    from spheresim.numerics.vector import TVector as TVector
    from spheresim.obstacles.capped_cylinder import CappedCylinder as CappedCylinder
    from spheresim.obstacles.capsule import Capsule as Capsule
    from spheresim.obstacles.compound import Compound as Compound
    from spheresim.obstacles.cuboid import Cuboid as Cuboid
    from spheresim.obstacles.cylinder import Cylinder as Cylinder
    from spheresim.obstacles.disc import Disc as Disc
    from spheresim.obstacles.driven_walls.motions import ConstantVelocity as ConstantVelocity
    from spheresim.obstacles.driven_walls.motions import Oscillation as Oscillation
    from spheresim.obstacles.driven_walls.motions import PiecewiseMotion as PiecewiseMotion
    from spheresim.obstacles.driven_walls.motions import Piston as Piston
    from spheresim.obstacles.driven_walls.motions import SteadyRotation as SteadyRotation
    from spheresim.obstacles.driven_walls.motions import Thermal as Thermal
    from spheresim.obstacles.hull import Hull as Hull
    from spheresim.obstacles.mesh import Mesh as Mesh
    from spheresim.obstacles.plane import Plane as Plane
    from spheresim.obstacles.polygon import Polygon as Polygon
    from spheresim.obstacles.ray_hit import Hit as Hit
    from spheresim.obstacles.ray_hit import Hits as Hits
    from spheresim.obstacles.ring import Ring as Ring
    from spheresim.obstacles.sphere import Sphere as Sphere
    from spheresim.parameter_sweeps.sweep import sweep as sweep
    from spheresim.record.load import Run as Run
    from spheresim.scene.from_python import BallFile as BallFile
    from spheresim.scene.from_python import Fill as Fill
    from spheresim.simulation import Simulation as Simulation
    from spheresim.simulation.compress import compress as compress
else:
    # The same names for the running program, which imports a module when a name of it is first
    # used: the compiler takes half a second to import, and `spheresim --help` needs none of it.
    _MODULES = {
        "Ball": "model.balls",
        "BallFile": "scene.from_python",
        "Bounds": "numerics.bounds",
        "Box": "model.state",
        "CappedCylinder": "obstacles.capped_cylinder",
        "Capsule": "obstacles.capsule",
        "CollisionWorld": "collision_world.world",
        "Compound": "obstacles.compound",
        "ConstantAccelerations": "model.force_field",
        "ConstantVelocity": "obstacles.driven_walls.motions",
        "Cuboid": "obstacles.cuboid",
        "Cylinder": "obstacles.cylinder",
        "Disc": "obstacles.disc",
        "Fill": "scene.from_python",
        "Gate": "analysis.crossings",
        "HarmonicTrap": "model.force_field",
        "Hit": "obstacles.ray_hit",
        "Hits": "obstacles.ray_hit",
        "Hull": "obstacles.hull",
        "Material": "model.materials",
        "MaterialPair": "model.materials",
        "Mesh": "obstacles.mesh",
        "Obstacle": "model.state",
        "Oscillation": "obstacles.driven_walls.motions",
        "PiecewiseMotion": "obstacles.driven_walls.motions",
        "Piston": "obstacles.driven_walls.motions",
        "Plane": "obstacles.plane",
        "Polygon": "obstacles.polygon",
        "PowerLaw": "model.materials",
        "Ring": "obstacles.ring",
        "Run": "record.load",
        "Simulation": "simulation",
        "Sphere": "obstacles.sphere",
        "SteadyRotation": "obstacles.driven_walls.motions",
        "Surfaces": "model.materials",
        "TRay": "numerics.ray",
        "TVector": "numerics.vector",
        "Thermal": "obstacles.driven_walls.motions",
        "Thermostat": "model.thermostat",
        "Thresholds": "contact.thresholds",
        "analytic_toi": "collision.toi",
        "analytic_toi_batch": "collision.toi_batch",
        "compress": "simulation.compress",
        "obstacle_toi": "model.obstacle_toi",
        "obstacle_toi_batch": "model.obstacle_toi",
        "sliced_toi": "collision.sliced_toi",
        "sliced_toi_batch": "collision.toi_batch",
        "sweep": "parameter_sweeps.sweep",
    }

    __all__ = ["__version__"]
    __all__ += list(_MODULES)

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module 'spheresim' has no attribute {name!r}")
        return getattr(import_module(f"spheresim.{_MODULES[name]}"), name)

    def __dir__():
        return __all__
