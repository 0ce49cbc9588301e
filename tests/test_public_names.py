"""The names of the package are the same for type checkers and for the running program."""

import ast
import sys
from pathlib import Path

from command_line import python

import spheresim


def test_type_checkers_see_the_names_that_the_running_program_finds():
    tree = ast.parse(Path(spheresim.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname: statement.module for statement in block.body for alias in statement.names}
    assert {"__version__", *seen} == set(spheresim.__all__) == set(dir(spheresim))
    for name, module in seen.items():
        assert getattr(spheresim, name) is getattr(sys.modules[module], name)


def test_importing_the_package_imports_no_compiler():
    program = "import sys, spheresim; print({'numba', 'numpy', 'pydantic'} & sys.modules.keys())"
    assert python("-c", program).stdout.split() == ["set()"]
