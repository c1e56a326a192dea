"""A Java file without what nobody asks for: comments, and bodies that do not spell the word.

What is left out becomes blanks, so that offsets and lines stay as they are. Most of a file goes,
and with it most of the time to parse it.
"""

from __future__ import annotations

import re

_QUOTED = r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
_COMMENT = r"//[^\n]*|/\*[\s\S]*?\*/"
_OUTSIDE = re.compile(
    rf"[^/\"'{{}}();=]*+(?:({_COMMENT})|(?:{_QUOTED})|([{{}}();]|(?<![=!<>])=(?!=))|[/\"'=])"
)
# All up to the next brace at once: a body has many brackets and words, and few braces.
_INSIDE = re.compile(rf"[^{{}}\"'/]*+(?:(?:{_COMMENT}|{_QUOTED}|[/\"'])[^{{}}\"'/]*+)*+([{{}}])")
_CHAINED = re.compile(r"\b(?:this|super)\s*\(")
_TYPE = re.compile(r"\b(?:class|interface|enum|record)\s+\w")


def skeleton(text: str, word: str) -> tuple[str, int]:
    """The text with blanks for what is left out, and how many characters are left."""
    scan = _Scan(text, word)
    scan.run()
    return scan.result()


class _Scan:
    """Goes through the declarations; bodies are passed over as a whole."""

    def __init__(self, text: str, word: str) -> None:
        self.text = text
        self.word = word
        self.left_out: list[tuple[int, int]] = []
        # Where the declaration at hand began, whether it has a value, and how deep in brackets.
        self.begun = 0
        self.has_value = False
        self.depth = 0

    def run(self) -> None:
        """From the first declaration to the last."""
        at = 0
        while (found := _OUTSIDE.match(self.text, at)) is not None:
            at = found.end()
            mark = found[2]
            if mark == "{":
                at = self._opened(at - 1)
            elif mark is not None:
                self._marked(mark, at)
            elif found[1]:
                self.left_out.append(found.span(1))

    def _marked(self, mark: str, at: int) -> None:
        if mark in "()":
            self.depth += 1 if mark == "(" else -1
        elif self.depth <= 0 and mark == "=":
            self.has_value = True
        elif self.depth <= 0:
            self._ended(at)

    def _ended(self, at: int) -> None:
        self.begun, self.has_value, self.depth = at, False, 0

    def _opened(self, at: int) -> int:
        """Go into the body of a type, past any other braces."""
        plain = self.depth <= 0 and not self.has_value
        if plain and _TYPE.search(self.text, self.begun, at):
            self._ended(at + 1)
            return at + 1
        end = self._closing(at)
        if plain:
            if not self._is_wanted(at, end):
                self.left_out.append((at + 1, end - 1))
            self._ended(end)
        return end

    def _is_wanted(self, start: int, end: int) -> bool:
        """Whether a body spells the word, or calls a constructor that may be called so."""
        if self.text.find(self.word, start, end) >= 0:
            return True
        return self.word[:1].isupper() and _CHAINED.search(self.text, start, end) is not None

    def _closing(self, at: int) -> int:
        """Behind the brace that closes the one at *at*; the end of a text that lacks it."""
        depth = 0
        for found in _INSIDE.finditer(self.text, at):
            depth += 1 if found[1] == "{" else -1
            if depth == 0:
                return found.end()
        return len(self.text) + 1

    def result(self) -> tuple[str, int]:
        """What is left of the text, and how much that is."""
        parts: list[str] = []
        at = kept = 0
        for start, end in self.left_out:
            if end <= start or end > len(self.text):
                continue
            parts.append(self.text[at:start])
            kept += start - at
            lines = self.text.count("\n", start, end)
            parts.append("\n" * lines + " " * (end - start - lines))
            at = end
        parts.append(self.text[at:])
        return "".join(parts), kept + len(self.text) - at
