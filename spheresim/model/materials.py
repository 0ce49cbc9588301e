"""Materials as a user gives them, and the surfaces of a world made from them."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

import numpy as np

from spheresim.collision.friction_and_restitution import Materials, NoMaterials, RestitutionLaws
from spheresim.numerics.arguments import number, shown
from spheresim.numerics.arrays import Floats
from spheresim.numerics.rows import read_only

T = TypeVar("T")

SOLID_SPHERE = 0.4
"""The moment of inertia of a sphere of one density, in units of m·r²."""

INERTIA_BOUNDS = 1e-6, 2.0 / 3.0
"""The least factor that is allowed, and that of a sphere with all its mass at the surface."""


@dataclass(frozen=True)
class PowerLaw:
    """A restitution of 1 − loss·v^exponent at the speed of approach v; 0 where this is negative.

    loss ≥ 0 [(time/length)^exponent]; exponent: from 0 to 10. The exponent 1/5 is the law of
    viscoelastic spheres for slow impacts: N. V. Brilliantov, F. Spahn, J.-M. Hertzsch, T. Pöschel,
    Model for collisions in granular gases, Physical Review E 53, 1996.
    """

    loss: float
    exponent: float = 0.2

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", number(self.loss, "loss", 0.0))
        object.__setattr__(self, "exponent", number(self.exponent, "exponent", 0.0, 10.0))


SpeedTable: TypeAlias = tuple[tuple[float, float], ...]
"""Pairs of a speed of approach and a restitution, by rising speed; linear between them, and level
beyond."""

AnyRestitution: TypeAlias = float | PowerLaw | SpeedTable


def checked_restitution(given: object, what: str) -> AnyRestitution:
    """A number, a `PowerLaw`, or a table of pairs; ValueError or TypeError names `what`."""
    if isinstance(given, PowerLaw):
        return given
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str):
        return number(given, what, 0.0, 1.0)
    pairs = []
    for pair in given:
        if not isinstance(pair, Sequence | np.ndarray) or isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"{what} must be pairs [speed, restitution], not {shown(pair)}")
        speed = number(pair[0], f"{what}: speed", 0.0)
        pairs.append((speed, number(pair[1], f"{what} at speed {speed!r}", 0.0, 1.0)))
    if not pairs:
        raise ValueError(f"{what} must be at least one pair [speed, restitution], not []")
    if any(after <= before for (before, _), (after, _) in pairwise(pairs)):
        raise ValueError(f"{what}: the speeds must increase, not {[speed for speed, _ in pairs]}")
    return tuple(pairs)


@dataclass(frozen=True)
class Material:
    """A material of balls and obstacles: its restitution, roughness and friction.

    name: by which balls and obstacles refer to it. restitution, along the normal: a number from 0
    to 1, a `PowerLaw`, or a list of pairs (speed of approach, restitution), linear between them and
    constant beyond. tangential_restitution: from -1 (smooth) to 1 (perfectly rough); with 0 the
    surfaces no longer slide on each other after the impact. friction: Coulomb's μ ≥ 0, the largest
    ratio of the tangential to the normal impulse. None for the last two: the value of `Surfaces`.
    An impact of two materials takes the smaller of the two values, unless there is a `MaterialPair`
    for them. ValueError or TypeError for values out of range.
    """

    name: str
    restitution: AnyRestitution = 1.0
    tangential_restitution: float | None = None
    friction: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"a material's name must be a text, not {shown(self.name)}")
        _check_surface(self, f"material {self.name}")


@dataclass(frozen=True)
class MaterialPair:
    """The parameters of impacts between two materials, in place of the smaller of their values.

    materials: the two names, which may be equal. restitution, tangential_restitution, friction: as
    for a `Material`; for None, the smaller of the two materials' values is used.
    """

    materials: tuple[str, str]
    restitution: float | None = None
    tangential_restitution: float | None = None
    friction: float | None = None

    def __post_init__(self) -> None:
        given = self.materials
        is_list = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)
        if not is_list or len(given) != 2 or not all(isinstance(n, str) for n in given):
            raise ValueError(f"a pair's materials must be two names, not {shown(given)}")
        object.__setattr__(self, "materials", tuple(given))
        _check_surface(self, f"material_pair of {given[0]} and {given[1]}")


def _check_surface(given: "Material | MaterialPair | Surfaces", what: str) -> None:
    """Check the three parameters of a material, a pair, or what has none."""
    checks: dict[str, Callable[[Any, str], object]] = {
        "restitution": checked_restitution,
        "tangential_restitution": lambda value, words: number(value, words, -1.0, 1.0),
        "friction": lambda value, words: value if value == math.inf else number(value, words, 0.0),
    }
    for name, check in checks.items():
        value = getattr(given, name, None)
        if value is not None:
            object.__setattr__(given, name, check(value, f"{what}: {name}"))


class SurfaceError(ValueError):
    """Surfaces that do not fit together: the field, as in a scene file, and what is wrong."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(f"{field}: {what}")
        self.field, self.what = field, what


