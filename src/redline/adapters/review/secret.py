"""Secrets that every process with the same state directory knows."""

from __future__ import annotations

import os

# Signs the cookies of the review page.
_REVIEW, _SIZE = "review-secret", 32


def load_secret(state_dir: str, name: str = _REVIEW) -> bytes:
    """Return a secret of a workspace, the same for every process; made when first asked for.

    It lies in the state directory, which commands and tools do not see.
    """
    path = os.path.join(state_dir, name)
    try:
        return _read(path)
    except (FileNotFoundError, ValueError):
        pass
    os.makedirs(state_dir, mode=0o700, exist_ok=True)
    half = f"{path}.{os.getpid()}"
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(os.urandom(_SIZE))
        stream.flush()
        os.fsync(stream.fileno())
    try:
        os.link(half, path)  # the first of several processes wins
    except FileExistsError:
        pass
    finally:
        os.unlink(half)
    return _read(path)


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as stream:
        found = stream.read(_SIZE + 1)
    if len(found) != _SIZE:
        raise ValueError(f"not a secret of {_SIZE} bytes: {path}")
    return found
