"""Find the uses of a name in a file, by syntax tree: never in strings or comments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from redline.code.syntax.definitions import Parsed
from redline.code.syntax.macros import words_in_macros
from redline.code.syntax.node import SyntaxNode, begins_at
from redline.core.records import dataclass

_MEMBER_KINDS = {"property_identifier", "private_property_identifier", "field_identifier"}
# `.` accesses a member everywhere; `->` only in these; `self::name` is not a member.
_ARROWS = {"c", "cpp", "php"}
_ACCESS = re.compile(r"(?:(?<!\.)\.|(?<!self)(?<!super)(?<!crate)::)\s*$")
_ARROW = re.compile(r"->\s*$")
_RECEIVER = re.compile(r"([\w$@]+)\s*(?:\?\.|\.|->|::)\s*$")
_MAX_LOOK_BACK = 80


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a word as code. Lines are 1-based; offsets are in characters."""

    start: int
    end: int
    line: int
    is_member: bool
    kind: str
    is_label: bool = False
    receiver: str = ""


def words_of(parsed: Parsed) -> dict[str, list[int]]:
    """Map every word used as code to the 1-based line of each use."""
    found: dict[str, list[int]] = defaultdict(list)
    for node in parsed.root.find_all(any=[{"kind": kind} for kind in parsed.language.words]):
        found[node.text()].append(node.range().start.line + 1)
    if parsed.language.preprocessed:
        for word, _ in words_in_macros(parsed.root):
            found[word.text()].append(word.start.line + 1)
    return found


def uses_of(parsed: Parsed, name: str) -> list[Use]:
    """Return every use of *name* as code: not in strings, not in comments."""
    return [_use(parsed, node) for node in nodes_of(parsed, name)]


def nodes_of(parsed: Parsed, name: str, kinds: Sequence[str] | None = None) -> list[SyntaxNode]:
    """Return every node whose text is *name* as code, or every one of some *kinds*."""
    rule = [{"kind": kind} for kind in (parsed.language.words if kinds is None else kinds)]
    exact = f"^{re.escape(name)}$"
    return list(parsed.root.find_all(all=[{"any": rule}, {"regex": exact}]))


def starts_on(parsed: Parsed, name: str, line: int) -> list[int]:
    """Return the offsets of *name* on a line as code, in order."""
    found = [node.range().start for node in nodes_of(parsed, name)]
    return sorted(at.index for at in found if at.line + 1 == line)


def _use(parsed: Parsed, node: SyntaxNode) -> Use:
    where = node.range()
    start = where.start.index
    before = parsed.text[max(0, start - _MAX_LOOK_BACK) : start]
    kind = node.kind()
    member = kind in _MEMBER_KINDS or bool(_ACCESS.search(before))
    if parsed.language.name in _ARROWS:
        member = member or bool(_ARROW.search(before))
    line = where.start.line + 1
    receiver = _RECEIVER.search(before) if member else None
    owner = receiver[1] if receiver else ""
    return Use(start, where.end.index, line, member, kind, _is_label(node), owner)


def _is_label(node: SyntaxNode) -> bool:
    """Return whether the word names a keyword argument, which belongs to the called function."""
    parent = node.parent()
    if parent is None or parent.kind() != "keyword_argument":
        return False
    return begins_at(parent.field("name"), node)
