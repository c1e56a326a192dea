"""Native parsers, loaded so that they take no more memory than they fill.

The allocator of some asks for pages of 2 MB where it can, and leaves most of each empty: several
times a file of 1 MB. Told otherwise while it loads, it forbids such pages to the whole process, and
to the programs that process starts; so that is taken back.
"""

from __future__ import annotations

import ctypes
import os
import sys
from importlib import import_module
from typing import Any

_SWITCH = "MIMALLOC_ALLOW_THP"
_SET, _GET = 41, 42  # PR_SET_THP_DISABLE, PR_GET_THP_DISABLE


def load_sparingly(name: str) -> Any:
    """The module *name*."""
    if sys.platform != "linux" or _SWITCH in os.environ or name in sys.modules:
        return import_module(name)
    prctl = ctypes.CDLL(None).prctl
    was_forbidden = prctl(_GET, 0, 0, 0, 0)
    os.environ[_SWITCH] = "0"
    try:
        return import_module(name)
    finally:
        os.environ.pop(_SWITCH, None)
        if not was_forbidden:
            prctl(_SET, 0, 0, 0, 0)
