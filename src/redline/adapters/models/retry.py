"""What every provider shares: repeats within the time limit, and answers that only look fine."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from redline.core.errors import ProviderFailed
from redline.core.ports.models import LlmReply, LlmRequest

ATTEMPTS = 4
FIRST_WAIT = 0.5
_STATUS_KINDS = {408: "timeout", 429: "rate_limit", 504: "timeout"}


class Transient(Exception):
    """A failure worth repeating; `retry_after` is how long the provider asked to wait."""

    def __init__(self, message: str, kind: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


def ask_with_repeats(
    send: Callable[[LlmRequest, float], LlmReply],
    request: LlmRequest,
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> LlmReply:
    """The first good answer, or ProviderFailed once time or attempts run out."""
    deadline = clock() + request.timeout
    wait = FIRST_WAIT
    for attempt in range(ATTEMPTS):
        left = deadline - clock()
        if left <= 0:
            break
        try:
            return send(request, left)
        except Transient as failure:
            last = failure
        pause = last.retry_after if last.retry_after is not None else wait
        wait *= 2
        if attempt == ATTEMPTS - 1 or clock() + pause >= deadline:
            raise ProviderFailed(str(last), kind=last.kind, hint=_hint(last)) from None
        sleep(pause)
    raise ProviderFailed("The provider did not answer in time", kind="timeout")


def _hint(failure: Transient) -> str | None:
    if failure.retry_after is not None:
        return f"The provider asks to wait {failure.retry_after:g} seconds"
    return None


def fail_for_status(status: int, headers: Mapping[str, str], said: str) -> None:
    """Raise for an HTTP status that is not a success."""
    if status < 400:
        return
    message = f"The provider answered {status}: {' '.join(said.split())[:200]}"
    if status in (408, 409, 429) or status >= 500:
        raise Transient(message, _STATUS_KINDS.get(status, "error"), retry_after(headers))
    hint = "check the API key" if status in (401, 403) else None
    raise ProviderFailed(message, kind="error", hint=hint)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """How long the provider asks to wait, from milliseconds, seconds or a date."""
    lowered = {key.lower(): value for key, value in headers.items()}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = lowered.get(name)
        if value is None:
            continue
        try:
            return max(0.0, float(value) * scale)
        except ValueError:
            try:
                until = parsedate_to_datetime(value).timestamp()
            except ValueError:
                continue
            return max(0.0, until - time.time())
    return None


def reply_of(text: str, request: LlmRequest, model: str) -> LlmReply:
    """The answer with its JSON parsed; prose stays without data, for the caller to repair."""
    if request.schema is None:
        return LlmReply(text, None, model)
    return LlmReply(text, _json_in(text), model)


def _json_in(text: str) -> Any:
    body = text.strip()
    if body.startswith("```"):
        body = body.strip("`").removeprefix("json").strip()
    try:
        return json.loads(body)
    except ValueError:
        return None
