"""A loaded scene: all defaults filled in, all fills made."""

from dataclasses import dataclass
from pathlib import Path

from spheresim.collision.constants import SLICES
from spheresim.contact.threshold_bounds import USUAL_THRESHOLDS
from spheresim.contact.thresholds import Thresholds
from spheresim.model.balls import Balls
from spheresim.model.materials import SMOOTH, Surfaces
from spheresim.model.state import Box, Obstacle
from spheresim.model.thermostat import Thermostat
from spheresim.numerics.vector import TVector
from spheresim.scene.notebook import ShownInNotebooks
from spheresim.scene.view import USUAL_VIEW, View


@dataclass(frozen=True)
class Scene(ShownInNotebooks):
    """A scene file and what it says.

    title: one line; duration, step, frame_every: times, `frame_every` a whole multiple of
    `step` for the engine "steps"; gravity: an acceleration; restitution: the default; balls:
    with names, in the order of the file, immutable (see `Balls`); obstacles: planes, then
    cylinders, then the other kinds, with names and restitution; path: the file, name: its
    name, or that of the run's
    directory; sha256: of its bytes;
    seed: that of the first fill, None without one; warnings: sentences;
    comment: the lines of comment at the start of the file; box: of [box], None in open space;
    files: the paths of the files that balls and meshes were read from; engine ("steps" or
    "events"), toi ("analytic" or "sliced"), slices: how it is run; entrances: the names of the
    planes behind which balls may start; rest: when contacts last, and when balls sleep and wake;
    view: how it wants to be watched; surfaces: how rough surfaces are, and the materials;
    thermostat: the heat bath that balls meet, None without one.
    """

    title: str
    duration: float
    step: float
    frame_every: float
    gravity: TVector
    restitution: float
    balls: Balls
    obstacles: list[Obstacle]
    path: Path
    name: str
    sha256: str
    seed: int | None
    warnings: tuple[str, ...] = ()
    comment: str = ""
    box: Box | None = None
    files: tuple[Path, ...] = ()
    engine: str = "steps"
    toi: str = "analytic"
    slices: int = SLICES
    entrances: frozenset[str] = frozenset()
    rest: Thresholds = USUAL_THRESHOLDS
    view: View = USUAL_VIEW
    surfaces: Surfaces = SMOOTH
    thermostat: Thermostat | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "balls", Balls.of(self.balls))

    @property
    def has_spin(self) -> bool:
        """Whether spins are followed, so that its tables have columns for them."""
        return self.surfaces.are_rough or bool(self.balls.angular_velocity.any())
