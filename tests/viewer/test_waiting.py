"""What a window says while the compiler is at work, and what it hears meanwhile."""

import threading

import pytest
from numba.core import event
from spheresim_viewer import loading
from spheresim_viewer.loading import Wait
from viewer_window import xdotool

pytestmark = pytest.mark.compiled_only


def test_past_the_estimate_of_the_present_kernel_there_is_none():
    """More kernels may follow, of which it says nothing."""
    assert Wait(12.3).words("a lesson").endswith(": 12 s")
    assert Wait(12.3, 47.0).words("a lesson").endswith(": 12 s of about 47 s")
    assert Wait(76.0, 47.0).words("a lesson").endswith(": 76 s")


def test_one_wait_is_counted_from_its_first_kernel_on(monkeypatch):
    go_on, seen = threading.Semaphore(0), threading.Semaphore(0)

    def work():
        for _ in range(2):
            with event.trigger_event("numba:compile"):
                seen.release()
                go_on.acquire()
            seen.release()
            go_on.acquire()

    clock = iter([100.0, 103.0, 107.0])  # of what the window asks
    compiling = loading.Compiling(work)
    compiling.start()
    seen.acquire()
    began = compiling._watch.since
    monkeypatch.setattr(loading, "perf_counter", lambda: began + next(clock))
    monkeypatch.setattr(loading, "expected_seconds", lambda: 150.0)
    assert compiling.wait[:2] == pytest.approx((100.0, 150.0))
    go_on.release()
    seen.acquire()  # between two kernels
    assert compiling.wait[:2] == (pytest.approx(103.0), None)
    go_on.release()
    seen.acquire()
    seconds, expected, _ = compiling.wait
    assert seconds == pytest.approx(107.0)
    assert expected > 150.0  # the first kernel's time, and the whole of the second's
    go_on.release(2)
    compiling.join()


def test_while_a_changed_scene_compiles_the_way_out_is_named_and_works(open_desk, monkeypatch):
    from spheresim_viewer.timeline.live import Live

    desk, done = open_desk("two_balls", size=(400, 300)), threading.Event()
    monkeypatch.setattr(Live, "compile", lambda _playback: done.wait())
    desk.press("space")
    desk.viewer.compile()
    assert desk.viewer.is_waiting
    desk.frame()
    assert "ctrl Q quits" in {said.text for said in desk.viewer.overlay._texts}
    xdotool("key", "n", "ctrl+q")
    desk.until(lambda: desk.window.context is None)
    assert desk.player.time == 0.0
    done.set()
