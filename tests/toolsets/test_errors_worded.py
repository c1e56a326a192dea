"""Every error is worded by every toolset."""

from __future__ import annotations

import inspect
from importlib import import_module
from importlib.util import find_spec

import pytest

from redline.core import errors
from redline.toolsets import TOOLSETS
from redline.toolsets.call import FailedCall, Result, RpcFailure
from redline.toolsets.tool import Client, Toolset, load_function

_SPECIAL: dict[type[errors.RedlineError], errors.RedlineError] = {
    errors.AmbiguousMatch: errors.AmbiguousMatch("found twice", count=2, lines=[1, 5]),
    errors.UnclearIndentation: errors.UnclearIndentation("unclear", hint="send this"),
    errors.StaleBase: errors.StaleBase("src/a.py"),
    errors.UndoBlocked: errors.UndoBlocked("changed since", paths=["a"], diff="--- a\n+++ b\n"),
    errors.ChangeHeld: errors.ChangeHeld("it waits", held_id="ab12", hint="go on"),
    errors.PermissionRequired: errors.PermissionRequired("ask first", permission="network"),
}
ERRORS = [
    _SPECIAL.get(kind) or kind("what happened")
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.RedlineError)
]
PRESENT = [name for name, module in TOOLSETS.items() if find_spec(module)]


@pytest.mark.parametrize("name", PRESENT)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_toolset_has_words_for_every_error(name: str, error: errors.RedlineError) -> None:
    toolset: Toolset = import_module(TOOLSETS[name]).TOOLSET
    module, _, function = toolset.wording.partition(":")
    call = FailedCall(toolset.tools[0].name, {}, Client(), "req-1")
    answer = getattr(import_module(module), function)(error, call)
    if isinstance(answer, RpcFailure):
        assert answer.code < 0
        assert answer.message
    else:
        assert isinstance(answer, Result)
        assert answer.is_error
        assert answer.content


@pytest.mark.parametrize("name", PRESENT)
def test_every_tool_is_listed_well(name: str) -> None:
    toolset: Toolset = import_module(TOOLSETS[name]).TOOLSET
    for tool in toolset.tools:
        assert callable(load_function(tool.handler))
        assert tool.description.isascii()
        assert tool.description.isprintable()
        assert tool.input_schema["type"] == "object"
        assert tool.writes != bool(tool.hints.read_only), tool.name
