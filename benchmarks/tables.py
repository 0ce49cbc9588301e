"""The tables of measurements in README.md and docs/, made from `benchmarks/results`.

`python -m benchmarks.tables [--check]`. What stands in a document between `<!-- table NAME -->`
and `<!-- end of table -->` is replaced by the table of that name; with --check it is only compared.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.measurements import latest

ROOT = Path(__file__).parent.parent
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
MISSING = "–"

Row = dict[str, str]


def stepping() -> str:
    """Ball-steps a second of the fixed-timestep engine and of others, with their energy."""
    rows = latest("stepping")
    names = distinct(rows, "program")

    def cell(case: Row, program: str) -> str:
        speed = value(rows, {**case, "program": program, "quantity": "ball_steps_per_second"})
        growth = value(rows, {**case, "program": program, "quantity": "kinetic_energy_ratio"})
        if speed is None:
            return MISSING
        energy = f" (energy ×{growth:,.0f})" if growth is not None and growth > 2.0 else ""
        return shown(speed / 1e6) + energy

    lines = [
        [f"{int(case['balls']):,}, {case['packing_fraction']}", *(cell(case, n) for n in names)]
        for case in cases(rows, "balls", "packing_fraction")
    ]
    heads = [heading(rows, name) for name in names]
    return table(["balls, packing fraction", *heads], lines) + origin(rows)


def events() -> str:
    """Impacts a second of the exact engine, beside the fastest other program that was measured."""
    rows = matching(latest("events"), {"boundary": "periodic"})
    packings = distinct(rows, "packing_fraction")

    def cells(balls: str, packing: str) -> list[str]:
        case = matching(rows, {"balls": balls, "packing_fraction": packing})
        others = [float(row["value"]) for row in case if row["program"] != "spheresim"]
        return [shown(value(case, {"program": "spheresim"})), shown(max(others, default=None))]

    heads = [head for packing in packings for head in (f"φ = {packing}", "EDMD")]
    lines = [
        [f"{int(balls):,}", *(cell for packing in packings for cell in cells(balls, packing))]
        for balls in distinct(rows, "balls")
    ]
    return table(["balls", *heads], lines) + origin(rows)


def walls() -> str:
    """Impacts a second of the exact engine between six walls and under gravity."""
    rows = matching(latest("events"), {"boundary": "walls"})
    return by_balls(rows, "packing_fraction", "φ = {}", ".2f")


def threads() -> str:
    """How many times as fast two threads of the exact engine are as one."""
    rows = matching(latest("threads"), {"threads": "2"})
    return by_balls(rows, "packing_fraction", "φ = {}", ".2f")


def convex() -> str:
    """Microseconds a pair of convex bodies, one by one and in batch, beside coal and fcl."""
    rows = matching(latest("convex"), {"quantity": "microseconds_per_pair"})
    peers = [name for name in distinct(rows, "program") if name != "spheresim"]
    columns = [("spheresim", "one by one"), ("spheresim", "batch")]
    columns += [(name, "one by one") for name in peers]

    def cells(case: Row) -> list[str]:
        return [
            shown(value(rows, {**case, "program": name, "way": way}), "#.3g").rstrip(".")
            for name, way in columns
        ]

    lines = [
        [*case.values(), *cells(case)] for case in cases(rows, "bodies", "arrangement", "question")
    ]
    heads = ["bodies", "arrangement", "question", "spheresim", "in batch", *peers]
    return table(heads, lines) + origin(rows)


def viewer() -> str:
    """Milliseconds a frame of the viewer, and of the same balls drawn as meshes."""
    rows = matching(latest("viewer"), {"quantity": "milliseconds_per_frame"})
    return by_balls(rows, "program", "{}", ".0f")


def single_impacts() -> str:
    """Microseconds of a call that goes on by one impact, in both engines."""
    rows = latest("single_impacts")
    columns = cases(rows, "engine", "balls")
    heads = [f"{case['engine']}, {int(case['balls']):,}" for case in columns]
    lines = [
        [call, *(shown(value(rows, {**case, "call": call}), ".1f") for case in columns)]
        for call in distinct(rows, "call")
    ]
    return table(["call", *heads], lines) + origin(rows)


def pile() -> str:
    """What balls poured into a box cost in 20 seconds, and until they sleep."""
    rows = latest("pile")
    told = ("cpu_seconds", "deepest_overlap", "fastest", "impacts_a_ball", "seconds_until_asleep")
    lines = [
        [*case.values(), *(shown(value(rows, {**case, "quantity": q}), ".3g") for q in told)]
        for case in sorted(
            cases(rows, "balls", "restitution", "program"),
            key=lambda case: (int(case["balls"]), float(case["restitution"])),
        )
    ]
    heads = ["balls", "restitution", "program", *(q.replace("_", " ") for q in told)]
    return table(heads, lines) + origin(rows)


def broadphase() -> str:
    """Milliseconds of an update of the best broad phase, and of the automatic one beside it."""
    rows = latest("broadphase")

    def cells(case: Row, update: str) -> list[str]:
        times = {
            row["method"]: float(row["value"]) for row in matching(rows, {**case, "update": update})
        }
        automatic = times.pop("auto")
        best = min(times, key=lambda method: times[method])
        return [f"{best} {times[best] / 1e3:.3g}", f"×{automatic / times[best]:.2f}"]

    lines = [
        [case["set"], f"{int(case['objects']):,}", *cells(case, "first"), *cells(case, "moved")]
        for case in cases(rows, "set", "objects")
    ]
    heads = ["set", "objects", "best, first", "auto", "best, moved", "auto"]
    return table(heads, lines) + origin(rows)


def broadphase_cells() -> str:
    """Entries and proposed pairs of each object, and time, by the size of a grid's cells."""
    rows = latest("broadphase_cells")
    densities = distinct(rows, "density")

    def cell(size: str, density: str) -> str:
        case = {"cell_size": size, "density": density}
        entries, proposed, time = (
            value(rows, {**case, "quantity": quantity}) or 0.0
            for quantity in ("entries", "proposed", "milliseconds")
        )
        n = float(rows[0]["objects"])
        return f"{entries / n:.2f}, {proposed / n:.2f}, {time:.0f} ms"

    lines = [
        [size, *(cell(size, density) for density in densities)]
        for size in distinct(rows, "cell_size")
    ]
    return table(["cell size", *(f"density {d}" for d in densities)], lines) + origin(rows)


