"""A file of C as it is looked into: its words, what it includes, where macros spell a word."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from redline.code.definitions import Parsed, parse
from redline.code.named import Node
from redline.code.unconditional import without_riddles
from redline.core.paths import WorkspacePath

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
WORDS = ("identifier", "field_identifier", "type_identifier", "statement_identifier")


@dataclass(eq=False)
class Sheet:
    """A file with every word that stands as code in it."""

    path: WorkspacePath
    parsed: Parsed
    # What blocks declare, by where they begin and end.
    blocks: dict[tuple[int, int], dict[str, list[Node]]] = field(default_factory=dict)

    @cached_property
    def root(self) -> Node:
        """The tree to look at: what a preprocessor would settle is settled where that hinders."""
        root = self.parsed.root
        if root.find(kind="ERROR") is not None:
            plain = without_riddles(self.parsed.text)
            if plain != self.parsed.text:
                return parse(plain, self.parsed.language).root
        return root

    @property
    def is_header(self) -> bool:
        """Whether other files see what it declares."""
        return not self.path.name.endswith(".c")

    @cached_property
    def words(self) -> dict[str, list[Node]]:
        """The nodes that spell each word, in order."""
        found: dict[str, list[Node]] = {}
        for node in self.root.find_all(any=[{"kind": kind} for kind in WORDS]):
            found.setdefault(node.text(), []).append(node)
        return found

    @cached_property
    def includes(self) -> set[str]:
        """What it includes, as spelled but without leading dots."""
        return {found.lstrip("./") for found in _INCLUDE.findall(self.parsed.text)}

    def includes_file(self, path: WorkspacePath) -> bool:
        """Whether it names *path* in an `#include`, by the end of the path."""
        shown = f"/{path.relative}"
        return any(shown.endswith(f"/{spelled}") for spelled in self.includes)
