"""From worker threads back to the event loop."""

from __future__ import annotations

import asyncio
from typing import Any


def settle(done: asyncio.Future[Any], outcome: Any) -> None:
    """Give *done* its outcome, unless nobody waits for it any more."""
    if not done.done():
        done.set_result(outcome)
