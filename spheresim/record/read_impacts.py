"""The impacts of a run, read back as batches of the journal: kinds and obstacles as numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spheresim.collision.impacts import BALL, KINDS, TANGENTIAL_COLUMNS, Impacts
from spheresim.numerics.arrays import Integers, Records
from spheresim.record.files_and_columns import RunError

if TYPE_CHECKING:
    from pyarrow import Array, RecordBatch


def impact_rows(table: Records, obstacles: Sequence[str], n: int, where: object) -> Impacts:
    """A table of impacts of n balls as one batch; an unknown kind gets a number that is no kind.

    where: what RunError names if the rows are not of these balls and obstacles.
    """
    kind = np.full(len(table), len(KINDS))
    for k, name in enumerate(KINDS):
        kind[table.kind == name] = k
    hit, is_other = np.full(len(table), -1), kind != BALL
    hit[is_other] = _numbers_of(table.obstacle[is_other].tolist(), obstacles, where)
    names = np.stack([kind, table.i, np.where(kind == BALL, table.j, hit)], axis=1)
    _check_balls(names, n, where)
    columns = _numbers(table.dtype.names or ())
    return Impacts(names, np.stack([table[name] for name in columns], axis=1))


def rows_of_batches(
    batches: Sequence["RecordBatch"], obstacles: Sequence[str], n: int, where: object
) -> Impacts:
    """The same from batches of Arrow records, in a third of the time: words are looked at once."""
    count = sum(len(batch) for batch in batches)
    columns = _numbers(batches[0].schema.names if batches else ())
    names, numbers = np.empty((count, 3), dtype=np.int64), np.empty((count, len(columns)))
    start = 0
    for batch in batches:
        rows = slice(start, start + len(batch))
        start = rows.stop
        kinds, hit = batch.column("kind"), batch.column("obstacle")
        number = {name: k for k, name in enumerate(KINDS)}
        codes = [number.get(word, len(KINDS)) for word in kinds.dictionary.to_pylist()]
        kind = np.array([*codes, len(KINDS)])[_filled(kinds.indices)]
        found = _numbers_of(hit.dictionary.to_pylist(), obstacles, where)
        other = np.array([*found, -1])[_filled(hit.indices)]
        names[rows, 0], names[rows, 1] = kind, batch.column("i").to_numpy()
        names[rows, 2] = np.where(kind == BALL, _filled(batch.column("j")), other)
        for k, name in enumerate(columns):
            numbers[rows, k] = batch.column(name).to_numpy()
    _check_balls(names, n, where)
    return Impacts(names, numbers)


_NUMBERS = ("t", "x", "y", "z", "nx", "ny", "nz", "vn_before", "vn_after", "impulse")
"""The columns of `Impacts.numbers`."""


def _numbers(columns: Sequence[str]) -> Sequence[str]:
    """The same of a table, with those of tangential impulses if it has them."""
    tangential = tuple(name for name, _ in TANGENTIAL_COLUMNS)
    return (*_NUMBERS, *tangential) if tangential[0] in columns else _NUMBERS


def _filled(column: "Array") -> Integers:
    """Whole numbers of Arrow, -1 where there is none."""
    return (column.fill_null(-1) if column.null_count else column).to_numpy()


def _numbers_of(words: Sequence[str], obstacles: Sequence[str], where: object) -> list[int]:
    """The indices of obstacles by their names, -1 for an empty one; RunError for an unknown one."""
    number = {"": -1, **{name: k for k, name in enumerate(obstacles)}}
    try:
        return [number[word] for word in words]
    except KeyError as fault:
        raise RunError(f"{where}: its scene has no obstacle {fault}") from None


def _check_balls(names: Integers, n: int, where: object) -> None:
    """RunError unless all balls that are named are among n."""
    if len(names) == 0:
        return
    others = names[names[:, 0] == BALL, 2]
    if names[:, 1].min() < 0 or max(names[:, 1].max(), others.max(initial=-1)) >= n:
        raise RunError(f"{where}: its impacts are not of the {n} balls of its scene")
