"""`flights.bin`: the trajectories that impacts do not imply, see `spheresim.collision.flights`.

It grows by blocks, each of which can be read on its own: how many flights, how many bytes follow,
and these, deflated. A flight mostly goes on where the one before it of the same ball leads. So what
is kept of each number is in which of its 64 bits it differs from what that foretells; of all
numbers the first bytes come first. For time and ball the flight before is that of any ball. (After
P. Ratanaworabhan, J. Ke and M. Burtscher, *Fast lossless compression of scientific floating-point
data*, 2006.) Nothing is rounded.
"""

import struct
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spheresim.collision.flights import NUMBERS, Flights, joined_flights
from spheresim.compiler.decorators import inlined, kernel
from spheresim.numerics.arrays import Floats, Integers
from spheresim.record.files_and_columns import RunError
from spheresim.record.line_file import LineFile

_HEAD = struct.Struct("<II")
_COLUMNS = 4 + NUMBERS


class FlightsFile:
    """Grows by whole blocks; there is no file before the first. size: its bytes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: LineFile | None = None
        self.size = 0

    def check(self, size: int) -> None:
        """RunError unless there are so many bytes, as there were at a checkpoint."""
        found = self._path.stat().st_size if self._path.is_file() else 0
        if found < size:
            raise RunError(f"{self._path}: is not what it was when the checkpoint was made")

    def go_on(self, size: int) -> None:
        """Take away what was written after a checkpoint."""
        self.size = size
        if size == 0:
            self._path.unlink(missing_ok=True)
            return
        self._file = LineFile(self._path.open("r+b", buffering=0), keep=size)

    def append(self, flights: Flights) -> None:
        """Write a block, or nothing of it and raise OSError."""
        if self._file is None:
            self._file = LineFile(self._path.open("xb", buffering=0))
        self._file.append(_packed(flights))
        self.size = self._file.size()

    def sync(self) -> None:
        """Wait until all that was written is on the disk."""
        if self._file is not None:
            self._file.sync()

    def close(self) -> None:
        """Nothing more is written."""
        if self._file is not None:
            self._file.close()


def read_flights(path: Path, n: int, is_finished: bool) -> Flights:
    """The flights of a run of n balls; RunError for what are none.

    A killed run may leave the beginning of a block at the end: where it is not finished, that is
    left out.
    """
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise RunError(f"{path}: {fault.strerror}") from None
    parts, start = [], 0
    while start + _HEAD.size <= len(data):
        count, size = _HEAD.unpack_from(data, start)
        block = data[start + _HEAD.size : start + _HEAD.size + size]
        if len(block) < size:
            break
        try:
            parts.append(_unpacked(block, count))
        except (ValueError, zlib.error):
            raise _damaged(path) from None
        start += _HEAD.size + size
    if is_finished and (start < len(data) or not parts):
        raise _damaged(path)
    flights = joined_flights(parts)
    if len(flights.names) and not _fits(flights, n):
        raise RunError(f"{path}: is not of the {n} balls of its run")
    return flights


def _damaged(path: Path) -> RunError:
    return RunError(f"{path}: holds no flights of a run, or is damaged")


def _fits(flights: Flights, n: int) -> bool:
    known = (flights.ball >= 0).all() and (flights.ball < n).all()
    in_order = (np.diff(flights.t) >= 0.0).all() and (np.diff(flights.after) >= 0).all()
    return bool(known and in_order and np.isfinite(flights.numbers).all())


def _packed(flights: Flights) -> bytes:
    names, numbers = flights.names.astype(np.int64), np.ascontiguousarray(flights.numbers)
    left = np.empty((len(names), _COLUMNS), dtype=np.int64)
    _code(names, _in_bits(numbers), left, _in_bits(np.zeros(NUMBERS)), True)
    planes = left.astype("<i8").T.copy().view(np.uint8).reshape(_COLUMNS, -1, 8)
    block = zlib.compress(planes.transpose(0, 2, 1).tobytes(), 6)
    return _HEAD.pack(len(names), len(block)) + block


def _unpacked(block: bytes, count: int) -> Flights:
    """ValueError if it holds something else."""
    size = 8 * count * _COLUMNS
    flat = np.frombuffer(zlib.decompressobj().decompress(block, size + 1), dtype=np.uint8)
    if len(flat) != size or size == 0:
        raise ValueError
    planes = np.ascontiguousarray(flat.reshape(_COLUMNS, 8, count).transpose(0, 2, 1))
    left = planes.view("<i8").reshape(_COLUMNS, count).T.astype(np.int64, order="C")
    names, numbers = np.empty((count, 4), dtype=np.int64), np.empty((count, NUMBERS))
    _code(names, _in_bits(numbers), left, _in_bits(np.zeros(NUMBERS)), False)
    return Flights(names, numbers)


class _InBits(NamedTuple):
    """Numbers, and the same memory as whole numbers."""

    numbers: Floats
    bits: Integers


def _in_bits(numbers: Floats) -> _InBits:
    return _InBits(numbers, numbers.view(np.int64))


@kernel
def _code(
    names: Integers, flights: _InBits, left: Integers, foretold: _InBits, is_written: bool
) -> None:
    """Find what is left of all numbers beside what is foretold, or the numbers by that.

    names, and the numbers of flights: as in `Flights`; left: (m, 14); foretold: of one row, zeros.
    """
    (numbers, bits), (told, told_bits) = flights, foretold
    for row in range(len(names)):
        # How many rows of impacts came before, the ball, and when: as the row before.
        above = max(row - 1, 0)
        for k in range(2):
            _code_one(names, row, k, names[above, k] if row else 0, left, k, is_written)
        _code_one(bits, row, 0, bits[above, 0] if row else 0, left, 4, is_written)
        # The rest: as the last flight of the ball foretells.
        last = row - 1
        while last >= 0 and names[last, 1] != names[row, 1]:
            last -= 1
        told[:] = 0.0
        if last >= 0:
            s = numbers[row, 0] - numbers[last, 0]
            for k in range(1, 4):
                x, v, a = numbers[last, k], numbers[last, k + 3], numbers[last, k + 6]
                told[k], told[k + 3], told[k + 6] = x + (v + a * (0.5 * s)) * s, v + a * s, a
        for k in range(2, 4):
            _code_one(names, row, k, names[last, k] if last >= 0 else 0, left, k, is_written)
        for k in range(1, NUMBERS):
            _code_one(bits, row, k, told_bits[k], left, 4 + k, is_written)


@inlined
def _code_one(
    numbers: Integers, row: int, k: int, told: int, left: Integers, column: int, is_written: bool
) -> None:
    if is_written:
        left[row, column] = numbers[row, k] ^ told
    else:
        numbers[row, k] = left[row, column] ^ told
