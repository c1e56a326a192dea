"""Hooks as clients run them: the real program, with payloads that `tests.clients` recorded.

Cursor's are after its documentation: it runs only with a window and an account.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from redline.recorder.wiring import hook_program

PAYLOADS = Path(__file__).parent / "payloads"
CLIENTS = sorted(path.stem for path in PAYLOADS.glob("*.json"))


def payloads(client: str, root: Path) -> dict[str, Any]:
    """Return the recorded events of a client, as of a session in *root*."""
    text = (PAYLOADS / f"{client}.json").read_text()
    found: dict[str, Any] = json.loads(text.replace("@ROOT@", str(root)))["events"]
    return found


def run_hook(
    client: str,
    stdin: bytes,
    *,
    state: Path | None = None,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run the hook as a client does."""
    argv = [sys.executable, "-I", "-S", hook_program(), client, *([str(state)] if state else [])]
    return subprocess.run(
        argv,
        input=stdin,
        capture_output=True,
        cwd=cwd,
        timeout=30,
        env={**os.environ, **(env or {})},
    )
