"""What is published of the fluid of hard spheres, to hold measured figures against.

Spheres are equal, but for Z of a mixture. φ is the packing fraction n π σ³ / 6, with the number
density n and the diameter σ; a thermal speed is √(kT/m). All formulas are of the fluid, up to
`FREEZING`.
"""

import math
from typing import NamedTuple

import numpy as np

from spheresim.numerics.arrays import Floats
from spheresim.numerics.vector import TVector

FREEZING = 0.494
"""The packing fraction at which equal hard spheres freeze.

W. G. Hoover and F. H. Ree, Journal of Chemical Physics 49, 3609 (1968).
"""

_SERIES = {1: 4.0, 2: 6.0, 3: 2.3647684, 4: -0.8698551, 5: 1.1062803, 6: -1.1014221}
_SERIES |= {7: 0.66605866, 8: -0.03633431, 10: -0.20965164, 14: 0.10555569, 22: -0.0087238}
"""Coefficients of powers of φ / (1 − φ) in `compressibility_factor`."""


def compressibility_factor(packing_fraction: float) -> float:
    """Z = PV / NkT of the hard-sphere fluid.

    J. Kolafa, S. Labík and A. Malijevský, Physical Chemistry Chemical Physics 6, 2335 (2004),
    in the modified form; good to the fifth digit up to freezing at .494.

    >>> round(compressibility_factor(0.3), 5)
    3.98398
    """
    x = packing_fraction / (1.0 - packing_fraction)
    return 1.0 + sum(c * x**power for power, c in _SERIES.items())


def carnahan_starling(packing_fraction: float) -> float:
    """Z = (1 + φ + φ² − φ³) / (1 − φ)³, simple, and good to 0.3 % up to freezing.

    N. F. Carnahan and K. E. Starling, Journal of Chemical Physics 51, 635 (1969).

    >>> round(carnahan_starling(0.3), 5)
    3.97376
    """
    phi = packing_fraction
    return (1.0 + phi + phi**2 - phi**3) / (1.0 - phi) ** 3


def mixture_compressibility_factor(radius: Floats, size: Floats | TVector) -> float:
    """Z = PV / NkT of a mixture of spheres of the given radii (n,) in a box of lengths (3,).

    6/πn (ξ₀/(1 − ξ₃) + 3ξ₁ξ₂/(1 − ξ₃)² + (3 − ξ₃)ξ₂³/(1 − ξ₃)³), ξₖ = π Σ σᵢᵏ / 6V. T. Boublík,
    Journal of Chemical Physics 53, 471 (1970); G. A. Mansoori, N. F. Carnahan, K. E. Starling and
    T. W. Leland, 54, 1523 (1971). Of equal spheres it is `carnahan_starling`, and as good.

    >>> round(mixture_compressibility_factor(np.repeat([0.7, 0.35], [300, 400]), (12, 12, 12)), 4)
    3.3087
    """
    diameter = 2.0 * np.asarray(radius)
    volume = float(np.prod(np.asarray(size)))
    zero, one, two, three = (math.pi / 6.0 / volume * (diameter**k).sum() for k in range(4))
    free = 1.0 - three
    terms = zero / free + 3.0 * one * two / free**2 + (3.0 - three) * two**3 / free**3
    return float(terms / zero)


def contact_value(packing_fraction: float) -> float:
    """g(σ⁺), the radial distribution function of touching spheres: (Z − 1) / 4φ.

    J.-P. Hansen and I. R. McDonald, Theory of Simple Liquids, equation 2.5.26.

    >>> round(contact_value(0.3), 4)
    2.4867
    """
    return (compressibility_factor(packing_fraction) - 1.0) / (4.0 * packing_fraction)


def number_density(packing_fraction: float, diameter: float) -> float:
    """Spheres per volume: 6φ / πσ³."""
    return 6.0 * packing_fraction / math.pi / diameter**3


def collision_rate(packing_fraction: float, diameter: float, speed: float) -> float:
    """Impacts per ball and time, for a thermal speed: 4 n σ² g(σ⁺) √(π kT/m).

    S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform Gases, 16.2.

    >>> round(collision_rate(0.3, 1.0, 1.0), 5)
    10.10119
    """
    density = number_density(packing_fraction, diameter)
    return (
        4.0 * density * diameter**2 * contact_value(packing_fraction) * math.sqrt(math.pi) * speed
    )


def mean_free_path(packing_fraction: float, diameter: float) -> float:
    """The mean way between two impacts: 1 / (√2 π n σ² g(σ⁺)).

    J. C. Maxwell (1860), with Enskog's factor g(σ⁺); Chapman and Cowling, 16.2.

    >>> round(mean_free_path(0.3, 1.0), 5)
    0.15798
    """
    density = number_density(packing_fraction, diameter)
    area = math.sqrt(2.0) * math.pi * diameter**2
    return 1.0 / (area * density * contact_value(packing_fraction))


def enskog_diffusion(packing_fraction: float, diameter: float, speed: float) -> float:
    """Enskog's coefficient of self-diffusion, 1.019 · 3 / (8 n σ² g(σ⁺)) · √(kT / πm).

    Chapman and Cowling, 16.2, with all Sonine polynomials, which the factor 1.019 stands for.
    Correlated impacts, which it leaves out, change D by up to a fifth at medium densities.

    >>> round(enskog_diffusion(0.3, 1.0, 1.0), 4)
    0.1513
    """
    density = number_density(packing_fraction, diameter)
    g = contact_value(packing_fraction)
    return 1.01896 * 3.0 / (8.0 * density * diameter**2 * g) * speed / math.sqrt(math.pi)


