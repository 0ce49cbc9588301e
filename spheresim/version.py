"""The version of spheresim."""

__version__ = "0.1.0"
