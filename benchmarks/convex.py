"""CPU time per question about two convex bodies, beside coal and python-fcl.

`python -m benchmarks.convex [--csv FILE] [--only WORD]`. All answer the same pairs in turn, in
one process on one core: spheres, capsules, boxes, hulls of 32 points and balls of 1280 triangles,
in random places around each other, overlapping, and two in the same place. Questions: whether
they overlap; how far apart they are, with nearest points and normal; how deep, with the normal;
when they meet if one moves (without turning, until time 1). One by one from Python, and many in
one call: this the peers (`pip install coal python-fcl`) have not, so they are asked in a loop.

A row of the table is one question, one way, one library: microseconds a pair, and by how much a
peer's answer differs from ours in the median. Where bodies lie deep in each other, and for times,
the peers stop at a tolerance or take another direction.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.convex_cases import Case, cases
from benchmarks.convex_peers import coal, fcl
from benchmarks.measurements import Measurement, add_csv_option, append, version_of
from spheresim.convex import (
    Bodies,
    Body,
    bodies_overlap,
    bodies_overlap_batch,
    gjk,
    gjk_batch,
    time_of_impact,
    time_of_impact_batch,
)

ROUNDS = 9
SECONDS = 0.02
QUESTIONS = {
    "around": ("overlap", "distance", "impact"),
    "overlapping": ("overlap", "depth"),
    "same place": ("overlap", "depth"),
}
PEERS = {"coal": (coal, "coal"), "fcl": (fcl, "python-fcl")}

TIME, DIFFERENCE = "microseconds_per_pair", "median_difference"

Ask = Callable[[], Any]


def _distance(a: Body, b: Body) -> tuple[Any, ...]:
    answer = gjk(a, b)
    return answer.gap, answer.normal, answer.point_a, answer.point_b


def _depth(a: Body, b: Body) -> tuple[Any, ...]:
    answer = gjk(a, b)
    return answer.gap, answer.normal


def ours(case: Case) -> dict[tuple[str, str], Ask]:
    """By question and way."""
    a, others, velocities = case.a, case.others, case.velocities[: len(case.others)]
    many_a, many_b = Bodies.of([a] * len(others)), Bodies.of(others)
    moving = list(zip(others, velocities, strict=True))
    return {
        ("overlap", "one by one"): lambda: [bodies_overlap(a, b) for b in others],
        ("distance", "one by one"): lambda: [_distance(a, b) for b in others],
        ("depth", "one by one"): lambda: [_depth(a, b) for b in others],
        ("impact", "one by one"): lambda: [
            time_of_impact(a, b, velocity, until=1.0).toi for b, velocity in moving
        ],
        ("overlap", "batch"): lambda: bodies_overlap_batch(many_a, many_b),
        ("distance", "batch"): lambda: gjk_batch(many_a, many_b).gap,
        ("depth", "batch"): lambda: gjk_batch(many_a, many_b).gap,
        ("impact", "batch"): lambda: (
            time_of_impact_batch(many_a, many_b, velocities, until=1.0).toi
        ),
    }


def microseconds(ask: Ask, count: int) -> float:
    """CPU time per pair; the least of some rounds.

    What else the machine does only ever adds to it.
    """
    ask()  # compiles
    rounds = []
    for _ in range(ROUNDS):
        asked, start = 0, time.process_time()
        while time.process_time() - start < SECONDS:
            ask()
            asked += count
        rounds.append((time.process_time() - start) / asked * 1e6)
    return min(rounds)


def median_difference(question: str, answers: list[Any], exact: np.ndarray) -> float | None:
    """Between a peer's answers and ours, where both are numbers of the same kind."""
    if question == "overlap":
        return None
    numbers = np.array([row[0] if isinstance(row, tuple) else row for row in answers], dtype=float)
    both = np.isfinite(numbers) & np.isfinite(exact)
    if question == "distance":  # one peer says -1 of what overlaps
        both &= exact > 0.0
    return float(np.median(np.abs(numbers[both] - exact[both]))) if both.any() else None


def measure(case: Case) -> list[Measurement]:
    """Every question of a case, asked of us in two ways and of the peers in one."""
    peers = {}
    for name, (peer, distribution) in PEERS.items():
        try:
            peers[name] = peer(case), version_of(distribution)
        except ImportError:
            continue
    own, found = ours(case), []
    for question in QUESTIONS[case.arrangement]:
        exact = np.asarray(own[question, "batch"](), dtype=float)
        asked = {"bodies": case.name, "arrangement": case.arrangement, "question": question}
        for way in ("one by one", "batch"):
            cost = microseconds(own[question, way], len(case.others))
            row = {**asked, "way": way}
            found.append(Measurement(row, "spheresim", TIME, shown(cost), version_of("spheresim")))
        asked["way"] = "one by one"
        for name, (answers, version) in peers.items():
            if question not in answers:
                continue
            cost = microseconds(answers[question], len(case.others))
            found.append(Measurement(asked, name, TIME, shown(cost), version))
            differs = median_difference(question, answers[question](), exact)
            if differs is not None:
                found.append(Measurement(asked, name, DIFFERENCE, shown(differs), version))
    return found


def shown(value: float) -> str:
    """Three digits, which is what a measurement is worth."""
    return f"{value:.3g}"


def main() -> None:
    """Measure all on all cases, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_csv_option(parser)
    parser.add_argument("--only", default="", help="bodies whose name has this word in it")
    options = parser.parse_args()
    rows = []
    for case in cases():
        if options.only in case.name:
            for row in measure(case):
                print(
                    *row.case.values(), row.program, row.quantity, row.value, sep=" | ", flush=True
                )
                rows.append(row)
    if options.csv is not None:
        append(options.csv, rows)


if __name__ == "__main__":
    main()
