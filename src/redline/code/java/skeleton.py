"""Blank out what need not be parsed: comments, and bodies that do not contain the wanted name.

Offsets and lines stay the same. Most of a file goes, and with it most of the time to parse it.
"""

from __future__ import annotations

import re

_QUOTED = r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
_COMMENT = r"//[^\n]*|/\*[\s\S]*?\*/"
_OUTSIDE = re.compile(
    rf"[^/\"'{{}}();=]*+(?:({_COMMENT})|(?:{_QUOTED})|([{{}}();]|(?<![=!<>])=(?!=))|[/\"'=])"
)
# Match up to the next brace at once: a body has many words, and few braces.
_INSIDE = re.compile(rf"[^{{}}\"'/]*+(?:(?:{_COMMENT}|{_QUOTED}|[/\"'])[^{{}}\"'/]*+)*+([{{}}])")
_CHAINED = re.compile(r"\b(?:this|super)\s*\(")
_TYPE = re.compile(r"\b(?:class|interface|enum|record)\s+\w")


def skeleton(text: str, word: str) -> tuple[str, int]:
    """Return the text with blanks for what is left out, and the number of characters left."""
    scan = _Scan(text, word)
    scan.run()
    return scan.result()


class _Scan:
    """Scans declarations, skipping bodies as a whole."""

    def __init__(self, text: str, word: str) -> None:
        self.text = text
        self.word = word
        self.blanked: list[tuple[int, int]] = []
        # The start of the current declaration, whether it has a value, the depth of brackets.
        self.declaration_start = 0
        self.has_value = False
        self.depth = 0

    def run(self) -> None:
        """Scan the text from the first declaration to the last."""
        at = 0
        while (found := _OUTSIDE.match(self.text, at)) is not None:
            at = found.end()
            mark = found[2]
            if mark == "{":
                at = self._open_brace(at - 1)
            elif mark is not None:
                self._handle_mark(mark, at)
            elif found[1]:
                self.blanked.append(found.span(1))

    def _handle_mark(self, mark: str, at: int) -> None:
        if mark in "()":
            self.depth += 1 if mark == "(" else -1
        elif self.depth <= 0 and mark == "=":
            self.has_value = True
        elif self.depth <= 0:
            self._end_declaration(at)

    def _end_declaration(self, at: int) -> None:
        self.declaration_start, self.has_value, self.depth = at, False, 0

    def _open_brace(self, at: int) -> int:
        """Enter the body of a type, or skip any other braces."""
        plain = self.depth <= 0 and not self.has_value
        if plain and _TYPE.search(self.text, self.declaration_start, at):
            self._end_declaration(at + 1)
            return at + 1
        end = self._closing(at)
        if plain:
            if not self._is_wanted(at, end):
                self.blanked.append((at + 1, end - 1))
            self._end_declaration(end)
        return end

    def _is_wanted(self, start: int, end: int) -> bool:
        """Return whether a body contains the name, or calls a constructor without naming it."""
        if self.text.find(self.word, start, end) >= 0:
            return True
        return self.word[:1].isupper() and _CHAINED.search(self.text, start, end) is not None

    def _closing(self, at: int) -> int:
        """Return the offset after the matching brace, or the end of a text that lacks it."""
        depth = 0
        for found in _INSIDE.finditer(self.text, at):
            depth += 1 if found[1] == "{" else -1
            if depth == 0:
                return found.end()
        return len(self.text) + 1

    def result(self) -> tuple[str, int]:
        """Return what is left of the text, and its length."""
        parts: list[str] = []
        at = kept = 0
        for start, end in self.blanked:
            if end <= start or end > len(self.text):
                continue
            parts.append(self.text[at:start])
            kept += start - at
            lines = self.text.count("\n", start, end)
            parts.append("\n" * lines + " " * (end - start - lines))
            at = end
        parts.append(self.text[at:])
        return "".join(parts), kept + len(self.text) - at
