"""The words that can follow on a command line: commands, flags, ids, checkpoints, keys."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from redline.cli.main import COMMANDS
from redline.cli.parser import build_parser
from redline.core.call_scope import UNCANCELLABLE
from redline.core.errors import RedlineError
from redline.core.ports.history import HistoryQuery
from redline.services.history.lines import HEAD
from redline.wiring.workspace import Redline

_MAX_IDS = 50
_MAX_KEYS = 1000
# What the arguments of history commands are called that take an operation, or a point.
_OPERATIONS = {"id", "ids", "before"}
_POINTS = {"point", "start", "end", "since", "at"}
_COMPARED = {"start", "since"}
_DOCUMENTS = {"get", "set", "insert", "delete"}


def words_for(given: Sequence[str]) -> list[str]:
    """Return what can complete the last of *given*; nothing where only a file can."""
    *before, start = given or [""]
    if not before:
        found: Iterable[str] = COMMANDS
    elif before[0] in COMMANDS:
        found = _words_of(before[0], before[1:], start)
    else:
        found = ()
    return [word for word in found if word.startswith(start)]


def _words_of(command: str, before: Sequence[str], start: str) -> Iterable[str]:
    parser = _parser_of(command)
    flags = {name: each for each in parser._actions for name in each.option_strings}
    if start.startswith("-"):
        return [name for name in flags if name.startswith("--")]
    last = flags.get(before[-1]) if before else None
    if last is not None and last.nargs != 0:
        return _values_of(last)
    places = [each for each in parser._actions if not each.option_strings]
    number = sum(not word.startswith("-") for word in before)
    if command in _DOCUMENTS and number == 1:
        return _keys(before[-1])
    if not places:
        return ()
    place = places[min(number, len(places) - 1)]
    return _values_of(place) if number < len(places) or place.nargs == "+" else ()


def _parser_of(command: str) -> argparse.ArgumentParser:
    commands = build_parser(command)._subparsers
    assert commands is not None
    found = commands._group_actions[0].choices
    assert isinstance(found, dict)
    parser = found[command]
    assert isinstance(parser, argparse.ArgumentParser)
    return parser


def _values_of(action: argparse.Action) -> Iterable[str]:
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    if action.dest in ("session", "client", "principal"):
        return _makers(action.dest)
    if action.dest in _OPERATIONS:
        return _history()
    if action.dest not in _POINTS:
        return ()
    return [*_history(names=True), *([HEAD] if action.dest in _COMPARED else [])]


def _makers(field: str) -> list[str]:
    """The sessions, clients or principals that began a session here; clients without version."""
    with _open() as redline:
        values = [str(getattr(mark.origin, field)) for mark in redline.history.marks()]
    if field == "client":
        values = [value.rpartition(" ")[0] or value for value in values]
    return [value for value in dict.fromkeys(values) if value]


def _open() -> Redline:
    """Open the workspace that this directory lies in."""
    from redline.cli.commands.history.view import open_redline

    return open_redline(argparse.Namespace(workspace=None, state_dir=None, config=None))


def _history(*, names: bool = False) -> list[str]:
    """Return the ids of the workspace, and the names of its checkpoints and sessions."""
    found: list[str] = []
    with _open() as redline:
        for mark in redline.history.marks() if names else ():
            is_named = mark.kind == "checkpoint"
            found.append(mark.origin.summary if is_named else mark.origin.session)
        latest = redline.history.list(HistoryQuery(limit=_MAX_IDS, steps=0))
        found += [operation.id for operation in latest]
    return list(dict.fromkeys(found))


def _keys(file: str) -> list[str]:
    """Return the paths of a document."""
    from redline.cli.commands.documents.open_file import open_source, source_of
    from redline.core.paths import Access
    from redline.documents.base.path import render_path
    from redline.services.documents import query_source

    args = argparse.Namespace(
        file=file, format=None, doc_index=0, workspace=None, state_dir=None, config=None
    )
    try:
        opened = open_source(args, Access.READ)
        with opened.redline as redline:
            source = source_of(opened, args)
            matches, _ = query_source(redline, source, "$..*", _MAX_KEYS, UNCANCELLABLE)
    except RedlineError:
        return []
    return [render_path(match.path) for match in matches]
