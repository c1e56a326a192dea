"""rapidyaml, the independent parser, and what it must not be given or is not strict about.

Its parser keeps no recursion, so depth cannot drive it into a crash; what else could is refused
before it sees it.
"""

from __future__ import annotations

from typing import Any

import ryml

from redline.core.errors import DocumentSyntax
from redline.documents.model import syntax_error
from redline.documents.yaml_depth import require_bounded
from redline.documents.yaml_properties import refuse_heaps
from redline.documents.yaml_tree import require_shallow_tree
from redline.documents.yaml_view import misused_tab, readable, undeclared_handle, without_tabs

BOM = b"\xef\xbb\xbf"
_MOST_NODES = 8192
# So much of a text shows how many nodes it has.
_SAMPLE = 2048
# As written, then without the simple collections among its keys, then without any.
_READINGS = 3


def parse(source: bytes, nodes: int = 0) -> Any:
    """rapidyaml's tree of a stream, of *nodes* if that is known; DocumentSyntax when it fails."""
    text = source[3:] if source.startswith(BOM) else source
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    _check_bytes(text)
    if b"\t" in text:
        _check_tabs(text)
        text = without_tabs(text)
    for _ in range(_READINGS):
        refuse_heaps(text)
        try:
            tree = ryml.parse_in_arena(text, _roomy(nodes or _likely(text)))
        except ryml.ExceptionParse as error:
            other = readable(text, _reason(error))
            if other is None:
                raise _syntax(error, text) from None
            text = other
        except (ryml.ExceptionBasic, ryml.ExceptionVisit) as error:
            raise DocumentSyntax(f"Invalid YAML: {_reason(error)}") from None
        else:
            _check_handles(text)
            return tree
    raise DocumentSyntax("Invalid YAML")


def _check_bytes(text: bytes) -> None:
    """Refuse NUL, where rapidyaml ends its texts, and a lone CR, on which it may loop for ever."""
    if b"\0" in text:
        raise syntax_error(text, text.index(b"\0"), "a NUL character", "YAML")
    if b"\r" in text:
        raise syntax_error(text, text.index(b"\r"), "a CR without LF: end lines in LF", "YAML")


def parse_bounded(source: bytes) -> Any:
    """As `parse`; too deep is refused before the parser sees it, or once its tree is measured."""
    is_unsure = require_bounded(source)
    tree = parse(source)
    if is_unsure:
        require_shallow_tree(tree)
    return tree


def _roomy(nodes: int) -> Any:
    """An empty tree with room for so many: growing it costs more than parsing does."""
    tree = ryml.Tree()
    tree.reserve(min(16 + nodes + nodes // 4, _MOST_NODES))
    return tree


def _likely(text: bytes) -> int:
    """About how many nodes a text has, by its first lines."""
    sample = text[:_SAMPLE]
    keys = sample.count(b": ") + sample.count(b":\n") + sample.count(b"- ")
    nodes = min(2 * sample.count(b"\n"), keys) + 2 * sample.count(b",")
    return nodes * max(len(text), _SAMPLE) // _SAMPLE


def _check_tabs(text: bytes) -> None:
    """Refuse tabs that rapidyaml accepts as indentation."""
    if (at := misused_tab(text)) is not None:
        raise syntax_error(text, at, "a tab is used as indentation", "YAML")


def _check_handles(text: bytes) -> None:
    """Refuse tags whose handles rapidyaml does not look up."""
    if b"!" in text and (at := undeclared_handle(text)) is not None:
        raise syntax_error(text, at, "a tag handle is not declared", "YAML")


def _syntax(error: Any, text: bytes) -> DocumentSyntax:
    place = error.errdata_parse.ymlloc
    line, column = int(place.line), int(place.col)
    lines = text.split(b"\n", line)
    reason = _reason(error)
    if line <= len(lines) and lines[line - 1].lstrip()[:1] in (b"]", b"}"):
        reason += " (what a bracket holds, and its end, is indented deeper than the key)"
    message = f"Invalid YAML at line {line}, column {column}: {reason}"
    return DocumentSyntax(message, line=line, column=column)


def _reason(error: Any) -> str:
    text = error.msg if isinstance(error.msg, str) else bytes(error.msg).decode("utf-8", "replace")
    return text.strip() or "parse error"
