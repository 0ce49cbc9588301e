"""What a page is told of spins: those at the start, and what changes them at each impact."""

from spheresim.collision.impacts import Impacts
from spheresim.record.spin_changes import twists
from spheresim.scene import Scene
from spheresim_viewer.web.surroundings import Arrays


def spins(scene: Scene, rows: Impacts) -> Arrays:
    """Angular velocities at the start; radius over moment of inertia; the twist of each row.

    None of them in a world without spins.
    """
    if not scene.has_spin:
        return {}
    balls, twist = scene.balls, twists(rows)
    return {
        "ball.spin": ("f8", balls.angular_velocity),
        "ball.lever": ("f8", balls.radius / balls.inertia),
        **{f"row.twist{axis}": ("f8", twist[:, k]) for k, axis in enumerate("xyz")},
    }
