"""A world of shapes that answers what touches what, and rays, sweeps and points asked of it.

Import what you need from here: `from spheresim.collision_world import CollisionWorld, Unsupported`.
"""

from spheresim.collision_world.contacts import Contact, Contacts
from spheresim.collision_world.handles import StaleHandle
from spheresim.collision_world.pairs.catalogue import Unsupported
from spheresim.collision_world.world import CollisionWorld

__all__ = ["CollisionWorld", "Contact", "Contacts", "StaleHandle", "Unsupported"]
