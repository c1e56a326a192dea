"""What real clients send to their hooks, as `tests/recorder/adapters/payloads` has it.

    python -m tests.clients.record_payloads [CLIENT...]

renews those files after a client was updated in `tests/node/package.json`.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from redline.recorder.adapters.hook_program import MOMENTS
from tests.clients.at_work import REAL_CLIENTS, Desktop, Json, work
from tests.recorder.adapters.hook_runs import PAYLOADS

# Values that differ from run to run, by the name of their field.
_FIXED: Json = {
    "session_id": "00000000-0000-4000-8000-000000000001",
    "turn_id": "00000000-0000-4000-8000-000000000002",
    "prompt_id": "00000000-0000-4000-8000-000000000002",
    "transcript_path": "@HOME@/transcript.jsonl",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "duration_ms": 1,
}
_MOMENTS = {"start": "session_start", "end": "session_end"}
_NUMBERS = re.compile(r"(PGID|pid): \d+")


def name_events(client: str, steps: Sequence[str], sent: Sequence[Json]) -> dict[str, Json]:
    """Return what was sent by a name for each event: the moment and, for a tool, its step."""
    found: dict[str, Json] = {}
    number = -1
    for payload in sent:
        moment = MOMENTS[client][payload["hook_event_name"]]
        if moment == "before":
            number += 1
        if moment in ("before", "after"):
            name = f"{moment}_{steps[number]}"
        elif moment in ("idle", "prompt"):
            name = "stop" if number >= 0 else "prompt"
        else:
            name = _MOMENTS[moment]
        assert name not in found, name
        found[name] = payload
    return found


def shape_of(value: Any) -> Any:
    """Return the fields of a payload and the kinds of their values."""
    if isinstance(value, dict):
        return {key: shape_of(each) for key, each in value.items()}
    return type(value).__name__


def recorded(client: str) -> Json:
    """Return the file that is pinned for a client."""
    found: Json = json.loads((PAYLOADS / f"{client}.json").read_text())
    return found


def record(client: str) -> Json:
    """Run a client and return what its file should hold."""
    with tempfile.TemporaryDirectory() as base:
        desktop = Desktop(Path(base).resolve())
        desktop.prepare()
        work(client, desktop)
        steps = list(REAL_CLIENTS[client].steps(desktop))
        events = name_events(client, steps, desktop.payloads())
        fixed = {name: _fix(payload, desktop) for name, payload in events.items()}
    real = REAL_CLIENTS[client]
    return {"client": real.package, "version": real.version, "events": fixed}


def _fix(value: Any, desktop: Desktop) -> Any:
    """Return a payload without what differs from run to run."""
    if isinstance(value, dict):
        return {key: _FIXED.get(key, _fix(each, desktop)) for key, each in value.items()}
    if isinstance(value, list):
        return [_fix(each, desktop) for each in value]
    if isinstance(value, str):
        value = value.replace(str(desktop.folder), "@ROOT@").replace(str(desktop.home), "@HOME@")
        value = value.replace(str(desktop.base), "@HOME@").replace(sys.executable, "python")
        return _NUMBERS.sub(r"\1: 1", value)
    return value


if __name__ == "__main__":
    for name in sys.argv[1:] or REAL_CLIENTS:
        text = json.dumps(record(name), indent=2) + "\n"
        (PAYLOADS / f"{name}.json").write_text(text)
        print(f"recorded {name}")
