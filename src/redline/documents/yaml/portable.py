"""What every YAML parser reads: the rules for values that are written into files.

Parsers of YAML 1.1 (PyYAML, libyaml, ruamel.yaml) refuse or misread some of what YAML 1.2 allows. A
value that not all of them read is refused, however well it would do for one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from redline.documents.yaml.skim.nodes import Child, Node
from redline.documents.yaml.skim.scan import Scanner

MERGE = "<<"
_ANCHOR = re.compile(rb"[&*][A-Za-z0-9_-]+")
_TAG = re.compile(rb"!(?:!?[A-Za-z0-9][A-Za-z0-9_./:-]*)?|!<[A-Za-z0-9_./:,!-]+>")
# Line breaks to some parsers; the last is a byte order mark, which not all accept as text.
_BREAKS = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]|\xef\xbb\xbf")
# Begins or ends like a key, to parsers of YAML 1.1.
_FLOW_KEY = re.compile(rb"[?:]|.*[?:](?:[ ,\[\]{}]|\Z)", re.DOTALL)
# What is a number or a time to YAML 1.1, and may still be none.
_NO_DIGITS = re.compile(rb"[-+]?0[bx]_+")
_DATE = re.compile(
    rb"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:\Z|(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})"
    rb"(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?\Z)"
)
_STANDARD = re.compile(rb"!!(\w+)|!<tag:yaml\.org,2002:(\w+)>")
# Which kind of node a standard tag goes with, and which texts; parsers fail on any other.
_FITTING = {
    b"int": ("scalar", re.compile(rb"[-+]?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|0o?[0-7]+)")),
    b"float": (
        "scalar",
        re.compile(
            rb"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
            rb"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
        ),
    ),
    b"bool": ("scalar", re.compile(rb"true|True|TRUE|false|False|FALSE")),
    b"null": ("scalar", re.compile(rb"null|Null|NULL|~")),
    b"str": ("scalar", None),
    b"seq": ("sequence", None),
    b"map": ("mapping", None),
}


def find_unportable(scanner: Scanner, root: Node) -> str | None:
    """Return why some parsers do not read the node *root* as others do; None when all do."""
    if _BREAKS.search(scanner.source):
        return "a character that some parsers take for a line break"
    found = _Portable(scanner)
    reason = next(found.problems(root), None)
    if reason is None and found.has_tab_between():
        return "a tab outside of quotes"
    return reason


def is_constructed(text: bytes) -> bool:
    """Return whether parsers of YAML 1.1 make a value of a plain scalar, and do not fail on it."""
    if text in (b"=", MERGE.encode()) or _NO_DIGITS.fullmatch(text):
        return False
    found = _DATE.match(text)
    if found is None:
        return True
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
    try:
        datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return False
    return True


def can_merge(kind: str) -> bool:
    """Return whether a node of that kind may stand at a merge key."""
    return kind not in ("scalar", "empty")


def is_safe_in_flow(text: bytes) -> bool:
    """Return whether a plain scalar is one in a flow collection too, to every parser."""
    return not _FLOW_KEY.match(text)


class _Portable:
    """One walk over a value; remembers where tabs are text."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._source = scanner.source
        self._texts: list[tuple[int, int]] = []

    def problems(self, root: Node) -> Iterator[str]:
        """Yield each reason why some parsers do not read the value."""
        stack = [(root, False)]
        while stack:
            node, in_flow = stack.pop()
            yield from self._properties(node, in_flow=in_flow)
            if node.kind in ("mapping", "sequence"):
                in_flow = in_flow or node.style == "flow"
                children = list(self._scanner.entries(node))
                if node.kind == "mapping":
                    yield from self._keys(node, children, in_flow=in_flow)
                stack += [(self._scanner.value_of(node, child), in_flow) for child in children]
            else:
                yield from self._scalar(node, in_flow=in_flow)

    def has_tab_between(self) -> bool:
        """Return whether a tab separates tokens, or is part of a plain scalar."""
        if b"\t" not in self._source:
            return False
        at = 0
        for start, end in sorted(self._texts):
            if self._source.find(b"\t", at, start) >= 0:
                return True
            at = max(at, end)
        return self._source.find(b"\t", at) >= 0

    def _properties(self, node: Node, *, in_flow: bool) -> Iterator[str]:
        if not node.has_props:
            return
        for word in self._source[node.props : node.props_end].split():
            if not (_TAG if word[:1] == b"!" else _ANCHOR).fullmatch(word):
                yield f"the name {word.decode('utf-8', 'replace')}"
        if not self._fits_tag(node):
            yield f"a value that {(node.tag or b'').decode('utf-8', 'replace')} does not go with"
        if in_flow and node.kind == "empty" and node.tag is not None:
            yield "a tag without a value in a flow collection"

    def _fits_tag(self, node: Node) -> bool:
        """Return whether a standard tag goes with its value; other tags go with any."""
        standard = _STANDARD.fullmatch(node.tag or b"")
        kind, texts = (
            _FITTING.get(standard[1] or standard[2], ("", None)) if standard else ("", None)
        )
        if not kind:
            return True
        if node.kind == "empty":
            return texts is None and kind == "scalar"
        if node.kind != kind:
            return False
        text = self._source[node.start : node.end]
        if node.style in ("single", "double"):
            text = text[1:-1]
        return texts is None or texts.fullmatch(text) is not None

    def _keys(self, mapping: Node, children: list[Child], *, in_flow: bool) -> Iterator[str]:
        names: set[str] = set()
        for child in children:
            text = child.key_text
            reason = self._key_problem(mapping, child)
            if reason is not None:
                yield reason
            if text[:1] in (b'"', b"'"):
                self._texts.append((child.key_start, child.key_end))
            elif in_flow and text and not is_safe_in_flow(text):
                yield f"the key {text.decode('utf-8', 'replace')}"
            if child.key is not None:
                if child.key in names:
                    yield f"the key {child.key} twice"
                names.add(child.key)

    def _key_problem(self, mapping: Node, child: Child) -> str | None:
        text = child.key_text
        if child.is_complex:
            return "a key that is more than a line of text"
        if not text:
            return "a key without text"
        if child.key == MERGE and text == MERGE.encode():
            return self._merge_problem(mapping, child)
        if text[:1] not in (b'"', b"'", b"!", b"=") and not is_constructed(text):
            return f"the key {text.decode('utf-8', 'replace')} without quotes"
        return None

    def _merge_problem(self, mapping: Node, child: Child) -> str | None:
        is_mapping = can_merge(self._scanner.value_of(mapping, child).kind)
        return None if is_mapping else "a merge key (<<) without a mapping"

    def _scalar(self, node: Node, *, in_flow: bool) -> Iterator[str]:
        text = self._source[node.start : node.end]
        if node.kind == "alias":
            if not _ANCHOR.fullmatch(text):
                yield f"the name {text.decode('utf-8', 'replace')}"
        elif node.kind == "scalar" and node.style != "plain":
            self._texts.append((node.start, node.end))
        elif node.kind == "scalar":
            if in_flow and not is_safe_in_flow(text):
                yield "a plain value that begins or ends like a key"
            if node.tag is None and not is_constructed(text):
                yield f"{text.decode('utf-8', 'replace')} without quotes"
