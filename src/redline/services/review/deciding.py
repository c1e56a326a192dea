"""What every decision of a person needs: a name, and a reason that is not too long."""

from __future__ import annotations

from redline.core.errors import InvalidArgument

_MAX_NAME = 200
_MAX_REASON = 2000


def check_decision(by: str, reason: str = "") -> None:
    """Refuse a decision without the name of a person, or with a very long reason."""
    if not by.strip() or not by.isprintable() or len(by) > _MAX_NAME:
        raise InvalidArgument("Who decides is a name of 1 to 200 printable characters", field="by")
    if len(reason) > _MAX_REASON:
        raise InvalidArgument(f"A reason has at most {_MAX_REASON} characters", field="reason")
