"""Small Java projects in memory whose lines say by comments what is expected of them."""

from __future__ import annotations

from textwrap import dedent

from redline.code.definitions import Parsed, parse, symbols_of
from redline.code.java.referring import JavaReferring
from redline.code.languages import language_of
from redline.code.project import Files
from redline.core.paths import WorkspacePath


def path_of(name: str) -> WorkspacePath:
    return WorkspacePath(0, tuple(name.split("/")))


class Sample:
    """Files by path. `// it` marks the definition, `// ref` what is bound, `// maybe` the rest."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self._parsed: dict[WorkspacePath, Parsed | None] = {}

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

    def marked(self, mark: str) -> list[str]:
        """The lines that bear a mark, as `file:line`."""
        return [
            f"{file}:{number}"
            for file, text in self.files.items()
            for number, line in enumerate(text.split("\n"), 1)
            if line.rstrip().endswith(f"// {mark}")
        ]

    def found(self, name: str) -> tuple[list[str], list[str]]:
        """Lines that are bound to what `// it` marks, and lines that may be."""
        file, _, line = self.marked("it")[0].rpartition(":")
        text = self.files[file]
        start = sum(len(row) + 1 for row in text.split("\n")[: int(line) - 1])
        referring = JavaReferring(name, self.reading())
        target = referring.target(path_of(file), text.index(name, start))
        assert target is not None
        bound, possible = [], []
        for other in self.files:
            for reference in referring.in_file(path_of(other), [target]) or ():
                where = f"{other}:{reference.line}"
                if where != f"{file}:{line}":
                    (bound if reference.certainty == "bound" else possible).append(where)
        return bound, possible

    def reading(self) -> Files:
        return Files(self.parse, lambda path: path.relative in self.files, self.defining)


def holds(name: str, project: str) -> None:
    """Check that exactly the marked lines are found; a project is `=== path` and text, repeated."""
    files: dict[str, str] = {}
    for part in dedent(project).split("=== ")[1:]:
        path, _, text = part.partition("\n")
        files[path] = text
    sample = Sample(files)
    bound, possible = sample.found(name)
    assert bound == sample.marked("ref")
    assert possible == sample.marked("maybe")
