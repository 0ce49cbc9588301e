"""The balls of a simulation as a person sees them: objects that read and write through."""

from collections.abc import Iterator, Sequence
from typing import Any

from spheresim.model.labels import Labels
from spheresim.model.lazy_state import LiveState
from spheresim.model.state import World
from spheresim.numerics.arguments import finite_vector, index_among
from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector, VectorLike

NO_SPINS = (
    "angular_velocity cannot be set in a world without spins: give surfaces a "
    "tangential_restitution greater than -1, or a ball an angular_velocity at the start"
)

_SHOWN = 10
"""How many balls `repr` lists; of the rest it gives the number."""


class BallView:
    """One ball of a simulation; reading and writing it reads and writes the simulation's arrays."""

    __slots__ = ("_acceleration", "_index", "_material", "_name", "_state", "_world")

    def __init__(
        self,
        world: World,
        state: LiveState,
        index: int,
        name: str,
        material: str | None,
        acceleration: TVector,
    ) -> None:
        self._world = world
        self._state = state
        self._index = index
        self._name = name
        self._material = material
        self._acceleration = acceleration

    @property
    def index(self) -> int:
        """The index of the ball, from 0."""
        return self._index

    @property
    def name(self) -> str:
        """The name of the ball."""
        return self._name

    @property
    def position(self) -> TVector:
        """The centre of the ball [length]: a copy. It can be set."""
        return TVector(self._state.ball(self._index).position)

    @position.setter
    def position(self, position: VectorLike) -> None:
        self._state.position[self._index] = finite_vector(position, f"{self._name}: position")

    @property
    def velocity(self) -> TVector:
        """The velocity of the ball [length/time]: a copy. It can be set."""
        return TVector(self._state.ball(self._index).velocity)

    @velocity.setter
    def velocity(self, velocity: VectorLike) -> None:
        self._state.velocity[self._index] = finite_vector(velocity, f"{self._name}: velocity")

    @property
    def angular_velocity(self) -> TVector:
        """The angular velocity [rad/time], by the right-hand rule: a copy. It can be set.

        0 in a world without spins, where setting it raises ValueError.
        """
        turning = self._state.spin
        return TVector((0.0, 0.0, 0.0) if turning is None else turning[self._index])

    @angular_velocity.setter
    def angular_velocity(self, angular_velocity: VectorLike) -> None:
        if self._state.angular_velocity is None:
            raise ValueError(NO_SPINS)
        turning = finite_vector(angular_velocity, f"{self._name}: angular_velocity")
        self._state.angular_velocity[self._index] = turning

    @property
    def acceleration(self) -> TVector:
        """The constant acceleration of the ball, without gravity [length/time²]."""
        return self._acceleration

    @property
    def material(self) -> str | None:
        """The name of the ball's material, or None."""
        return self._material

    @property
    def inertia_factor(self) -> float:
        """The moment of inertia divided by mass·radius²."""
        return float(self._world.inertia_factor[self._index])

    @property
    def radius(self) -> float:
        """The radius of the ball [length], which is constant."""
        return float(self._world.radius[self._index])

    @property
    def mass(self) -> float:
        """The mass of the ball [mass], which is constant."""
        return float(self._world.mass[self._index])

    @property
    def restitution(self) -> float:
        """The restitution of the ball, which is constant."""
        return float(self._world.restitution[self._index])

    def __repr__(self) -> str:
        x, v = (", ".join(f"{k:.7g}" for k in row) for row in (self.position, self.velocity))
        return f"<{self.name}: position ({x}), velocity ({v}), radius {self.radius:.7g}>"


class BallViews(Sequence[BallView]):
    """The balls of a simulation, as a sequence of `BallView`s."""

    __slots__ = ("_accelerations", "_materials", "_names", "_state", "_world")

    def __init__(
        self,
        world: World,
        state: LiveState,
        names: Labels,
        materials: Labels,
        accelerations: Floats,
    ) -> None:
        self._world = world
        self._state = state
        self._names = names
        self._materials = materials
        self._accelerations = accelerations

    @property
    def names(self) -> Labels:
        """The balls' names, in the order of their indices."""
        return self._names

    @property
    def materials(self) -> Labels:
        """The names of the balls' materials, in the order of their indices; None without one."""
        return self._materials

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        index = index_among(index, len(self), "balls")
        name, material = self._names[index], self._materials[index]
        acceleration = TVector(self._accelerations[index].tolist())
        return BallView(self._world, self._state, index, name, material, acceleration)

    def __repr__(self) -> str:
        more = f" and {len(self) - _SHOWN:,} more" if len(self) > _SHOWN else ""
        return f"{self[:_SHOWN]}{more}"

    def __iter__(self) -> Iterator[BallView]:
        self._state.current()  # all at once: faster than one ball after the other
        return (self[i] for i in range(len(self)))
