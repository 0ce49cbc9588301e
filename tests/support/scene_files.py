"""Writing scene files into the folder that a test is in, and asking what is wrong with them."""

from pathlib import Path

import pytest

from spheresim.scene import SceneError, load_scene

BALL = "[[ball]]\nposition = [0, 0, 0]\nradius = 1\n"
TWO_BALLS = """[[ball]]
position = [-5, 0, 0]
velocity = [1, 0, 0]
radius = 1
[[ball]]
position = [0, 1.2, 0]
radius = 1
"""
"""The first flies at the second, and hits it at t = 3.4."""
SHIPPED = [
    "billiard_in_a_tube",
    "bouncing_ball",
    "bowl",
    "corner_reflector",
    "couette_shear",
    "drum",
    "galton_board",
    "gas_in_a_box",
    "heat_between_walls",
    "hourglass",
    "lorentz_gas",
    "magic_room",
    "newtons_cradle",
    "packing",
    "pi_by_collisions",
    "pile",
    "pillars",
    "pinball",
    "piston",
    "rough_billiard",
    "shaken_box",
    "sieve",
    "slope",
    "stairs_of_discs",
    "table_edge",
    "tautochrone",
    "tetrahedron",
    "tube_slide",
    "two_balls",
    "vibrated_bed",
]
PERIODIC = {"couette_shear", "lorentz_gas", "packing"}
"""Those in periodic boxes, which the exact engine alone runs."""
SMALLEST = f"duration = 1\n{BALL}"
HEADER = "x,y,z,vx,vy,vz,radius"


def write_room(text, balls=None):
    """Write `room.toml`, and where asked a ball file; the scene's path."""
    for name, content in (("room.toml", text), ("balls.csv", balls)):
        if content is not None:
            Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return "room.toml"


def faults_of(source, **overrides):
    """The faults of a scene, each on one line."""
    with pytest.raises(SceneError) as caught:
        load_scene(source, **overrides)
    assert all("\n" not in fault for fault in caught.value.faults)
    return caught.value.faults