@dataclass(frozen=True)
class Surfaces:
    """Roughness, friction and materials, as `surfaces` of a `Simulation`.

    tangential_restitution: from -1 (smooth, the default) to 1 (perfectly rough); friction:
    Coulomb's μ, by default infinite. Both are for balls and obstacles without a material, and for
    materials that do not give them. materials: `Material`s, to which balls and obstacles refer by
    name; pairs: `MaterialPair`s. ValueError for an unknown or repeated name, and for a friction
    that has no effect because all surfaces are smooth.

    The law is Walton's: S. F. Foerster, M. Y. Louge, H. Chang, K. Allia, Measurements of the
    collision properties of small spheres, Physics of Fluids 6, 1994.
    """

    tangential_restitution: float = -1.0
    friction: float = math.inf
    materials: tuple[Material, ...] = ()
    pairs: tuple[MaterialPair, ...] = ()

    def __post_init__(self) -> None:
        _check_surface(self, "surfaces")
        object.__setattr__(self, "materials", _listed(self.materials, Material, "materials"))
        object.__setattr__(self, "pairs", _listed(self.pairs, MaterialPair, "pairs"))
        self._check_names()
        if not self.are_rough:
            self._check_no_friction()

    def _check_names(self) -> None:
        names = [material.name for material in self.materials]
        for k, name in enumerate(names):
            if name in names[:k]:
                what = f"must be that of no other material, not {name!r}"
                raise SurfaceError(f"material[{k}].name", what)
        seen: set[frozenset[str]] = set()
        for k, pair in enumerate(self.pairs):
            place = f"material_pair[{k}].materials"
            if unknown := [name for name in pair.materials if name not in names]:
                raise SurfaceError(place, unknown_material(unknown[0], names))
            if frozenset(pair.materials) in seen:
                what = f"must be those of no other pair, not {list(pair.materials)}"
                raise SurfaceError(place, what)
            seen.add(frozenset(pair.materials))

    def _check_no_friction(self) -> None:
        given = [
            ("friction", self.friction),
            *((f"material[{k}].friction", m.friction) for k, m in enumerate(self.materials)),
            *((f"material_pair[{k}].friction", pair.friction) for k, pair in enumerate(self.pairs)),
        ]
        for field, friction in given:
            if friction not in (None, math.inf):
                raise SurfaceError(
                    field,
                    f"{friction!r} has no effect on smooth surfaces: give a tangential_restitution "
                    "greater than -1 too, such as 0, with which surfaces that stick lose all "
                    "motion against each other",
                )

    @property
    def are_rough(self) -> bool:
        """Whether any two surfaces exert tangential impulses on each other."""
        of_pairs = (pair.tangential_restitution for pair in self.pairs)
        beta = [*self._column("tangential_restitution"), *(b for b in of_pairs if b is not None)]
        return bool(max(beta) > -1.0)

    def slow_restitution(self, materials: Iterable[str | None], own: Iterable[float]) -> Floats:
        """Restitution of the slowest impacts of things with these materials, (m,).

        own: (m,), that of those without one.
        """
        slow = {m.name: slow_restitution(m.restitution) for m in self.materials}
        pairs = zip(materials, own, strict=True)
        return np.array([e if name is None else slow.get(name, e) for name, e in pairs])

    def _column(self, name: str) -> Floats:
        """A parameter of no material, then of each: (M,)."""
        usual = getattr(self, name)
        own = (getattr(material, name) for material in self.materials)
        return np.array([usual, *(usual if value is None else value for value in own)])

    def packed(
        self,
        of_balls: Sequence[str | None],
        of_rows: Sequence[str | None],
        restitution: Floats,
        radius: Floats,
        mass: Floats,
        inertia_factor: Floats,
        turns: bool,
    ) -> Materials:
        """`Materials` for balls and the rows of a world's obstacles; `NoMaterials` where none is
        needed.

        of_balls, of_rows: their materials; restitution: of balls, then of rows; turns: whether
        any ball turns at the start. ValueError for a material that there is not.
        """
        index: dict[str | None, int] = {
            None: 0,
            **{known.name: 1 + k for k, known in enumerate(self.materials)},
        }
        n, many = len(radius), len(self.materials) + 1
        used = [*of_balls, *of_rows]
        if unknown := [name for name in used if name not in index]:
            names = [known.name for known in self.materials]
            raise ValueError(f"material: {unknown_material(str(unknown[0]), names)}")
        material = np.array([index[name] for name in used], dtype=np.int64)
        # What pairs of materials do.
        beta, mu = self._column("tangential_restitution"), self._column("friction")
        beta, mu = np.minimum.outer(beta, beta), np.minimum.outer(mu, mu)
        laws: list[AnyRestitution] = [1.0, *(known.restitution for known in self.materials)]
        pair = np.full((many, many), -1)
        for given in self.pairs:
            a, b = (index[name] for name in given.materials)
            for p, q in ((a, b), (b, a)):
                if given.tangential_restitution is not None:
                    beta[p, q] = given.tangential_restitution
                if given.friction is not None:
                    mu[p, q] = given.friction
                if given.restitution is not None:
                    pair[p, q] = len(laws)
            if given.restitution is not None:
                laws.append(given.restitution)
        has_spin = self.are_rough or turns
        if not has_spin and not material.any():
            return NoMaterials()
        none = np.zeros(len(of_rows))
        return Materials(
            laws=_rows_of(laws),
            material=material,
            restitution=restitution,
            pair=pair,
            tangential=beta,
            friction=mu,
            radius=np.concatenate([radius, none]),
            inverse_mass=np.concatenate([1.0 / mass, none]),
            inverse_inertia=np.concatenate([1.0 / (inertia_factor * mass * radius**2), none]),
            inertia_factor=np.array(inertia_factor),
            balls=n,
            has_spin=has_spin,
            is_elastic=all(map(_is_elastic, laws)),
            is_lossless=bool(((beta == -1.0) | ((beta == 1.0) & (mu == math.inf))).all()),
        )


