"""The real command in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]


class Shell:
    """Runs the real command in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")},
            "PYTHONPATH": str(ROOT / "src"),
            "REDLINE_STATE_DIR": str(folder / "state"),
        }

    def __call__(self, *args: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        done = subprocess.run(
            [sys.executable, "-m", "redline", *args],
            cwd=self.folder,
            env=self.env,
            input=stdin,
            capture_output=True,
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr.decode()

    def into(self, target: IO[bytes], *args: str) -> tuple[int, str]:
        """The same with standard output going to *target*."""
        done = subprocess.run(
            [sys.executable, "-m", "redline", *args],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=target,
            stderr=subprocess.PIPE,
            timeout=60,
        )
        return done.returncode, done.stderr.decode()
