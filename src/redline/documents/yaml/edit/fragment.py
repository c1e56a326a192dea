"""A value given as YAML: what it is alone, and the text it takes at its new place."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NestsTooDeep
from redline.documents.base.depth import value_too_deep
from redline.documents.yaml import strict
from redline.documents.yaml.portable import MERGE, find_unportable, is_constructed, is_safe_in_flow
from redline.documents.yaml.skim.nodes import Node, decode_key
from redline.documents.yaml.skim.scan import Scanner
from redline.documents.yaml.values import quote

_FLOW_UNSAFE = re.compile(r"[,\[\]{}]|:(?=[ \t]|$)|[ \t]#|^[-?:](?=[ ,\[\]{}]|$)")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_./$+@<][A-Za-z0-9_./$+@<>-]*(?: [A-Za-z0-9_./$+-]+)*")
_MARKER = re.compile(rb"^(?:---|\.\.\.)(?=[ \t\n]|\Z)", re.MULTILINE)
_KEEPS = re.compile(rb"[|>][0-9]?\+")
_HEADER = re.compile(rb"[|>][0-9]?[+]?[0-9]?[ \t]*(?:#[^\n]*)?\n")
# A longer value is not shown in a hint.
_MAX_QUOTED = 200
_WORDS = frozenset(("true", "false", "null", "~", ""))


class Fragment:
    """One value; refuses what is not exactly one YAML node.

    *directives* are those of the document it is for, which say what its tags mean.
    """

    def __init__(self, text: str, directives: bytes = b"") -> None:
        try:
            source = text.encode("utf-8")
        except UnicodeEncodeError:
            raise CannotApply("Value holds a lone surrogate, which is not UTF-8") from None
        if b"\r" in source:
            source = source.replace(b"\r\n", b"\n")
        self.source = source
        self.directives = directives
        self._value = self._parse(source)
        self.scanner = Scanner(source)
        parts = list(self.scanner.stream.parts())
        if len(parts) != 1 or _MARKER.search(source) or source.lstrip().startswith(b"%"):
            raise CannotApply("Value is not exactly one YAML node", hint=_quoted_hint(source))
        self.root = self.scanner.root(parts[0])
        self.end = self.scanner.end_of(self.root)
        reason = find_unportable(self.scanner, self.root)
        if reason is not None:
            raise CannotApply(
                f"Value is not YAML that every parser reads: {reason}", hint=_quoted_hint(source)
            )

    def readings(self) -> list[Any]:
        """The value parsed alone, with and without a final line break (block scalars differ)."""
        found = [self._value]
        keeps = _KEEPS.search(self.source) is not None
        if not keeps and (self.is_block_scalar or self.is_block):
            stripped = self.source.rstrip(b"\n")
            found += [self._parse(stripped), self._parse(stripped + b"\n")]
        return found

    def _parse(self, source: bytes) -> Any:
        return _parse(self.directives + b"---\n" + source if self.directives else source)

    def refuse_misreading(self) -> None:
        """Refuse a value that YAML reads as something else than it says; CannotApply."""
        dropped = self.comments_around
        if dropped:
            raise CannotApply(
                f"A part of the value would be dropped as a comment: {dropped}",
                hint=_quoted_hint(self.source),
                details={"misread": "comment"},
            )
        if self.is_block and self.root.kind == "mapping" and b"\n" not in self.source.strip():
            raise CannotApply(
                f"The value would become a mapping: {self.source.decode('utf-8').strip()}",
                hint=_quoted_hint(self.source),
                details={"misread": "mapping"},
            )

    @property
    def comments_around(self) -> str:
        """What is around the node, which is not written: comments."""
        start = self.root.props if self.root.has_props else self.root.start
        if self.root.kind == "empty" and not self.root.has_props:
            return self.source.decode("utf-8").strip()
        rest = (self.source[:start].strip(), self.source[self.end :].strip())
        return b" ".join(filter(None, rest)).decode("utf-8")

    @property
    def is_bare(self) -> bool:
        """Whether it is text, or nothing, without quotes, tag and anchor, on one line."""
        is_plain = self.root.style == "plain" or self.root.kind == "empty"
        return is_plain and not self.root.has_props and b"\n" not in self.text

    @cached_property
    def aliases(self) -> frozenset[bytes]:
        """The names of the aliases in it."""
        if b"*" not in self.source:
            return frozenset()
        names = map(strict.alias_name, strict.nodes(self._value))
        return frozenset(name.encode("utf-8") for name in names if name is not None)

    @property
    def text(self) -> bytes:
        """The node with its tag and anchor, nothing around it."""
        start = self.root.props if self.root.has_props else self.root.start
        return self.source[start : self.end]

    @property
    def props(self) -> bytes:
        """Its tag and anchor, as written."""
        return self.source[self.root.props : self.root.props_end] if self.root.has_props else b""

    @property
    def is_block(self) -> bool:
        """Whether it is a block mapping or sequence."""
        return self.root.style == "block"

    @property
    def is_block_scalar(self) -> bool:
        """Whether it is a literal or folded block."""
        return self.root.style in ("literal", "folded")

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth mentioning: comments go, and YAML joins the lines of a plain value."""
        notes = []
        if self.comments_around:
            notes.append(f"not written, since to YAML it is a comment: {self.comments_around}")
            hint = _quoted_hint(self.source)
            notes += [hint] if hint else []
        if self.root.style == "plain" and b"\n" in self.text.strip(b"\n"):
            joined = "its lines are one to YAML, joined by spaces"
            notes.append(f"{joined}; a value that begins with | has many")
        return tuple(notes)

    @property
    def takes_tag(self) -> bool:
        """Whether the tag of the node that it replaces can stay."""
        return self.root.tag is None and self.root.kind not in ("alias", "empty")

    def with_tag(self, tag: bytes) -> Fragment | None:
        """Return the same value with *tag*; None where the two do not go together."""
        between = "\n" if self.is_block else " "
        try:
            text = tag.decode("utf-8") + between + self.source.decode("utf-8")
            return Fragment(text, self.directives)
        except CannotApply:
            return None

    @property
    def ends_with_break(self) -> bool:
        """Whether its last line break may be part of a block scalar's text."""
        is_block = self.is_block_scalar or self.is_block
        return is_block and self.source.endswith(b"\n") and _HEADER.search(self.source) is not None

    @property
    def is_empty(self) -> bool:
        """Whether it is nothing at all."""
        return self.root.kind == "empty" and not self.root.has_props

    def block_lines(self) -> list[bytes]:
        """Return the lines of a block collection, moved to column 0."""
        column = self.root.column
        lines = self.source[self.root.start : self.end].split(b"\n")
        return [lines[0], *(_dedent(line, column) for line in lines[1:])]

    def scalar_lines(self) -> list[bytes]:
        """Return the content lines of a block scalar, without their indent."""
        end = self.end
        if b"+" in self.root.marks:
            end = len(self.source.removesuffix(b"\n"))
        lines = self.source[self.root.header_end : end].split(b"\n")[1:]
        return [_dedent(line, self.root.content_indent) for line in lines]

    def inline_lines(self) -> list[bytes]:
        """Return the lines of anything that may start on the line of its key."""
        first, *rest = self.text.split(b"\n")
        return [first, *(line.strip(b" \t") for line in rest)]

    @cached_property
    def flow(self) -> bytes:
        """The value on one line, fit for the inside of a flow collection."""
        return self._flow(self.root)

    def _flow(self, node: Node) -> bytes:
        source = self.scanner.source
        props = source[node.props : node.props_end] + b" " if node.has_props else b""
        if node.kind == "empty" and node.tag is not None:
            raise CannotApply(
                "A tag without a value cannot be put inside a flow collection",
                hint='give it an empty text: ""',
            )
        if node.kind == "empty":
            return props.rstrip()
        if node.kind == "scalar":
            return props + self._flow_scalar(node)
        if node.kind == "alias":
            return source[node.start : node.end]
        text = source[node.start : node.end] if node.end >= 0 else b"\n"
        if node.style == "flow" and b"\n" not in text and b"#" not in text and not node.marks:
            return props + text
        inner = b", ".join(self._flow_child(node, child) for child in self.scanner.children(node))
        return props + (b"{%b}" % inner if node.kind == "mapping" else b"[%b]" % inner)

    def _flow_child(self, node: Node, child: Any) -> bytes:
        value = self._flow(self.scanner.value_of(node, child))
        if node.kind == "sequence":
            return value or b"null"
        source = child.key_source(self.scanner.source)
        if child.is_complex or child.key is None or source[:1] in (b"&", b"!"):
            raise CannotApply("A mapping with such keys cannot be put inside a flow collection")
        is_quoted = source[:1] in (b"'", b'"') and b"\n" not in source
        key = source if is_quoted else render_key(child.key).encode("utf-8")
        return key + b": " + (value or b"null")

    def _flow_scalar(self, node: Node) -> bytes:
        text = self.scanner.source[node.start : node.end]
        if node.style in ("literal", "folded"):
            return self._quoted_block(node)
        if b"\n" in text:
            return quote(decode_key(text)).encode("utf-8")
        is_plain = node.style == "plain"
        if is_plain and (_FLOW_UNSAFE.search(text.decode("utf-8")) or not is_safe_in_flow(text)):
            return b"'%b'" % text.replace(b"'", b"''")
        return text

    def _quoted_block(self, node: Node) -> bytes:
        """Return a block scalar as the double-quoted text that means the same."""
        if node is not self.root:
            raise CannotApply("A nested block scalar cannot be put inside a flow collection")
        keeps = b"+" in node.marks
        value = self._value if keeps else self._parse(self.source.rstrip(b"\n") + b"\n")
        lines = self.scalar_lines()
        if not any(lines):
            value = "\n" * len(lines) if keeps else ""
        return quote(str(strict.without_tag(value))).encode("utf-8")


def _parse(source: bytes) -> Any:
    try:
        found = strict.parse(source)
    except NestsTooDeep:
        raise value_too_deep() from None
    except DocumentSyntax as error:
        raise _not_yaml(source, error) from None
    return found[0] if found else None


def _not_yaml(source: bytes, error: DocumentSyntax) -> CannotApply:
    """Return the error for a value that does not parse; its hint quotes one line of text."""
    return CannotApply(
        f"Value is not YAML: {error.message}", hint=_quoted_hint(source) or error.hint
    )


def _quoted_hint(source: bytes) -> str | None:
    """Return how a line of text is written so that every parser reads it."""
    text = source.decode("utf-8").strip()
    is_short = 0 < len(text) <= _MAX_QUOTED and "\n" not in text
    return f"to write it as text, quote it: {quote(text)}" if is_short else None


def _dedent(line: bytes, column: int) -> bytes:
    return line[column:] if not line[:column].strip(b" ") else line.lstrip(b" ")


def render_key(key: str) -> str:
    """Return a key as YAML writes it: plain where that is safe, else in double quotes."""
    is_plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in _WORDS
    if is_plain and (key == MERGE or is_constructed(key.encode("utf-8"))):
        return key
    return quote(key)
