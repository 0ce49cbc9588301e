"""Packages that are installed only on request."""

import sys

from spheresim.record.files_and_columns import RunError


def needs(what: str, package: str) -> RunError:
    """The fault that something needs a package that is not there, with the line to install it."""
    return RunError(f"{what} needs {package}: {sys.executable} -m pip install {package}")
