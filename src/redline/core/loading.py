"""How a native module is loaded: plainly, unless the program around it has a way of its own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

Way = Callable[[str], Any]
_ways: dict[str, Way] = {}


def load_with(name: str, way: Way) -> None:
    """From now on the module *name* is loaded by *way*; what is loaded stays as it is."""
    _ways[name] = way


def load_native(name: str) -> Any:
    """The module *name*."""
    return _ways.get(name, import_module)(name)
