"""Scenes: TOML files, read, checked and filled with balls, and written again, all resolved.

This is the only part of the package that imports pydantic.
"""

from spheresim.scene.faults import SceneError
from spheresim.scene.find import find_scene, shipped_scenes
from spheresim.scene.load import load_scene
from spheresim.scene.scene import Scene
from spheresim.scene.schema.scene import scene_schema
from spheresim.scene.write import scene_files, write_scene

__all__ = [
    "Scene",
    "SceneError",
    "find_scene",
    "load_scene",
    "scene_files",
    "scene_schema",
    "shipped_scenes",
    "write_scene",
]
