"""Renames in real files: the names change, the words in strings and comments do not."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest

from redline.code.rename.in_file import apply_replacements, plan_rename
from redline.code.syntax.definitions import parse, symbols_of
from redline.code.syntax.languages import BY_NAME
from redline.code.syntax.uses import uses_of
from redline.core.errors import InvalidArgument
from tests.support import LONG, REPO

FILES = sorted((REPO / "src" / "redline").rglob("*.py"))[:: 1 if LONG else 20]
FRESH = "renamed_by_test"


def _texts(source: str) -> list[str]:
    """Comments and plain strings, in order."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        formatted = token.string[:2].lower().strip("\"'").startswith(("f", "rf", "fr"))
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and not formatted):
            found.append(token.string)
    return found


def _names(source: str, name: str) -> int:
    """How often *name* is a variable, function or class of the syntax tree."""
    return sum(
        (isinstance(node, ast.Name) and node.id == name)
        or (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and node.name == name
        )
        for node in ast.walk(ast.parse(source))
    )


def _meanings(source: str, name: str) -> int:
    """How many definitions, parameters, assignments and imports of the file bind the name."""
    definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return sum(
        (isinstance(node, definitions) and node.name == name)
        or (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name)
        or (isinstance(node, ast.alias) and name in (node.name, node.asname))
        for node in ast.walk(ast.parse(source))
    )


@pytest.mark.parametrize("file", FILES, ids=lambda p: str(p.relative_to(REPO)))
def test_every_reference_changes_and_no_string_or_comment_does(file: Path) -> None:
    source = file.read_text("utf-8")
    parsed = parse(source, BY_NAME["python"])
    upper = [s for s in symbols_of(parsed) if "." not in s.qualified and s.kind != "variable"]
    # Namesakes stay, as tests of scopes say; here the word itself is counted.
    for symbol in [s for s in upper if _meanings(source, s.name) == 1][:6]:
        try:
            changes = plan_rename(parsed, symbol.qualified, FRESH)
        except InvalidArgument:
            continue
        after = apply_replacements(source, changes)
        assert _texts(after) == _texts(source)
        assert _names(after, symbol.name) == 0
        assert _names(after, FRESH) == _names(source, symbol.name) > 0
        left = uses_of(parse(after, BY_NAME["python"]), symbol.name)
        assert all(use.is_member or use.is_label for use in left)