def _listed(given: object, kind: type[T], what: str) -> tuple[T, ...]:
    """Several of one kind; TypeError for what is not."""
    items = tuple(given) if isinstance(given, Iterable) else ()
    if not isinstance(given, Iterable) or not all(isinstance(item, kind) for item in items):
        raise TypeError(f"surfaces: {what} must be a list of {kind.__name__}s, not {shown(given)}")
    return items


SMOOTH = Surfaces()
"""No materials; impacts change nothing along surfaces."""


def unknown_material(name: str, names: Sequence[str]) -> str:
    """The end of a sentence about a material that there is not."""
    known = ", ".join(names)
    expected = f"one of {known}" if names else "the name of a material, and there is none"
    return f"must be {expected}, not {shown(name)}"


def slow_restitution(law: AnyRestitution) -> float:
    """The restitution of the slowest impacts."""
    if isinstance(law, PowerLaw):
        return max(1.0 - law.loss, 0.0) if law.exponent == 0.0 else 1.0
    return law[0][1] if isinstance(law, tuple) else law


def _is_elastic(law: AnyRestitution) -> bool:
    if isinstance(law, PowerLaw):
        return law.loss == 0.0
    return all(e == 1.0 for _, e in law) if isinstance(law, tuple) else law == 1.0


def _rows_of(laws: Sequence[AnyRestitution]) -> RestitutionLaws:
    """Laws of restitution as arrays."""
    points: list[tuple[float, float]] = []
    first, last, loss, exponent = [], [], np.zeros(len(laws)), np.ones(len(laws))
    for m, law in enumerate(laws):
        first.append(len(points))
        if isinstance(law, PowerLaw):
            loss[m], exponent[m] = law.loss, law.exponent
            points.append((0.0, 1.0))
        else:
            points += law if isinstance(law, tuple) else ((0.0, law),)
        last.append(len(points) - 1)
    speed, value = np.array(points).T
    return RestitutionLaws(
        np.array(first), np.array(last), speed.copy(), value.copy(), loss, exponent
    )


def read_only_materials(materials: Materials) -> Materials:
    """The same, of which no array can be written to."""
    if isinstance(materials, NoMaterials):
        return materials
    laws = RestitutionLaws(*map(read_only, materials.laws))
    fields = materials._asdict() | {"laws": laws}
    locked: dict[str, Any] = {
        name: read_only(v) if isinstance(v, np.ndarray) else v for name, v in fields.items()
    }
    return Materials(**locked)
