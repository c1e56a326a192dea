"""Files outside any workspace that only their owner may read."""

from __future__ import annotations

import os
import secrets


def write_private_file(path: str, content: bytes) -> None:
    """Replace a file by *content* in one step, readable by its owner only; make its directory."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    beside = os.path.join(folder, f".{os.path.basename(path)}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(beside, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        os.unlink(beside)
        raise
