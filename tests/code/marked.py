"""Small projects in memory whose lines say by comments what is expected of them."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

from redline.code.references.file_access import SourceFiles
from redline.code.references.resolver import ReferenceResolver
from redline.code.syntax.definitions import Parsed, parse, symbols_of
from redline.code.syntax.languages import language_of
from redline.core.paths import WorkspacePath

# What finds references to a name in a language.
Make: TypeAlias = Callable[[str, SourceFiles], ReferenceResolver]


def path_of(name: str) -> WorkspacePath:
    return WorkspacePath(0, tuple(name.split("/")))


class Sample:
    """Files by path. `// it` marks the definition, `// ref` what is bound, `// maybe` the rest."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self._parsed: dict[WorkspacePath, Parsed | None] = {}

    @classmethod
    def of(cls, project: str) -> Sample:
        """A project is `=== path` and text, repeated."""
        parts = (part.partition("\n") for part in dedent(project).split("=== ")[1:])
        return cls({path: text for path, _, text in parts})

    def parse(self, path: WorkspacePath) -> Parsed | None:
        if path not in self._parsed:
            language = language_of(path.name)
            text = self.files.get(path.relative)
            known = text is not None and language is not None
            self._parsed[path] = parse(text or "", language) if known and language else None
        return self._parsed[path]

    def defining(self, name: str) -> list[WorkspacePath]:
        found = []
        for file in self.files:
            parsed = self.parse(path_of(file))
            if parsed is not None and any(s.name == name for s in symbols_of(parsed)):
                found.append(path_of(file))
        return found

    def defining_in(self, name: str, folder: WorkspacePath) -> list[WorkspacePath]:
        return [path for path in self.defining(name) if path.parent == folder]

    def marked(self, mark: str) -> list[str]:
        """The lines that bear a mark, as `file:line`."""
        return [
            f"{file}:{number}"
            for file, text in self.files.items()
            for number, line in enumerate(text.split("\n"), 1)
            if line.rstrip().endswith(f"// {mark}")
        ]

    def found(self, name: str, make: Make) -> tuple[list[str], list[str]]:
        """Lines that are bound to what `// it` marks, and lines that may be."""
        file, _, line = self.marked("it")[0].rpartition(":")
        text = self.files[file]
        start = sum(len(row) + 1 for row in text.split("\n")[: int(line) - 1])
        referring = make(name, self.reading())
        target = referring.target(path_of(file), text.index(name, start))
        assert target is not None
        bound, possible = [], []
        for other in self.files:
            for reference in referring.in_file(path_of(other), [target]) or ():
                where = f"{other}:{reference.line}"
                if where != f"{file}:{line}":
                    (bound if reference.certainty == "bound" else possible).append(where)
        return bound, possible

    def is_file(self, path: WorkspacePath) -> bool:
        assert path.root == 0, path  # there is no other root to look into
        return path.relative in self.files

    def reading(self) -> SourceFiles:
        return SourceFiles(
            self.parse,
            self.is_file,
            self.defining,
            lambda path: self.files.get(path.relative),
            self.defining_in,
        )


def holds(make: Make, name: str, project: str) -> None:
    """Check that exactly the marked lines are found."""
    sample = Sample.of(project)
    bound, possible = sample.found(name, make)
    wanted = sample.marked("ref"), sample.marked("maybe")
    assert (bound, possible) == wanted, f"found {(bound, possible)}, wanted {wanted}"
