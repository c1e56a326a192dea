"""What a name means in a file of C beyond its blocks: by linkage, headers and includes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from redline.code.c.declared import Declared, at_file_level
from redline.code.c.sheets import Sheet
from redline.code.languages import language_of
from redline.code.project import Files
from redline.core.paths import WorkspacePath

# What stands outside of structs, by the index's words.
_OUTER = frozenset(
    {"function", "prototype", "variable", "macro", "type", "struct", "union", "enum"}
    | {"enum_member"}
)
_MANY = 50


@dataclass(slots=True)
class Visible:
    """Declarations by name as each file sees them."""

    files: Files
    _sheets: dict[WorkspacePath, Sheet | None] = field(default_factory=dict)
    _paths: dict[str, Sequence[WorkspacePath]] = field(default_factory=dict)
    _own: dict[tuple[WorkspacePath, str], list[Declared]] = field(default_factory=dict)
    _seen: dict[tuple[WorkspacePath, str, bool], list[Declared] | None] = field(
        default_factory=dict
    )

    def sheet(self, path: WorkspacePath) -> Sheet | None:
        """A file to be looked into; None for what is not C."""
        if path not in self._sheets:
            language = language_of(path.name)
            is_c = language is not None and language.name == "c"
            text = self.files.text(path) if is_c else None
            made = Sheet(path, text, self.files.take) if text is not None else None
            self._sheets[path] = made
        return self._sheets[path]

    def named(self, sheet: Sheet, name: str) -> list[Declared] | None:
        """What a plain name means beyond blocks; None where several things may be meant."""
        return self._of(sheet, name, tags=False)

    def tagged(self, sheet: Sheet, name: str) -> list[Declared] | None:
        """The structs, unions or enums of that tag, whole ones where there are any."""
        return self._of(sheet, name, tags=True)

    def own(self, sheet: Sheet, name: str) -> list[Declared]:
        """What a file itself declares by that name."""
        key = sheet.path, name
        if key not in self._own:
            paths = self._defining(name)
            # The index may have left files out when it has as many as it tells.
            is_there = sheet.path in paths or len(paths) >= _MANY
            self._own[key] = list(at_file_level(sheet, name)) if is_there else []
        return self._own[key]

    def everywhere(self, name: str) -> Iterator[Declared]:
        """All declarations of a name that the index knows files of."""
        for path in self._defining(name):
            sheet = self.sheet(path)
            if sheet is not None:
                yield from self.own(sheet, name)

    def _defining(self, name: str) -> Sequence[WorkspacePath]:
        if name not in self._paths:
            self._paths[name] = self.files.defining_as(name, _OUTER)
        return self._paths[name]

    def forget(self) -> None:
        """Let go of everything that was read."""
        self._sheets.clear()
        self._own.clear()
        self._seen.clear()

    def _of(self, sheet: Sheet, name: str, *, tags: bool) -> list[Declared] | None:
        key = sheet.path, name, tags
        if key not in self._seen:
            self._seen[key] = self._find(sheet, name, tags)
        return self._seen[key]

    def _find(self, sheet: Sheet, name: str, tags: bool) -> list[Declared] | None:
        own = [d for d in self.own(sheet, name) if _fits(d, tags)]
        if any(d.is_whole or (not tags and d.is_static) for d in own):
            return own
        found = [d for d in self.everywhere(name) if _fits(d, tags) and d.path != sheet.path]
        seen = [d for d in found if d.sheet.is_header or sheet.includes_file(d.path)]
        whole = [d for d in seen if d.is_whole]
        if tags:
            # A tag without a body is opaque: the one file that completes it means the same.
            return _one_file(sheet, whole or [d for d in found if d.is_whole] or own + seen)
        linked = [d for d in found if is_linked(d)]
        if own:
            return own + linked
        fixed = [d for d in seen if not is_linked(d)]
        if not fixed:
            return linked
        macros = [d for d in fixed if d.kind == "macro" and sheet.includes_file(d.path)]
        if macros:
            return macros  # what is included by name stands before what the linker knows
        return _one_file(sheet, [d for d in seen if is_linked(d)] + fixed)


def is_linked(declared: Declared) -> bool:
    """Whether it is one thing with all of its name in other files: a value seen from outside."""
    return declared.kind == "value" and not declared.is_static


def _fits(declared: Declared, tags: bool) -> bool:
    return declared.kind not in ("field", "label") and (declared.kind == "tag") == tags


def _one_file(sheet: Sheet, found: list[Declared]) -> list[Declared] | None:
    """Those of the one file that is meant: it alone, included by name, or the nearest."""
    paths = {d.path for d in found}
    if len(paths) > 1:
        named = {path for path in paths if sheet.includes_file(path)}
        paths = named or paths
    if len(paths) > 1:
        shared = {path: _shared(path, sheet.path) for path in paths}
        best = max(shared.values())
        paths = {path for path in paths if shared[path] == best}
    return [d for d in found if d.path in paths] if len(paths) <= 1 else None


def _shared(one: WorkspacePath, other: WorkspacePath) -> int:
    """How many folders two files have in common."""
    count = 0
    for mine, theirs in zip(one.parts[:-1], other.parts[:-1], strict=False):
        if mine != theirs:
            break
        count += 1
    return count
