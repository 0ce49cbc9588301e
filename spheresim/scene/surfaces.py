"""The surfaces of a scene file: its defaults, its materials, and pairs of them."""

import math

from spheresim.model.materials import Material, MaterialPair, SurfaceError, Surfaces
from spheresim.scene.faults import Faults
from spheresim.scene.validate import SoundTables

_UNSOUND = {"material", "material_pair", "tangential_restitution", "friction", "restitution"}


def surfaces_of(tables: SoundTables, faults: Faults) -> Surfaces | None:
    """The surfaces that the tables describe; None if they have faults, which go to `faults`."""
    if tables.unsound & _UNSOUND:
        return None
    table = tables.scene
    materials = [
        Material(
            item.name,
            table.restitution if item.restitution is None else item.restitution,
            item.tangential_restitution,
            item.friction,
        )
        for item in tables.kinds["material"].values()
    ]
    pairs = [
        MaterialPair(
            *(tuple(item.materials), item.restitution), item.tangential_restitution, item.friction
        )
        for item in tables.kinds["material_pair"].values()
    ]
    friction = math.inf if table.friction is None else table.friction
    parts = (table.tangential_restitution, friction, tuple(materials), tuple(pairs))
    try:
        return Surfaces(*parts)
    except SurfaceError as fault:
        faults.add(fault.field, fault.what)
        return None
