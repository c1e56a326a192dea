"""Find what documents a definition: Python's docstring, elsewhere the comment above it."""

from __future__ import annotations

import re

from redline.code.syntax.node import SyntaxNode

_TAG = re.compile(r"</?\w+>")
_MAX_DOC = 120


def docstring_of(body: SyntaxNode) -> SyntaxNode | None:
    """Return the statement that is the docstring of a Python *body*."""
    first = body.child(0)
    if first is None or first.kind() != "expression_statement":
        return None
    string = first.child(0)
    return first if string is not None and string.kind() == "string" else None


def doc_line(body: SyntaxNode) -> str:
    """Return the first line of the docstring of a Python *body*."""
    found = docstring_of(body)
    string = found.child(0) if found is not None else None
    if string is None:
        return ""
    content = string.text().lstrip("rRuUbBfF").strip("\"'").strip()
    return content.split("\n", 1)[0].strip()[:_MAX_DOC]


def doc_head(lines: list[str], start: int, comment: str) -> str:
    """Return the first text line of the comment that ends right above 0-based line *start*."""
    for line in lines[doc_start(lines, start, comment) : start]:
        words = line.strip().lstrip("/*#-!|; ").removesuffix("*/").removesuffix("-->")
        words = _TAG.sub("", words).strip()
        if words:
            return words[:_MAX_DOC]
    return ""


def doc_start(lines: list[str], start: int, comment: str) -> int:
    """Return the 0-based line where the comment right above *start* begins, else *start*."""
    line = start - 1
    if line < 0 or not comment:
        return start
    above = lines[line].strip()
    if above.endswith("*/"):
        while line >= 0 and "/*" not in lines[line]:
            line -= 1
        opened = line >= 0 and lines[line].lstrip().startswith("/*")
        return line if opened else start
    first = start
    while line >= 0 and lines[line].lstrip().startswith(comment):
        if lines[line].startswith("#!"):
            break
        first = line
        line -= 1
    return first
