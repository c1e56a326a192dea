"""A throw-away workspace that is gone afterwards."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO, cast


def open_nameless(directory: str) -> BinaryIO:
    """Open a new file on the disk of *directory*, which is made where it is not there."""
    os.makedirs(directory, mode=0o700, exist_ok=True)
    return cast(BinaryIO, tempfile.TemporaryFile(dir=directory))


@contextmanager
def scratch_workspace(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A temporary workspace that holds *files*, and a place for its history."""
    with tempfile.TemporaryDirectory(prefix="redline-demo-") as home:
        workspace = os.path.join(home, "workspace")
        state = os.path.join(home, "state")
        os.mkdir(state, 0o700)
        for name, text in files.items():
            write_plainly(os.path.join(workspace, name), text)
        yield workspace, state


def write_plainly(path: str, text: str) -> None:
    """Write as a person's editor would: not through Redline."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
