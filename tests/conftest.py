"""Which tests run when kernels run as plain Python."""

import pytest

from spheresim.compiled import COMPILED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if COMPILED:
        return
    too_slow = pytest.mark.skip(reason="too slow with NUMBA_DISABLE_JIT=1")
    for item in items:
        if item.get_closest_marker("compiled_only"):
            item.add_marker(too_slow)