def speedy_diffusion(packing_fraction: float, diameter: float, speed: float) -> float:
    """The coefficient of self-diffusion, as fitted to simulations of many authors.

    3σ / 8n √(kT / πm) · (1 − n/1.09) (1 + n² (0.4 − 0.83 n²)) with nσ³ for n: R. J. Speedy,
    Molecular Physics 62, 509 (1987). They were of some hundred spheres in a periodic box. In
    larger ones D is larger, at medium densities by up to a tenth: in a box of length L it falls
    short by 2.837 kT / 6πηL (I.-C. Yeh and G. Hummer, Journal of Physical Chemistry B 108,
    15873, 2004).

    >>> round(speedy_diffusion(0.3, 1.0, 1.0), 4)
    0.1825
    """
    n = number_density(packing_fraction, 1.0)
    dilute = 3.0 / 8.0 * diameter * speed / math.sqrt(math.pi)
    return dilute / n * (1.0 - n / 1.09) * (1.0 + n**2 * (0.4 - 0.83 * n**2))


def enskog_viscosity(
    packing_fraction: float, diameter: float, mass: float, temperature: float
) -> float:
    """Enskog's shear viscosity, η₀ (1/g + 0.8 b + 0.7614 g b²) with b = 4φ and g = g(σ⁺).

    η₀ = 1.016 · 5/(16 σ²) · √(m kT/π) is that of a dilute gas. Chapman and Cowling, 10.21, 16.34.
    In simulations η is the same within some percent up to φ = .2, and about twice as large at
    freezing (B. J. Alder, D. M. Gass and T. E. Wainwright, Journal of Chemical Physics 53, 3813,
    1970).

    >>> round(enskog_viscosity(1e-9, 1.0, 1.0, 1.0), 4), round(enskog_viscosity(0.2, 1, 1, 1), 4)
    (0.1791, 0.3701)
    """
    dilute = 1.016 * 5.0 / (16.0 * diameter**2) * math.sqrt(mass * temperature / math.pi)
    g, b = contact_value(packing_fraction), 4.0 * packing_fraction
    return dilute * (1.0 / g + 0.8 * b + 0.7614 * g * b**2)


def percus_yevick_structure(
    wave_number: Floats, packing_fraction: float, diameter: float
) -> Floats:
    """S(k) of the hard-sphere fluid after Percus and Yevick, (m,) for wave numbers (m,).

    M. S. Wertheim, Physical Review Letters 10, 321 (1963); as in N. W. Ashcroft and J. Lekner,
    Physical Review 145, 83 (1966). Too high at the first peak by some percent near freezing.

    >>> percus_yevick_structure([1e-3], 0.3, 1.0).round(4)  # (1 − φ)⁴ / (1 + 2φ)²
    array([0.0938])
    """
    phi, q = packing_fraction, np.maximum(np.asarray(wave_number) * diameter, 0.05)
    a = (1.0 + 2.0 * phi) ** 2 / (1.0 - phi) ** 4
    b = -6.0 * phi * (1.0 + phi / 2.0) ** 2 / (1.0 - phi) ** 4
    c = 0.5 * phi * a
    # The integral of sin(qs)/(qs) s² (a + b s + c s³) from 0 to 1, as its antiderivative says.
    sine, cosine = np.sin(q), np.cos(q)
    first = (sine - q * cosine) / q**3
    second = (2.0 * q * sine - (q**2 - 2.0) * cosine - 2.0) / q**4
    quartic = (q**4 - 12.0 * q**2 + 24.0) * cosine
    third = (-quartic + (4.0 * q**3 - 24.0 * q) * sine + 24.0) / q**6
    return 1.0 / (1.0 + 24.0 * phi * (a * first + b * second + c * third))


class Fluid(NamedTuple):
    """A fluid of equal hard spheres, of which there are published figures."""

    packing_fraction: float
    diameter: float
    speed: float
    mass: float

    @property
    def density(self) -> float:
        """Spheres per volume."""
        return number_density(self.packing_fraction, self.diameter)

    @property
    def collision_rate(self) -> float:
        """See `collision_rate`."""
        return collision_rate(self.packing_fraction, self.diameter, self.speed)


def published_factor(radius: Floats | None, size: Floats | TVector | None) -> float | None:
    """The published Z of balls of radii (n,) in a box of lengths (3,) that is periodic along all
    axes, which does not depend on their masses; None without radii, box, or if they freeze."""
    if radius is None or size is None:
        return None
    fraction = _packing_fraction(radius, size)
    if fraction > FREEZING:
        return None
    if np.ptp(radius) > 0.0:
        return mixture_compressibility_factor(radius, size)
    return compressibility_factor(fraction)


def _packing_fraction(radius: Floats, size: Floats | TVector) -> float:
    volume = float(np.prod(np.asarray(size)))
    return float((np.asarray(radius) ** 3).sum()) * 4.0 / 3.0 * math.pi / volume


def fluid_of(
    radius: Floats | None, mass: Floats, size: Floats | TVector | None, temperature: float | None
) -> Fluid | None:
    """The fluid that balls in a box periodic along all axes are; None if they are no such fluid.

    radius, mass: (n,); size: (3,), or None; temperature: kT. They must be equal, in motion, and
    not so dense that they freeze.
    """
    if radius is None or size is None or not temperature:
        return None
    if np.ptp(radius) > 0.0 or np.ptp(mass) > 0.0:
        return None
    fraction = _packing_fraction(radius, size)
    if fraction > FREEZING:
        return None
    one = float(mass[0])
    return Fluid(fraction, 2.0 * float(radius[0]), math.sqrt(temperature / one), one)
