"""Scenes for the viewer's time, and a run of them as `spheresim run` writes it."""

import numpy as np
from scene_files import write_room
from spheresim_viewer.timeline import Limits, Player, play_scene

from spheresim.commands.run import Options, run_scene
from spheresim.model.state import State
from spheresim.record.directory import prepare_directory
from spheresim.record.write import RunWriter
from spheresim.scene import load_scene

BOX = (
    """
title = "six balls in a box"
duration = 20
step = 0.07
frame_every = 0.14
gravity = [0.5, -2, 0.25]
restitution = 0.95
"""
    + "".join(
        f"[[plane]]\nname = '{name}'\npoint = {point}\nnormal = {normal}\n"
        for name, point, normal in (
            ("left", [-2, 0, 0], [1, 0, 0]),
            ("right", [2, 0, 0], [-1, 0, 0]),
            ("floor", [0, -2, 0], [0, 1, 0]),
            ("top", [0, 2, 0], [0, -1, 0]),
            ("back", [0, 0, -2], [0, 0, 1]),
            ("front", [0, 0, 2], [0, 0, -1]),
        )
    )
    + "".join(
        f"[[ball]]\nposition = {position}\nvelocity = {velocity}\nradius = {radius}\n"
        for position, velocity, radius in (
            ([-1.2, -1.1, 0.3], [1, 2, 3], 0.5),
            ([1.2, -1.3, 0.1], [-2, 1.5, 1], 0.6),
            ([0, 0.2, 0.1], [0.3, 0.1, -1], 0.4),
            ([0.1, 1.3, -1.1], [3, -1, 0.1], 0.45),
            ([-1.2, 1.2, 1.2], [0, -1, -2], 0.3),
            ([1.1, 1.1, 1.1], [0.5, 0.5, -0.5], 0.55),
        )
    )
)


def boxed():
    """The six balls as a scene; the folder that the test is in gets its file."""
    return load_scene(write_room(BOX))


def box_player(limits=None, **of_engine):
    limits = Limits() if limits is None else limits
    return play_scene(boxed(), limits=limits, **of_engine)


def run_files(source, duration, folder, toi="analytic", step=None, events=True):
    """frames.csv and events.csv of `spheresim run`."""
    overrides = {"duration": duration, "step": step, "toi": toi}
    options = Options(folder, force=False, quiet=True, events=events)
    given = {name: value for name, value in overrides.items() if value is not None}
    assert run_scene(str(source), given, options) == 0
    return [(folder / name).read_bytes() for name in ("frames.csv", "events.csv")]


def files_of(scene, obstacle_names, snapshots, impacts, folder):
    """The same files, written with the record's own functions from what a player showed."""
    prepare_directory(folder, force=False)
    with RunWriter(folder, scene, obstacle_names) as writer:
        for snapshot in snapshots:
            writer.frame(State(np.array([snapshot.time]), snapshot.position, snapshot.velocity))
        for batch in impacts:
            writer.impacts(batch)
    return [(folder / name).read_bytes() for name in ("frames.csv", "events.csv")]


def arrive(player: Player, time: float) -> None:
    player.seek(time)
    wait(player)


def step(player: Player, count: int) -> None:
    player.step(count)
    wait(player)


def to_next_impact(player: Player) -> None:
    player.next_impact()
    wait(player)


def to_previous_impact(player: Player) -> None:
    player.previous_impact()
    wait(player)


def wait(player: Player) -> None:
    """Let updates pass until what is looked for is found."""
    for _ in range(10_000):
        if not player.seeking:
            return
        player.update(0.02)
    raise AssertionError("it never arrives")
