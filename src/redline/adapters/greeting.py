"""Starts a server as a client does, and shakes hands with it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

from redline._version import __version__
from redline.core.errors import RedlineError

_PROTOCOL = "2025-11-25"
_SECONDS = 30.0


class NoHandshake(RedlineError):
    """The server did not start, or did not answer as MCP asks."""


def greet_server(argv: Sequence[str]) -> int:
    """Start a server over stdio and return how many tools it lists; NoHandshake."""
    client = {"name": "redline setup", "version": __version__}
    params = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
    messages = (
        {"id": 1, "method": "initialize", "params": params},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
    )
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in messages)
    # State of its own: the handshake leaves nothing behind.
    with tempfile.TemporaryDirectory(prefix="redline-setup-") as state:
        try:
            done = subprocess.run(
                list(argv),
                input=lines.encode(),
                capture_output=True,
                env={**os.environ, "XDG_STATE_HOME": state},
                timeout=_SECONDS,
                check=False,
            )
        except OSError as error:
            raise NoHandshake(
                f"The server cannot be started: {argv[0]}: {error.strerror}"
            ) from None
        except subprocess.TimeoutExpired:
            raise NoHandshake(f"The server gave no answer in {_SECONDS:g} s: {argv[0]}") from None
    answers = [_read(line) for line in done.stdout.splitlines()]
    listed = next((each["result"]["tools"] for each in answers if each.get("id") == 2), None)
    if listed is None:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NoHandshake(f"The server ended without an answer: {said[-1] if said else argv[0]}")
    return len(listed)


def _read(line: bytes) -> dict[str, Any]:
    """Return a message of the server; empty for what was printed by mistake or refused."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and "result" in found else {}
