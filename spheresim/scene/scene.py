"""A loaded scene: all defaults filled in, all fills made."""

from dataclasses import dataclass
from pathlib import Path

from spheresim.collision.constants import SLICES
from spheresim.contact.thresholds import USUAL_THRESHOLDS, Thresholds
from spheresim.model.balls import Balls
from spheresim.model.force_field import Field, HarmonicTrap, with_accelerations
from spheresim.model.materials import SMOOTH, Surfaces
from spheresim.model.obstacle import Obstacle
from spheresim.model.state import Box, State, World, build
from spheresim.model.thermostat import Thermostat
from spheresim.numerics.vector import TVector
from spheresim.numerics.whole_steps import is_whole
from spheresim.scene.count import Count
from spheresim.scene.notebook import ShownInNotebooks
from spheresim.scene.view import USUAL_VIEW, View


@dataclass(frozen=True)
class Scene(ShownInNotebooks):
    """The contents of a scene file, checked and with all defaults filled in.

    title: one line; duration, step, frame_every: times [time]; `frame_every` is a whole multiple of
    `step` for the engine "steps"; gravity: (3,) [length/time²]; restitution: the default; balls:
    `Balls`, with names, in the order of the file; obstacles: `Obstacle`s with names, by their
    `order`, then planes, then cylinders, then the other kinds; path: the file; name: that of the
    file or of the run's directory; sha256: the checksum of the file's bytes; seed: of the first
    fill, None without fills; warnings: sentences; comment: the comment at the start of the file;
    box: a `Box`, None in open space; files: the paths of files with balls and meshes; engine:
    "steps" or "events"; toi: "analytic" or "sliced"; slices: their number; entrances: the names of
    planes behind which balls may start; rest: `Thresholds`; view: `View`; surfaces: `Surfaces`;
    thermostat: a `Thermostat`, or None; trap: a `HarmonicTrap`, or None; counts: what is counted,
    see `Count`.
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
    trap: HarmonicTrap | None = None
    counts: tuple[Count, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "balls", Balls.of(self.balls))

    @property
    def field(self) -> Field | None:
        """What accelerates balls beside gravity: the trap, or `ConstantAccelerations`."""
        return with_accelerations(self.trap, self.balls.acceleration)

    @property
    def is_accelerated(self) -> bool:
        """Whether gravity or a field accelerates balls between impacts."""
        return any(self.gravity) or self.field is not None

    @property
    def is_driven(self) -> bool:
        """Whether a heat bath, or an obstacle that moves or is warm, can give balls energy."""
        return self.thermostat is not None or any(o.is_wall for o in self.obstacles)

    def world(self) -> tuple[World, State]:
        """The balls and obstacles as arrays, at time 0: see `build`."""
        of_world = self.gravity, self.box, self.rest, self.surfaces
        return build(self.balls, self.obstacles, *of_world)

    @property
    def has_spin(self) -> bool:
        """Whether spins are followed, so that its tables have columns for them."""
        return self.surfaces.are_rough or bool(self.balls.angular_velocity.any())


def fault_of_frames(frame_every: float, step: float) -> str:
    """What is wrong with frames that do not fall on steps; else ""."""
    if is_whole(frame_every / step):
        return ""
    return f"must be a whole multiple of step ({step!r}), not {frame_every!r}"
