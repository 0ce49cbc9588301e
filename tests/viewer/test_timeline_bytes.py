"""What is seen equals what `spheresim run` writes, byte for byte, however time was run through."""

import math

import numpy as np
import pytest
from spheresim_viewer.timeline import Limits, Player, play_scene
from timelines import arrive, box_player, boxed, files_of, run_files, wait

from spheresim.scene import load_scene
from spheresim.simulation.frame_times import frame_times


def wander(player: Player, until: float, seed: int):
    """Run to a time at a frame rate that knows no rule, with all that a hand can do on the
    way; the impacts in order, as they were first seen."""
    random = np.random.default_rng(seed)
    batches, seen = [], player.time
    deeds = [
        lambda: player.step(1),
        lambda: player.step(-1),
        player.next_impact,
        player.previous_impact,
        player.toggle,
        lambda: player.seek(random.uniform(0.0, seen)),
        player.faster,
        player.slower,
        player.restart,
        lambda: setattr(player, "direction", -player.direction),
    ]
    while seen < until:
        if random.random() < 0.2:
            deeds[random.integers(len(deeds))]()
            wait(player)
        if player.time < seen and random.random() < 0.1:
            arrive(player, seen)
        player.running, player.direction = True, 1 if random.random() < 0.9 else -1
        player.update(random.uniform(0.0, 0.15))
        if player.time > seen:
            new = player.impacts_at(player.time, player.time - seen, at_most=10**6)
            batches.append(new._replace(**{f: c[new.t <= until] for f, c in new._asdict().items()}))
            seen = player.time
    return batches


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("name", "duration", "options"),
    [
        ("magic_room", 240.0, {}),
        pytest.param("magic_room", 300.0, {"toi": "sliced"}, marks=pytest.mark.compiled_only),
        pytest.param("gas_in_a_box", 0.4, {}, marks=pytest.mark.compiled_only),
        pytest.param("pillars", 1.5, {}, marks=pytest.mark.compiled_only),
        pytest.param("newtons_cradle", 12.0, {}, marks=pytest.mark.compiled_only),
    ],
)
@pytest.mark.parametrize("limits", [Limits(), Limits(20_000, 5)])
def test_a_player_shows_what_a_run_writes(name, duration, options, limits, tmp_path):
    written = run_files(name, duration, tmp_path / "run", **options)
    assert written[1].count(b"\n") > 10
    scene = load_scene(name, duration=duration)
    player = play_scene(scene, limits=limits, **options)
    player.budget = math.inf  # on a busy machine a time limit would hide impacts
    impacts = wander(player, duration, seed=1)
    snapshots = []
    for time in [0.0, *frame_times(duration, scene.frame_every)]:
        arrive(player, time)
        snapshots.append(player.snapshot)
    shown = files_of(scene, player.snapshot.obstacle_names, snapshots, impacts, tmp_path / "shown")
    assert shown == written


@pytest.mark.thorough
@pytest.mark.compiled_only
def test_every_wander_through_a_box_is_the_same_course(folder):
    written = run_files(boxed().path, 9.8, folder / "run")
    scene = load_scene("room.toml", duration=9.8)
    for seed in range(10):
        player = box_player(limits=Limits(30_000, 3 + seed))
        player.budget = math.inf
        impacts = wander(player, 9.8, seed)
        snapshots = []
        for k in reversed(range(71)):  # backwards, for once
            arrive(player, k * 2 * 0.07)
            snapshots.insert(0, player.snapshot)
        arrive(player, player.furthest)
        assert player.impact_counts(0.0, player.time, 9).sum() == player.snapshot.impacts
        assert player.series()[3, -1] <= player.snapshot.impacts
        folder = folder / str(seed)
        names = player.snapshot.obstacle_names
        assert files_of(scene, names, snapshots, impacts, folder) == written
