"""What a name means in a file of C beyond its blocks: by linkage, headers and includes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from redline.code.c.chunks import Sheet
from redline.code.c.declared import Declared, at_file_level, is_function
from redline.code.references.file_access import Files
from redline.code.syntax.languages import language_of
from redline.core.paths import WorkspacePath

# What stands outside of structs, by the index's words.
_OUTER = frozenset(
    {"function", "prototype", "variable", "macro", "type", "struct", "union", "enum"}
    | {"enum_member"}
)
_NAMED = {"macro", "constant", "typedef", "value"}
_MANY = 50


@dataclass(frozen=True, slots=True)
class Found:
    """What a name may mean in a file; unsure where more files declare it than are included."""

    declared: list[Declared]
    is_sure: bool = True


@dataclass(slots=True)
class Visible:
    """Declarations by name as each file sees them."""

    files: Files
    # The word that is asked for: it is looked for in every file that spells it.
    word: str
    # Where it is known to be defined, even if the index does not know yet.
    homes: list[WorkspacePath] = field(default_factory=list)
    _sheets: dict[WorkspacePath, Sheet | None] = field(default_factory=dict)
    _paths: dict[str, Sequence[WorkspacePath]] = field(default_factory=dict)
    _includes: dict[tuple[int, tuple[str, ...], str], WorkspacePath | None] = field(
        default_factory=dict
    )
    _own: dict[tuple[WorkspacePath, str], list[Declared]] = field(default_factory=dict)
    _seen: dict[tuple[WorkspacePath, str, bool], Found] = field(default_factory=dict)

    def sheet(self, path: WorkspacePath) -> Sheet | None:
        """A file to be looked into; None for what is not C."""
        if path not in self._sheets:
            language = language_of(path.name)
            is_c = language is not None and language.name == "c"
            text = self.files.text(path) if is_c else None
            made = Sheet(path, text, self.files.take) if text is not None else None
            self._sheets[path] = made
        return self._sheets[path]

    def named(self, sheet: Sheet, name: str) -> Found:
        """What a plain name means beyond blocks."""
        return self._of(sheet, name, tags=False)

    def tagged(self, sheet: Sheet, name: str) -> Found:
        """The structs, unions or enums of that tag, whole ones where there are any."""
        return self._of(sheet, name, tags=True)

    def own(self, sheet: Sheet, name: str) -> list[Declared]:
        """What a file itself declares by that name."""
        key = sheet.path, name
        if key not in self._own:
            paths = self._defining(name)
            # The index may have left files out when it has as many as it tells.
            is_there = name == self.word or sheet.path in paths or len(paths) >= _MANY
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
        if name != self.word:
            return self._paths[name]
        return list(dict.fromkeys([*self._paths[name], *self.homes]))

    def forget(self) -> None:
        """Let go of everything that was read."""
        for sheet in self._sheets.values():
            if sheet is not None:
                sheet.forget()
        self._sheets.clear()
        self._includes.clear()
        self._own.clear()
        self._seen.clear()

    def _of(self, sheet: Sheet, name: str, *, tags: bool) -> Found:
        key = sheet.path, name, tags
        if key not in self._seen:
            self._seen[key] = self._tag(sheet, name) if tags else self._name(sheet, name)
        return self._seen[key]

    def _tag(self, sheet: Sheet, name: str) -> Found:
        own = [d for d in self.own(sheet, name) if d.kind == "tag"]
        if any(d.is_whole for d in own):
            return Found(own)
        found = [d for d in self.everywhere(name) if d.kind == "tag" and d.path != sheet.path]
        seen = [d for d in found if self._is_seen(sheet, d)]
        # A tag without a body is opaque: the one file that completes it means the same.
        whole = [d for d in seen if d.is_whole] or [d for d in found if d.is_whole]
        return self._one_file(sheet, whole or own + seen)

    def _name(self, sheet: Sheet, name: str) -> Found:
        # What looks like a declaration of a macro expands it.
        kinds = {"macro"} if self.is_macro(sheet, name) else _NAMED
        own = [d for d in self.own(sheet, name) if d.kind in kinds]
        if any(d.is_whole or d.is_static for d in own):
            return Found(own)
        found = [d for d in self.everywhere(name) if d.kind in kinds and d.path != sheet.path]
        if own:
            return Found(own + [d for d in found if is_linked(d)])
        seen = [d for d in found if self._is_seen(sheet, d)]
        fixed = [d for d in seen if not is_linked(d)]
        if not fixed:
            return Found(_linked(found, seen))
        macros = [d for d in fixed if d.kind == "macro" and self.includes(sheet, d.path)]
        if macros:
            return Found(macros)  # what is included by name stands before what the linker knows
        return self._one_file(sheet, [d for d in seen if is_linked(d)] + fixed)

    def _is_seen(self, sheet: Sheet, declared: Declared) -> bool:
        return declared.sheet.is_header or self.includes(sheet, declared.path)

    def made(self, name: str) -> list[Declared]:
        """Definitions that the linker would know, one for each program or platform."""
        return [d for d in self.everywhere(name) if is_linked(d) and d.is_whole]

    def is_macro(self, sheet: Sheet, name: str) -> bool:
        """Whether capitals name a macro: what looks like a declaration of it expands it."""
        return name.isupper() and any(
            d.kind == "macro" and (d.sheet.is_header or d.path == sheet.path)
            for d in self.everywhere(name)
        )

    def includes(self, sheet: Sheet, path: WorkspacePath) -> bool:
        """Whether a file includes *path* by name, and not a namesake that lies nearer."""
        shown = f"/{path.relative}"
        meant = (self._included(sheet, s) for s in sheet.includes if shown.endswith(f"/{s}"))
        return any(found in (None, path) for found in meant)

    def _included(self, sheet: Sheet, spelled: str) -> WorkspacePath | None:
        """The file that an `#include` means: beside it, or in a folder above or its `include`."""
        home, words = sheet.path.parts[:-1], tuple(spelled.split("/"))
        key = sheet.path.root, home, spelled
        if key not in self._includes:
            above = [home[:depth] for depth in range(len(home), -1, -1)]
            tries = [(*up, *words) for up in above] + [(*up, "include", *words) for up in above]
            found = (WorkspacePath(sheet.path.root, parts) for parts in tries)
            self._includes[key] = next((one for one in found if self.files.is_file(one)), None)
        return self._includes[key]

    def _one_file(self, sheet: Sheet, found: list[Declared]) -> Found:
        """Those of the one file that is meant: it alone, included by name, or the nearest."""
        paths = {d.path for d in found}
        if len(paths) <= 1:
            return Found(found)
        named = {path for path in paths if self.includes(sheet, path)}
        shared = {path: _shared(path, sheet.path) for path in named or paths}
        best = max(shared.values())
        nearest = [path for path in shared if shared[path] == best]
        meant = [d for d in found if len(nearest) == 1 and d.path == nearest[0]]
        return Found(meant, is_sure=bool(meant and named))


def is_linked(declared: Declared) -> bool:
    """Whether it is one thing with all of its name in other files: a value seen from outside."""
    return declared.kind == "value" and not declared.is_static


def _linked(found: list[Declared], seen: list[Declared]) -> list[Declared]:
    """What the linker knows: functions even unannounced, variables if a header declares them."""
    announced = any(is_linked(d) for d in seen)
    return [d for d in found if is_linked(d) and (announced or is_function(d.node, d.by))]


def _shared(one: WorkspacePath, other: WorkspacePath) -> int:
    """How many folders two files have in common."""
    count = 0
    for mine, theirs in zip(one.parts[:-1], other.parts[:-1], strict=False):
        if mine != theirs:
            break
        count += 1
    return count
