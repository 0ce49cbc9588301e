"""File locks that the system releases when the process ends, however it ends."""

import sys
from io import FileIO

if sys.platform == "win32":
    import msvcrt

    _PLACE = 0x7FFF_FFFE
    """A byte beyond any file's end: on Windows no other process can read a byte that is locked."""

    def lock(file: FileIO) -> bool:
        """Lock an open file until it is closed; False if it is locked by another handle."""
        place = file.tell()
        file.seek(_PLACE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(place)
        return True

else:
    import fcntl

    def lock(file: FileIO) -> bool:
        """Lock an open file until it is closed; False if it is locked by another handle."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # the file system has no locks: trust that there is one writer
        return True
