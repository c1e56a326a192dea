"""The real command in a folder of its own."""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
import sys
import termios
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
            start_new_session=True,  # without a terminal, also where the tests have one
        )
        return done.returncode, done.stdout, done.stderr.decode()

    def at_terminal(
        self, *args: str, types: str = "yes\n", stdin: bytes = b""
    ) -> tuple[int, bytes, str]:
        """The same for a person who types something at a terminal; what it asked comes last."""
        terminal, inner = os.openpty()
        try:
            os.write(terminal, types.encode())  # waits there until it is read
            running = subprocess.Popen(
                [sys.executable, "-m", "redline", *args],
                cwd=self.folder,
                env=self.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(inner, termios.TIOCSCTTY, 0),
            )
            said, _ = running.communicate(stdin, timeout=60)
            shown = b""
            while select.select([terminal], [], [], 0)[0]:
                shown += os.read(terminal, 1 << 16)
        finally:
            os.close(terminal)
            os.close(inner)
        return running.returncode, said, shown.decode()

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
