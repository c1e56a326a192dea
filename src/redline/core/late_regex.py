"""Regular expressions that are compiled at their first use.

A command that starts loads a hundred of them and uses ten.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def late_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what does all that `re.compile` of *pattern* does, without compiling it yet."""
    return cast("re.Pattern[AnyStr]", _LateRegex(pattern, flags))


class _LateRegex:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._given = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        if name == "_compiled":
            self._compiled: re.Pattern[Any] = re.compile(*self._given)
            return self._compiled
        # The method is kept here: later calls find it as fast as they would on the pattern.
        setattr(self, name, method := getattr(self._compiled, name))
        return method
