"""Read what the grammar of TypeScript cannot, by replacing it at the same offsets.

Each replacement is valid where the text is, and only there: an edit that breaks the text breaks
what is read instead of it, too. Replaced are:

- how a type parameter varies, `<in out T>`, by blanks, and `using` by `const`;
- the word `type` of `export type *` by blanks;
- the blank before a signature without a name, by the semicolon that the line break may replace;
- escapes in types that are templates, by other characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from redline.code.syntax.languages import Language
from redline.code.syntax.node import Span, SyntaxNode, span_of, start_of

Parse = Callable[[str], SyntaxNode]
_TYPED = frozenset({"typescript", "tsx"})
# A type parameter may itself be called `out`.
_MODIFIERS = re.compile(
    r"(?<=[<,\s])(?P<word>in\s+out|in|out)(?=\s+(?!extends\b)[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))"
)
_USING = re.compile(
    r"^[ \t]*(?:for\s+(?:await\s*)?\(\s*)?(?P<word>await\s+using|using)"
    r"(?=\s+(?!of\b)[A-Za-z_$][\w$]*\s*(?:=|of\b))",
    re.MULTILINE,
)
_EXPORTED = re.compile(r"\bexport\s+(?P<word>type)(?=\s*\*)")
# A bracket that begins a line, after the end of a type.
_SIGNATURE = re.compile(r"(?<=[\w$>\])}])(?<!=>)[ \t]*\n\s*(?<=[ \t])(?=[<(\[])")
_ESCAPED = re.compile(r"\\[^ux\d\s]")
_SUSPECTS = (_MODIFIERS, _EXPORTED, re.compile(r"\n[ \t]+(?:/\*.*\*/[ \t]*)?[<(\[]|\\`"))
_BRACKETS = re.compile(r"[()\[\]{}]")
_MASKS = {"comment": " ", "string": "x", "template_string": "x", "regex": "x", "jsx_text": "x"}
_VISIBLE = re.compile(r"\S")
_BODIES = [{"kind": "interface_body"}, {"kind": "object_type"}]
# Without a semicolon that was wrong, others may turn out to be.
_MAX_READINGS = 4
# Behind an escape that was not read there may be more.
_MAX_MASKINGS = 20


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text of the same length as the one to read, and its tree."""

    text: str
    root: SyntaxNode

    def unread(self) -> int:
        """Return how many characters the errors have, more than none if there is one."""
        return sum(1 + len(error.text()) for error in self.root.find_all(kind="ERROR"))

    def code(self) -> str:
        """Return the text with comments as blanks and strings as words, at the same offsets."""
        found = self.root.find_all(any=[{"kind": kind} for kind in _MASKS])
        masks = ((span_of(node), _MASKS[node.kind()], node.text()) for node in found)
        return _splice(self.text, ((span, _VISIBLE.sub(mask, text)) for span, mask, text in masks))

    def replace(self, spans: Iterable[Span], word: str, parse: Parse) -> _Reading:
        """Return what is read with *word* instead of each of *spans*, after blanks."""
        text = _splice(self.text, ((span, word.rjust(span.end - span.start)) for span in spans))
        return self if text == self.text else _Reading(text, parse(text))


def _splice(text: str, replacements: Iterable[tuple[Span, str]]) -> str:
    """Replace each span, but those inside of another one."""
    pieces, end = [], 0
    for span, new in sorted(replacements):
        if span.start >= end:
            pieces += [text[end : span.start], new]
            end = span.end
    return "".join([*pieces, text[end:]])


def read_script(text: str, language: Language, parse: Parse) -> SyntaxNode:
    """Return the tree of *text*; nothing is replaced in comments and strings."""
    plain = _Reading(text, parse(text))
    if language.name not in _TYPED or not _is_suspect(text, plain):
        return plain.root
    plain = plain.replace(_words(_USING, plain), "const", parse)
    if not plain.unread():
        return plain.root
    varying = _words(_MODIFIERS, plain)
    found = _read_without(varying, plain, parse)
    parameters = [span_of(node) for node in found.root.find_all(kind="type_parameters")]
    inside = [word for word in varying if any(p.start < word.start < p.end for p in parameters)]
    if inside != varying:
        found = _read_without(inside, plain, parse)
    return min(found, plain, key=_Reading.unread).root


def _read_without(words: list[Span], reading: _Reading, parse: Parse) -> _Reading:
    found = reading.replace([*words, *_words(_EXPORTED, reading)], "", parse)
    return _mask_escapes(_end_signatures(found, parse), parse)


def _is_suspect(text: str, reading: _Reading) -> bool:
    """Return whether something may have to be replaced; most files cost no more than this."""
    if _USING.search(text):
        return True
    return any(each.search(text) for each in _SUSPECTS) and reading.unread() > 0


def _words(pattern: re.Pattern[str], reading: _Reading) -> list[Span]:
    return [Span(*each.span("word")) for each in pattern.finditer(reading.code())]


def _end_signatures(reading: _Reading, parse: Parse) -> _Reading:
    """Write semicolons before what may be signatures; the tree says which of them are."""
    code = reading.code()
    starts = [each.end() - 1 for each in _SIGNATURE.finditer(code)]
    wanted = {at for at in _in_braces(code, starts) if reading.text[at] in " \t"}
    for _ in range(_MAX_READINGS):
        found = reading.replace([Span(at, at + 1) for at in wanted], ";", parse)
        bodies = found.root.find_all(any=_BODIES)
        ending = {start_of(child) for body in bodies for child in body.children()}
        if wanted <= ending:
            return found
        wanted &= ending
    return reading


def _in_braces(code: str, offsets: Iterable[int]) -> Iterator[int]:
    """Yield those of *offsets*, in order, whose innermost bracket is a brace."""
    brackets = [*_BRACKETS.finditer(code)][::-1]
    opened: list[str] = []
    for at in offsets:
        while brackets and brackets[-1].start() < at:
            bracket = brackets.pop()[0]
            if bracket in "([{":
                opened.append(bracket)
            elif opened:
                opened.pop()
        if opened[-1:] == ["{"]:
            yield at


def _mask_escapes(reading: _Reading, parse: Parse) -> _Reading:
    """Replace escapes that were not read: those in types that are templates."""
    for _ in range(_MAX_MASKINGS):
        found = reading.root.find_all(kind="escape_sequence", inside={"kind": "ERROR"})
        spans = [span_of(each) for each in found if _ESCAPED.fullmatch(each.text())]
        masked = reading.replace(spans, "__", parse)
        if masked.unread() >= reading.unread():
            break
        reading = masked
    return reading