def broadphase_users() -> str:
    """Milliseconds of what engines and fills search with, and of a broad phase in its place."""
    rows = latest("broadphase_users")
    names = distinct(rows, "program")

    def cell(case: Row, name: str) -> str:
        return shown(value(rows, {**case, "program": name}), ".3g")

    lines = [
        [
            case["question"],
            f"{int(case['balls']):,}, {case['packing_fraction']}",
            *(cell(case, name) for name in names),
        ]
        for case in cases(rows, "question", "packing_fraction", "balls")
    ]
    lines.sort(key=lambda line: line[0] == "a step")
    heads = [heading(rows, name) if name.startswith("scipy") else name for name in names]
    return table(["question", "balls, packing fraction", *heads], lines) + origin(rows)


def collision_world() -> str:
    """Milliseconds of a step of moving boxes, and millions of rays a second, beside others."""
    rows = latest("collision_world")
    names = distinct(rows, "program")
    lines = []
    for question in distinct(rows, "question"):
        asked = matching(rows, {"question": question})
        unit = "ms a step" if question == "moving boxes" else "million a second"
        cells = [shown(value(asked, {"program": name})) for name in names]
        head = f"{question}, {int(asked[0]['objects']):,}"
        lines.append([head, unit, f"{int(asked[0]['found']):,}", *cells])
    heads = [heading(rows, name) for name in names]
    return table(["question, objects", "unit", "contacts, hits", *heads], lines) + origin(rows)


