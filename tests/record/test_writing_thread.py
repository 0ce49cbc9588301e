"""The thread that writes beside the simulation: in order, bounded, and faults are told."""

import threading

import pytest

from spheresim.record.writing_thread import WritingThread

PATIENCE = 120.0


def test_jobs_are_done_in_their_order_by_another_thread():
    beside, done = WritingThread(), []
    for k in range(200):
        beside.hand_over(lambda k=k: done.append((k, threading.get_ident())), 10)
    beside.wait()
    assert [k for k, _ in done] == list(range(200))
    assert {thread for _, thread in done}.isdisjoint({threading.get_ident()})
    beside.end()


def test_no_more_waits_than_the_memory_that_it_may_take(monkeypatch):
    monkeypatch.setattr("spheresim.record.writing_thread._MOST_WAITING", 100)
    beside, may_go_on, handed = WritingThread(), threading.Event(), []

    def hand_over_four():
        for k in range(4):
            beside.hand_over(lambda: may_go_on.wait(PATIENCE), 60)
            handed.append(k)

    other = threading.Thread(target=hand_over_four, daemon=True)
    other.start()
    other.join(0.2)
    # One is being done and one waits; a third would be too much.
    assert len(handed) <= 2
    may_go_on.set()
    other.join(PATIENCE)
    assert handed == [0, 1, 2, 3]
    beside.end()


def test_a_fault_is_raised_once_and_what_follows_it_is_left_out():
    beside, done, may_fail = WritingThread(), [], threading.Event()

    def fail():
        may_fail.wait(PATIENCE)
        raise OSError(28, "No space left on device", "frames.csv")

    beside.hand_over(fail, 10)
    beside.hand_over(lambda: done.append("after"), 10)
    may_fail.set()
    with pytest.raises(OSError, match="No space") as told:
        beside.wait()
    assert told.value.filename == "frames.csv"
    beside.hand_over(lambda: done.append("later"), 10)
    beside.end()
    assert done == []


def test_a_fault_that_nobody_has_seen_is_raised_at_the_end():
    beside = WritingThread()
    beside.hand_over(lambda: 1 // 0, 10)
    with pytest.raises(ZeroDivisionError):
        beside.end()
    beside.end()


def test_it_starts_no_thread_for_nothing():
    before = threading.active_count()
    beside = WritingThread()
    beside.wait()
    beside.end()
    assert threading.active_count() == before
