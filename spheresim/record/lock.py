"""One writer at a time: a lock that ends with its process, however that ends."""

import sys
from io import FileIO

if sys.platform == "win32":
    import msvcrt

    _PLACE = 0x7FFF_FFFE
    """A byte that no reader comes to: a lock keeps others from reading it."""

    def lock(file: FileIO) -> bool:
        """Hold an open file for this handle until it is closed; False if another one does."""
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
        """Hold an open file for this handle until it is closed; False if another one does."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # a file system without locks can only be trusted
        return True
