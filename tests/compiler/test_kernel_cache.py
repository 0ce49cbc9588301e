"""Kernels on disk, which are never stale nor in the way, and the kernels that they call."""

import shutil
from pathlib import Path

import pytest
from fresh_process import run

import spheresim
from spheresim.compiler.decorators import kernel

pytestmark = pytest.mark.compiled_only

# --- The cache ------------------------------------------------------------------------

ASK = """
from spheresim.collision.toi import analytic_toi
from spheresim.model.balls import Ball
print(analytic_toi(Ball((-5, 0, 0), (1, 0, 0), 1), Ball((0, 1.2, 0), radius=1)))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package, to be edited."""
    return shutil.copytree(
        Path(spheresim.__file__).parent,
        tmp_path / "site" / "spheresim",
        ignore=shutil.ignore_patterns("__pycache__"),
    )


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*") if path.is_file()}


def kernels_in(folder):
    return {path: when for path, when in files_in(folder).items() if path.suffix == ".nbc"}


@pytest.mark.thorough
def test_the_cache_is_kept_outside_the_package_used_again_and_void_after_any_edit(
    package, tmp_path
):
    installed = files_in(package)
    for folder in [package, *package.rglob("*/")]:
        folder.chmod(0o555)  # a read-only install, except to root
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path / "home")}
    assert run(ASK, package, **environment) == "3.4\n"
    kept = files_in(tmp_path / "cache")
    kernels = kernels_in(tmp_path / "cache")
    assert any("pair_toi" in path.name for path in kernels)
    assert run(ASK, package, **environment) == "3.4\n"
    assert files_in(tmp_path / "cache") == kept  # read, not written anew
    assert files_in(package) == installed

    # Words are no part of a kernel.
    roots = package / "numerics" / "roots.py"
    source, head = roots.read_text(encoding="utf-8"), "def first_root(self) -> float:\n"
    assert source.count(head) == 1
    in_words = source.replace("The time t ≥ 0 at which", "# When").replace(head, f"{head}# Thus.\n")
    roots.write_text(f"# Words.\n{in_words}", encoding="utf-8")
    assert run(ASK, package, **environment) == "3.4\n"
    assert kernels_in(tmp_path / "cache") == kernels

    # A callee, in another file than the kernel that is asked.
    roots.write_text(source.replace(head, head + "        return 0.0\n"), encoding="utf-8")
    assert run(ASK, package, **environment) == "0.0\n"

    roots.write_text(source, encoding="utf-8")
    assert run(ASK, package, **environment) == "3.4\n"


@pytest.mark.thorough
def test_without_any_folder_for_a_cache_it_computes_all_the_same(package, tmp_path):
    (tmp_path / "file").write_text("no folder can be below this", encoding="utf-8")
    nowhere = str(tmp_path / "file" / "below")
    places = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA")
    before = files_in(tmp_path)
    assert run(ASK, package, **dict.fromkeys(places, nowhere)) == "3.4\n"
    assert files_in(tmp_path) == before


@pytest.mark.thorough
def test_a_damaged_cache_costs_time_and_nothing_else(tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    run(ASK, **environment)
    for path in files_in(tmp_path / "cache"):
        path.write_bytes(path.read_bytes()[:100])
    assert run(ASK, **environment) == "3.4\n"


TWIN = """
from spheresim.compiler.decorators import kernel

@kernel
def answer(x):
    return x + {}
"""


@pytest.mark.thorough
def test_kernels_alike_in_file_name_line_and_name_are_kept_apart(package, tmp_path):
    # Both are called `twin.answer`, begin at line 4 and have the same byte code.
    folders = package / "obstacles", package / "collision"
    for folder, number in zip(folders, (1.0, 2.0), strict=True):
        (folder / "twin.py").write_text(TWIN.format(number), encoding="utf-8")
    ask = "from spheresim.{} import twin; print(twin.answer(0.0))"
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    answers = [run(ask.format(f.name), package, **environment) for f in folders * 2]
    assert answers == ["1.0\n", "2.0\n"] * 2


# --- Kernels that kernels call --------------------------------------------------------

CALLED = """
from spheresim.compiler.decorators import kernel

@kernel
def scale(rows, by):
    for i in range(len(rows)):
        rows[i].x *= by
    return by
"""

CALLING = """
import numpy as np
from spheresim.compiler.decorators import kernel
from spheresim.numerics.called import scale

@kernel
def scale_twice(rows, by):
    return scale(rows, by) + scale(rows, 2.0)

@kernel
def scale_once(rows):
    return scale(rows, 3.0)

rows = np.ones(2, dtype=[("x", float)]).view(np.recarray)
print(scale_twice(rows, 5.0), scale_once(rows), rows.x.tolist())
"""


@pytest.mark.thorough
def test_a_kernel_that_others_call_is_compiled_once_and_found_again(package, tmp_path):
    (package / "numerics" / "called.py").write_text(CALLED, encoding="utf-8")
    (package / "numerics" / "calling.py").write_text(CALLING, encoding="utf-8")
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    ask, answer = "import spheresim.numerics.calling", "7.0 3.0 [30.0, 30.0]\n"
    assert run(ask, package, **environment) == answer
    kernels = kernels_in(tmp_path / "cache")
    assert sum("called" in path.name for path in kernels) == 1
    # Numba numbers the types of records as it meets them, and names functions by these numbers.
    other = "import numba, numpy; numba.typeof(numpy.zeros(1, [('y', int)]).view(numpy.recarray)); "
    assert run(other + ask, package, **environment) == answer
    assert kernels_in(tmp_path / "cache") == kernels  # read, not written anew

    # Where only those that call it are left, it is compiled again.
    for path in (tmp_path / "cache").rglob("*called*"):
        path.unlink()
    assert run(ask, package, **environment) == answer
    assert len(kernels_in(tmp_path / "cache")) == len(kernels)


OF_A_USER = """
import numba
from spheresim.collision.toi import pair_toi
from spheresim.numerics.vector import TVector

@numba.njit(cache=True)
def time_to_origin(x):
    zero, one = TVector(0.0, 0.0, 0.0), TVector(1.0, 0.0, 0.0)
    return pair_toi(TVector(x, 0.0, 0.0), one, 1.0, zero, zero, 1.0)

print(time_to_origin(-5.0))
"""


@pytest.mark.thorough
def test_functions_that_users_compile_may_call_kernels_and_be_cached(tmp_path):
    # Numba's own cache does not know of addresses: the second process crashed.
    (tmp_path / "user.py").write_text(OF_A_USER, encoding="utf-8")
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    for _ in range(2):
        assert run(tmp_path / "user.py", **environment) == "3.0\n"


def test_of_kernels_of_one_name_each_is_called_by_those_beside_it():
    # As of a cell of a notebook that is run again: the first was called for ever.
    def calling(number):
        @kernel
        def add(x):
            return x + number

        @kernel
        def call(x):
            return add(x)

        return call

    assert [calling(number)(0.0) for number in (1.0, 2.0)] == [1.0, 2.0]
