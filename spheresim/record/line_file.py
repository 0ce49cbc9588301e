"""Files that grow by whole lines or blocks, whatever ends the run."""

import os
from io import FileIO


class LineFile:
    """A file that holds whole lines, or whole blocks, even when the disk is full."""

    def __init__(self, file: FileIO, first_line: str = "", keep: int = 0) -> None:
        """Begin a new file with its first line, if it has one; or cut an old one to `keep` bytes
        and go on."""
        self._file = file
        self._file.truncate(keep)
        self._file.seek(keep)
        self.append(first_line.encode())

    def sync(self) -> None:
        """Wait until all that was written is on the disk."""
        os.fsync(self._file.fileno())

    def size(self) -> int:
        """The bytes written so far."""
        return self._file.tell()

    def append(self, lines: bytes) -> None:
        """Write all the lines, or none of them and raise OSError."""
        start = self._file.tell()
        left = memoryview(lines)
        try:
            while left:
                left = left[self._file.write(left) :]
        except BaseException as fault:  # an interruption, too, must not cut a line
            self._file.truncate(start)
            self._file.seek(start)
            if isinstance(fault, OSError):
                fault.filename = str(self._file.name)  # which a full disk does not say
            raise

    def close(self) -> None:
        self._file.close()
