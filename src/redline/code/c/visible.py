"""Resolve C names beyond blocks: by linkage, headers and includes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from redline.code.c.chunks import CFile
from redline.code.c.declarations import CDeclaration, CKind, file_level_declarations, is_function
from redline.code.references.file_access import SourceFiles, count_common_folders
from redline.code.syntax.languages import language_of
from redline.core.paths import WorkspacePath

# Symbol kinds of the index that are declared outside structs.
_OUTER = frozenset(
    {"function", "prototype", "variable", "macro", "type", "struct", "union", "enum"}
    | {"enum_member"}
)
_NAMED = {CKind.MACRO, CKind.CONSTANT, CKind.TYPEDEF, CKind.VALUE}
_MAX_INDEXED = 50


@dataclass(frozen=True, slots=True)
class CLookup:
    """What a name may refer to in a file; not sure if several files that it may see declare it."""

    declarations: list[CDeclaration]
    is_sure: bool = True


@dataclass(slots=True)
class VisibleDeclarations:
    """Finds declarations by name as each file sees them."""

    files: SourceFiles
    # The name whose references are wanted: looked for in every file that contains it.
    word: str
    # Files known to define it, even if the index has not read them yet.
    homes: list[WorkspacePath] = field(default_factory=list)
    _files: dict[WorkspacePath, CFile | None] = field(default_factory=dict)
    _paths: dict[str, Sequence[WorkspacePath]] = field(default_factory=dict)
    _includes: dict[tuple[int, tuple[str, ...], str], WorkspacePath | None] = field(
        default_factory=dict
    )
    _declared_in: dict[tuple[WorkspacePath, str], list[CDeclaration]] = field(default_factory=dict)
    _seen: dict[tuple[WorkspacePath, str, bool], CLookup] = field(default_factory=dict)

    def file(self, path: WorkspacePath) -> CFile | None:
        """Return the file at *path*; None if it is not C."""
        if path not in self._files:
            language = language_of(path.name)
            is_c = language is not None and language.name == "c"
            text = self.files.text(path) if is_c else None
            linked = CFile(path, text, self.files.take) if text is not None else None
            self._files[path] = linked
        return self._files[path]

    def find_name(self, file: CFile, name: str) -> CLookup:
        """Resolve a plain name at file level."""
        return self._of(file, name, tags=False)

    def find_tag(self, file: CFile, name: str) -> CLookup:
        """Resolve the tag of a struct, union or enum, preferring complete ones."""
        return self._of(file, name, tags=True)

    def declared_in(self, file: CFile, name: str) -> list[CDeclaration]:
        """Return what a file itself declares under that name."""
        key = file.path, name
        if key not in self._declared_in:
            paths = self._paths_defining(name)
            # A list of maximum length may be truncated.
            is_there = name == self.word or file.path in paths or len(paths) >= _MAX_INDEXED
            self._declared_in[key] = list(file_level_declarations(file, name)) if is_there else []
        return self._declared_in[key]

    def find_everywhere(self, name: str) -> Iterator[CDeclaration]:
        """Yield all declarations of a name in the files that the index reports."""
        for path in self._paths_defining(name):
            file = self.file(path)
            if file is not None:
                yield from self.declared_in(file, name)

    def _paths_defining(self, name: str) -> Sequence[WorkspacePath]:
        if name not in self._paths:
            self._paths[name] = self.files.defining_as(name, _OUTER)
        if name != self.word:
            return self._paths[name]
        return list(dict.fromkeys([*self._paths[name], *self.homes]))

    def _of(self, file: CFile, name: str, *, tags: bool) -> CLookup:
        key = file.path, name, tags
        if key not in self._seen:
            self._seen[key] = self._tag(file, name) if tags else self._name(file, name)
        return self._seen[key]

    def _tag(self, file: CFile, name: str) -> CLookup:
        own = [d for d in self.declared_in(file, name) if d.kind is CKind.TAG]
        if any(d.is_definition for d in own):
            return CLookup(own)
        found = [
            d for d in self.find_everywhere(name) if d.kind is CKind.TAG and d.path != file.path
        ]
        seen = [d for d in found if self._is_seen(file, d)]
        # A tag without a body is opaque: it refers to the file that completes it.
        complete = [d for d in seen if d.is_definition] or [d for d in found if d.is_definition]
        return self._narrow_to_one_file(file, complete or own + seen)

    def _name(self, file: CFile, name: str) -> CLookup:
        # An apparent declaration of a macro's name expands the macro.
        kinds = {CKind.MACRO} if self.is_macro(file, name) else _NAMED
        own = [d for d in self.declared_in(file, name) if d.kind in kinds]
        if any(d.is_definition or d.is_static for d in own):
            return CLookup(own)
        found = [d for d in self.find_everywhere(name) if d.kind in kinds and d.path != file.path]
        if own:
            return CLookup(own + [d for d in found if is_linked(d)])
        seen = [d for d in found if self._is_seen(file, d)]
        fixed = [d for d in seen if not is_linked(d)]
        if not fixed:
            return CLookup(_linker_visible(found, seen))
        macros = [d for d in fixed if d.kind is CKind.MACRO and self.includes(file, d.path)]
        if macros:
            return CLookup(macros)  # an included macro hides what the linker sees
        return self._narrow_to_one_file(file, [d for d in seen if is_linked(d)] + fixed)

    def _is_seen(self, file: CFile, one: CDeclaration) -> bool:
        return one.file.is_header or self.includes(file, one.path)

    def linked_definitions(self, name: str) -> list[CDeclaration]:
        """Return the definitions that the linker sees, one per program or platform."""
        return [d for d in self.find_everywhere(name) if is_linked(d) and d.is_definition]

    def is_macro(self, file: CFile, name: str) -> bool:
        """Return whether an upper-case name is a macro: its apparent declarations expand it."""
        return name.isupper() and any(
            d.kind is CKind.MACRO and (d.file.is_header or d.path == file.path)
            for d in self.find_everywhere(name)
        )

    def includes(self, file: CFile, path: WorkspacePath) -> bool:
        """Return whether a file includes *path*, rather than a nearer file of the same name."""
        shown = f"/{path.relative}"
        meant = (self._resolve_include(file, s) for s in file.includes if shown.endswith(f"/{s}"))
        return any(found in (None, path) for found in meant)

    def _resolve_include(self, file: CFile, written: str) -> WorkspacePath | None:
        """Find the included file: beside the file, in a folder above, or in its `include`."""
        home, words = file.path.parts[:-1], tuple(written.split("/"))
        key = file.path.root, home, written
        if key not in self._includes:
            above = [home[:depth] for depth in range(len(home), -1, -1)]
            tries = [(*up, *words) for up in above] + [(*up, "include", *words) for up in above]
            found = (WorkspacePath(file.path.root, parts) for parts in tries)
            self._includes[key] = next((one for one in found if self.files.is_file(one)), None)
        return self._includes[key]

    def _narrow_to_one_file(self, file: CFile, found: list[CDeclaration]) -> CLookup:
        """Keep the declarations of one file: the only one, the included one, or the nearest."""
        paths = {d.path for d in found}
        if len(paths) <= 1:
            return CLookup(found)
        name_node = {path for path in paths if self.includes(file, path)}
        shared = {path: count_common_folders(path, file.path) for path in name_node or paths}
        best = max(shared.values())
        nearest = [path for path in shared if shared[path] == best]
        meant = [d for d in found if len(nearest) == 1 and d.path == nearest[0]]
        return CLookup(meant, is_sure=bool(meant and name_node))


def is_linked(one: CDeclaration) -> bool:
    """Return whether it has external linkage: one definition shared with like-named ones."""
    return one.kind is CKind.VALUE and not one.is_static


def _linker_visible(found: list[CDeclaration], seen: list[CDeclaration]) -> list[CDeclaration]:
    """Return what the linker sees: any function, and variables that a header declares."""
    announced = any(is_linked(d) for d in seen)
    return [
        d for d in found if is_linked(d) and (announced or is_function(d.node, d.declaration_node))
    ]