def obstacles() -> str:
    """Microseconds an impact among few and many obstacles, and seconds until they are set up."""
    rows = latest("obstacles")

    def cells(case: str) -> list[str]:
        wanted = {"obstacles": case, "quantity": "microseconds_per_impact"}
        costs = [value(rows, {**wanted, "engine": engine}) for engine in ("events", "steps")]
        set_up = {"obstacles": case, "engine": "events", "quantity": "seconds_to_set_up"}
        return [*(shown(cost, ".3g") for cost in costs), shown(value(rows, set_up))]

    lines = [[case, *cells(case)] for case in distinct(rows, "obstacles")]
    return table(["among", "events, µs", "steps, µs", "set up, s"], lines) + origin(rows)


TABLES: dict[str, Callable[[], str]] = {
    make.__name__: make
    for make in (
        *(stepping, events, walls, threads, convex, viewer, single_impacts, pile),
        *(broadphase, broadphase_cells, broadphase_users, collision_world, obstacles),
    )
}


def matching(rows: Iterable[Row], wanted: Row) -> list[Row]:
    """The rows that have the wanted values."""
    return [row for row in rows if all(row[column] == text for column, text in wanted.items())]


def value(rows: Iterable[Row], wanted: Row) -> float | None:
    """The value of the one row that has the wanted values, if there is one."""
    found = matching(rows, wanted)
    if len(found) > 1:
        raise ValueError(f"{len(found)} rows have {wanted}")
    return float(found[0]["value"]) if found else None


def distinct(rows: Iterable[Row], column: str) -> list[str]:
    """The values of a column, in the order in which they come first."""
    return list(dict.fromkeys(row[column] for row in rows))


def cases(rows: Iterable[Row], *columns: str) -> list[Row]:
    """The different values of some columns together, in order."""
    found = dict.fromkeys(tuple(row[column] for column in columns) for row in rows)
    return [dict(zip(columns, case, strict=True)) for case in found]


def heading(rows: Iterable[Row], program: str) -> str:
    """A program with its version; ours is told by the commit."""
    if program.startswith("spheresim"):
        return program
    (version, *_) = distinct(matching(rows, {"program": program}), "program_version")
    return f"{program} {version}".strip()


def shown(number: float | None, form: str = ".2f") -> str:
    """A number as it stands in a cell."""
    return MISSING if number is None else format(number, form)


def by_balls(rows: Sequence[Row], column: str, head: str, form: str) -> str:
    """A table with a line for each number of balls, and a column for each value of a column."""
    texts = distinct(rows, column)
    lines = [
        [
            f"{int(balls):,}",
            *(shown(value(rows, {"balls": balls, column: text}), form) for text in texts),
        ]
        for balls in distinct(rows, "balls")
    ]
    return table(["balls", *map(head.format, texts)], lines) + origin(rows)


def table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Rows as a Markdown table."""
    rule = ["---"] * len(heads)
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, rule, *lines))


def origin(rows: Sequence[Row]) -> str:
    """Where the figures of a table come from."""
    dates, commits = sorted(distinct(rows, "date")), ", ".join(distinct(rows, "commit"))
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"\n{rows[-1]['processor']} ({rows[-1]['machine']}), {when}, commit {commits}.\n"


def renewed(text: str) -> str:
    """A document with its tables made anew."""
    return MARKED.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


def main() -> int:
    """Write or check all documents."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if one differs"
    )
    is_check = parser.parse_args().check
    differ = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        if renewed(text) != text:
            differ.append(document.relative_to(ROOT))
            if not is_check:
                document.write_text(renewed(text), encoding="utf-8")
    for path in differ:
        print(f"{path}: its tables {'differ from' if is_check else 'now agree with'} the results")
    return 1 if is_check and differ else 0


if __name__ == "__main__":
    sys.exit(main())
