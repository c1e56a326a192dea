"""What map, outline and where share: opening a workspace for reading and drawing symbols."""

from __future__ import annotations

import argparse

from redline.app import Redline
from redline.cli.flags import state_dir_from
from redline.cli.terminal import one_line, paint
from redline.core.paths import WorkspacePath
from redline.services.names import display_name
from redline.settings import Settings

_STYLE = {
    "class": "yellow",
    "interface": "yellow",
    "struct": "yellow",
    "trait": "yellow",
    "enum": "yellow",
    "type": "yellow",
    "function": "green",
    "method": "green",
    "macro": "magenta",
}


def open_reading(workspace: str, args: argparse.Namespace) -> Redline:
    """The workspace, for reading only."""
    return Redline(Settings(workspace=workspace, state_dir=state_dir_from(args), read_only=True))


def file_line(redline: Redline, path: WorkspacePath, note: str = "") -> str:
    """A file's name as a heading."""
    name = display_name(redline.workspace, path)
    return paint(one_line(name), "bold") + (paint(f"  {note}", "dim") if note else "")


def symbol_line(line: int, kind: str, words: str, doc: str = "", depth: int = 0) -> str:
    """A symbol on one line: where, what, and the first words of its documentation."""
    number = paint(f"{line:>6}", "dim")
    shown = one_line(words)
    tail = f"  {paint(one_line(doc), 'dim')}" if doc else ""
    named = paint(f"{kind:<9}", _STYLE.get(kind, "blue"))
    return f"{number}  {'  ' * depth}{named} {shown}{tail}"
