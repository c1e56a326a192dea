"""Files outside any workspace that only their owner may read; secrets that processes share."""

from __future__ import annotations

import os
import secrets

# Signs the cookies of the review page.
_REVIEW, _SIZE = "review-secret", 32


def make_private_directory(path: str) -> None:
    """Make the configuration directory, so that it can be hidden from commands."""
    os.makedirs(path, mode=0o700, exist_ok=True)


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


def load_secret(state_dir: str, name: str = _REVIEW) -> bytes:
    """Return a secret of a workspace, the same for every process; made when first asked for.

    It lies in the state directory, which commands and tools do not see.
    """
    path = os.path.join(state_dir, name)
    try:
        return _read_secret(path)
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
    return _read_secret(path)


def _read_secret(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as stream:
        found = stream.read(_SIZE + 1)
    if len(found) != _SIZE:
        raise ValueError(f"not a secret of {_SIZE} bytes: {path}")
    return found
