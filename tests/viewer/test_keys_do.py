"""Every key that does something to a scene does what the help says, pressed as a real key."""

from pathlib import Path

import numpy as np
import pytest
from viewer_keys import CTRL, DO, action_of, checks_in, press_and_check

pytestmark = pytest.mark.compiled_only


def check_throw(desk, press):
    desk.go_to(6.0)
    forward = desk.camera.forward
    press()
    assert len(desk.player.snapshot.position) == 10
    press()
    assert len(desk.player.snapshot.position) == 11
    assert desk.scene_view.picked == 10
    velocity = desk.player.snapshot.velocity[10]
    assert np.allclose(velocity / np.linalg.norm(velocity), forward)
    before = desk.player.snapshot.position[10].copy()
    desk.press("space")
    desk.pass_time(5)
    assert not np.array_equal(desk.player.snapshot.position[10], before)


def gravity_of(desk):
    return tuple(desk.player.snapshot.world.gravity)


def check_gravity(desk, press):
    desk.go_to(6.0)
    press()
    assert gravity_of(desk) == (0.0, 0.0, 0.0)
    falling = desk.player.snapshot.velocity.copy()
    desk.press("Right")
    assert np.array_equal(desk.player.snapshot.velocity, falling)
    press()
    assert gravity_of(desk) == (0.0, -0.05, 0.0)
    desk.press("Right")
    assert not np.array_equal(desk.player.snapshot.velocity, falling)


def check_flip_gravity(desk, press):
    press()
    assert gravity_of(desk) == (0.0, 0.05, 0.0)
    assert "along +y" in desk.said
    press()
    assert gravity_of(desk) == (0.0, -0.05, 0.0)


def check_undo(desk, press):
    desk.go_to(6.0)
    before = desk.state
    desk.press("b", "b", "shift+g")
    press()
    assert gravity_of(desk) == (0.0, -0.05, 0.0)
    press()
    desk.until(lambda: not desk.player.seeking)
    assert desk.state == before
    press()
    assert "no change" in desk.said


def restitutions(desk):
    world = desk.player.snapshot.world
    return set(np.concatenate([world.restitution, world.obstacles.restitution]).tolist())


def check_less_restitution(desk, press):
    press()
    press()
    assert restitutions(desk) == {0.8}
    assert "0.8" in desk.said
    for _ in range(9):
        press()
    assert restitutions(desk) == {0.0}


def check_more_restitution(desk, press):
    desk.press("bracketleft", "bracketleft")
    press()
    assert restitutions(desk) == {0.9}
    press()
    press()
    assert restitutions(desk) == {1.0}


def check_next_engine(desk, press):
    from spheresim.engines.catalogue import ENGINES

    for k in range(1, len(ENGINES) + 1):
        press()
        assert desk.player.settings.engine == ENGINES[k % len(ENGINES)]
        assert desk.player.settings.engine in desk.said
        desk.until(lambda: not desk.viewer.is_waiting)  # while it compiles no key is heard


def check_next_toi(desk, press):
    press()
    assert desk.player.settings.toi == "sliced"
    assert "sliced" in desk.said
    press()
    assert desk.player.settings.toi == "analytic"


def check_save_screenshot(desk, press):
    press()
    (file,) = Path().glob("*.png")
    assert file.name in desk.said


def check_save_scene(desk, press):
    press()
    (file,) = Path().glob("*/scene.toml")
    assert file.parent.name in desk.said


def check_reload(desk, press):
    desk.go_to(6.0)
    before = desk.player
    press()
    desk.until(lambda: desk.player is not before)
    assert desk.player.time == 0.0


def check_dismiss(desk, press):
    desk.scene_view.pick(3)
    desk.press("F1")
    press()
    assert not desk.options.help
    assert desk.scene_view.picked == 3
    for _ in range(2):  # a notice may go first
        press()
    assert desk.scene_view.picked is None
    assert desk.window.context is not None


CHECKS = checks_in(globals())


@pytest.mark.cases(5)
@pytest.mark.parametrize("names", [names for names in DO if names != ("Q", CTRL)], ids=DO.get)
def test_a_key_does_what_the_help_says(desk, names):
    press_and_check(desk, names, CHECKS)


def test_every_action_is_checked(desk):
    assert {action_of(names) for names in DO} - {"quit"} == set(CHECKS)
