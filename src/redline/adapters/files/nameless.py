"""Files without a name: no other process opens them; their bytes go with the last descriptor."""

from __future__ import annotations

import os
import tempfile
from typing import BinaryIO, cast


def open_nameless(directory: str) -> BinaryIO:
    """Open a new file on the disk of *directory*, which is made where it is not there."""
    os.makedirs(directory, mode=0o700, exist_ok=True)
    return cast(BinaryIO, tempfile.TemporaryFile(dir=directory))
