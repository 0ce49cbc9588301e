"""Arrays and a header as one piece of text: bytes in planes, deflate, base64.

The bytes of all numbers of an array are sorted by their place in the number, first bytes first:
neighbours are alike there, so that deflate finds more to leave out. `js/data.js` reads it.
"""

import base64
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

_TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u4": "<u4", "u1": "u1"}


def packed(header: Mapping[str, Any], arrays: Mapping[str, tuple[str, np.ndarray]]) -> str:
    """A header for JSON, and arrays by name with their types ("f8", "f4", "i4", "u4", "u1")."""
    listed: list[tuple[str, str, int]] = []
    planes = []
    for name, (kind, array) in arrays.items():
        flat = np.ascontiguousarray(array, dtype=_TYPES[kind]).reshape(-1)
        listed.append((name, kind, len(flat)))
        planes.append(flat.view(np.uint8).reshape(len(flat), flat.itemsize).T.tobytes())
    text = json.dumps({**header, "arrays": listed}, allow_nan=False).encode()
    whole = struct.pack("<I", len(text)) + text + b"".join(planes)
    return base64.b64encode(zlib.compress(whole, 9)).decode()
