"""Scenes live in memory where that is possible: thousands of them are made and thrown away."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.scene import Scene


@pytest.fixture
def top() -> Iterator[Path]:
    """A throw-away directory, in memory where the system has such a place."""
    shared = "/dev/shm"
    made = tempfile.mkdtemp(dir=shared if os.access(shared, os.W_OK) else None)
    yield Path(made)
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(params=["free", "tangled", "free with blobs", "tangled with blobs"])
def scene(top: Path, request: pytest.FixtureRequest) -> Scene:
    """The five-file change, as single steps and with steps that build on each other.

    Its contents are small enough for the journal; with blobs they are stored as large ones are.
    """
    tangled, _, blobs = request.param.partition(" ")
    return Scene(top / "scene", tangled=tangled == "tangled", blobs=bool(blobs))
