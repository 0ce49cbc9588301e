"""What the compiler imports at its first use although no kernel of this package needs it."""

from functools import cache


@cache
def spare_linear_algebra() -> None:
    """Import the compiler's functions of arrays without `scipy.linalg`, a fifth of a second.

    They import it only to see whether it is there, which it is, since spheresim depends on
    scipy. Where somebody's own kernel uses linear algebra the compiler imports it then.
    """
    from numba.np import linalg

    look = getattr(linalg, "ensure_blas", None)
    if look is None:
        return
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = look
