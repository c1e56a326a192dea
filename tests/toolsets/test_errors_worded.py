"""Every error is worded by every dialect."""

from __future__ import annotations

import inspect
from importlib import import_module
from importlib.util import find_spec

import pytest

from redline.core import errors
from redline.toolsets import TOOLSETS
from redline.toolsets.tool import Client, Dialect, FailedCall, Result, RpcFailure

_SPECIAL: dict[type[errors.RedlineError], errors.RedlineError] = {
    errors.AmbiguousMatch: errors.AmbiguousMatch("found twice", count=2, lines=[1, 5]),
    errors.StaleBase: errors.StaleBase("src/a.py"),
    errors.UndoBlocked: errors.UndoBlocked("changed since", paths=["a"], diff="--- a\n+++ b\n"),
    errors.PermissionRequired: errors.PermissionRequired("ask first", permission="network"),
}
ERRORS = [
    _SPECIAL.get(kind) or kind("what happened")
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.RedlineError)
]
PRESENT = [name for name, module in TOOLSETS.items() if find_spec(module)]


@pytest.mark.parametrize("toolset", PRESENT)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_dialect_has_words_for_every_error(toolset: str, error: errors.RedlineError) -> None:
    dialect: Dialect = import_module(TOOLSETS[toolset]).DIALECT
    module, _, function = dialect.wording.partition(":")
    call = FailedCall(dialect.tools[0].name, {}, Client(), "req-1")
    answer = getattr(import_module(module), function)(error, call)
    if isinstance(answer, RpcFailure):
        assert answer.code < 0
        assert answer.message
    else:
        assert isinstance(answer, Result)
        assert answer.is_error
        assert answer.content


@pytest.mark.parametrize("toolset", PRESENT)
def test_every_tool_is_listed_well(toolset: str) -> None:
    dialect: Dialect = import_module(TOOLSETS[toolset]).DIALECT
    for tool in dialect.tools:
        assert callable(tool.load())
        assert tool.description.isascii()
        assert tool.description.isprintable()
        assert tool.input_schema["type"] == "object"
        assert tool.writes != bool(tool.hints.read_only), tool.name
