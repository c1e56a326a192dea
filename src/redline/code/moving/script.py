"""Import paths of JavaScript and TypeScript when a file moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from redline.code.moving.model import (
    ImportSplice,
    ImportUpdate,
    MovedFile,
    Obstacle,
    common_length,
)
from redline.code.python_js.imports import aliased_candidates, script_candidates
from redline.code.python_js.path_aliases import join_path
from redline.core.paths import WorkspacePath

_CALLED = {"field": "function", "regex": r"^(import|require|require\.resolve)$"}
_PLACES: tuple[Any, ...] = (
    {"inside": {"kind": "import_statement", "field": "source"}},
    {"inside": {"kind": "export_statement", "field": "source"}},
    {"inside": {"kind": "arguments", "inside": {"kind": "call_expression", "has": _CALLED}}},
)
_TYPED_PLACES: tuple[Any, ...] = (
    {"inside": {"kind": "import_require_clause", "field": "source"}},
    {"inside": {"kind": "module", "field": "name"}},
)


_REFERENCE = re.compile(
    r"^///\s*<reference\s+path\s*=\s*(?P<spec>['\"][^'\"\n]+['\"])", re.MULTILINE
)
SCRIPT_ENDINGS = tuple(".d.ts .d.mts .d.cts .ts .tsx .mts .cts .js .jsx .mjs .cjs".split())
# Endings that an import path may leave out.
_LEFT_OUT = (".d.ts", ".ts", ".tsx", ".js", ".jsx")
# What a compiled file is called in import paths.
_COMPILED = {
    ".ts": ".js",
    ".tsx": ".js",
    ".mts": ".mjs",
    ".cts": ".cjs",
    ".d.ts": ".js",
    ".d.mts": ".mjs",
    ".d.cts": ".cjs",
}


def spec_rule(language: str) -> dict[str, Any]:
    """Return the rule for the strings of a script that name another file."""
    places = _PLACES if language == "javascript" else (*_PLACES, *_TYPED_PLACES)
    return {"rule": {"kind": "string", "any": list(places)}}


def update_script(
    path: WorkspacePath, text: str, specs: Iterable[tuple[int, int]], moved: MovedFile
) -> ImportUpdate:
    """Return what changes in the script at *path*; *specs* are the places of `spec_rule`."""
    update = ImportUpdate()
    for start, end in (*specs, *_references(text)):
        spec = text[start + 1 : end - 1]
        target = _resolve(path, spec, moved)
        if target is None and not spec.startswith("."):
            continue  # a package
        if not _is_concerned(path, spec, target, moved):
            continue
        new = _rewrite_spec(path, spec, target, moved)
        if new is None:
            shown = ".".join(moved.new.name.split(".")[1:])
            update.obstacles.append(Obstacle(start, f"no import path leads to a file .{shown}"))
        elif new != spec:
            update.splices.append(ImportSplice(start + 1, end - 1, new))
    return update


def _is_concerned(
    path: WorkspacePath, spec: str, target: WorkspacePath | None, moved: MovedFile
) -> bool:
    """Return whether an import path of the script at *path* may change."""
    if not moved.moves(path):
        return moved.moves(target)
    if moved.is_directory and spec.startswith("."):
        place = join_path(path.parent.parts, spec) if target is None else target.parts
        return moved.changes_folder and not moved.has(place)
    return moved.moves(target) or moved.changes_folder


def _references(text: str) -> Iterator[tuple[int, int]]:
    return (found.span("spec") for found in _REFERENCE.finditer(text))


def _resolve(path: WorkspacePath, spec: str, moved: MovedFile) -> WorkspacePath | None:
    return next(filter(moved.is_file, _files_of(path, spec, moved)), None)


def _files_of(path: WorkspacePath, spec: str, moved: MovedFile) -> Iterator[WorkspacePath]:
    if spec.startswith("."):
        return script_candidates(path, spec)
    return aliased_candidates(path, spec, moved.aliases)


def _rewrite_spec(
    path: WorkspacePath, spec: str, target: WorkspacePath | None, moved: MovedFile
) -> str | None:
    """Return the import path for the same file after the move; None if there is none."""
    home = moved.after(path).parent
    if target is None:  # not code, or not there: the same place, seen from another directory
        return _relative(home.parts, join_path(path.parent.parts, spec), spec)
    after = moved.after(target)
    ways = list(_ways_to_name(spec, target, after))
    aliased: Iterator[str] = iter(())
    if not spec.startswith("."):
        rules = moved.aliases.rules(home)
        aliased = (new for parts in ways for new in rules.specs(spec, parts))
        aliased = chain([spec], aliased)
    for new in chain(aliased, (_relative(home.parts, parts, spec) for parts in ways)):
        found = next(filter(moved.is_file_after, _files_of(home.child("x"), new, moved)), None)
        if found == after:
            return new
    return None


def _ways_to_name(spec: str, old: WorkspacePath, new: WorkspacePath) -> Iterator[tuple[str, ...]]:
    """Yield how an import may name *new*, the likest to how *spec* names *old* first."""
    last = spec.rstrip("/").rsplit("/", 1)[-1]
    stem, ending = _split(new.name)
    given = _split(last)[1] if last.strip(".") else ""
    if stem == "index" and not given and last != "index":
        yield new.parts[:-1]
    if given and old.name.startswith(_split(last)[0]):
        compiled = given != _split(old.name)[1]
        if not compiled:
            yield new.parts
        yield (*new.parts[:-1], stem + _COMPILED.get(ending, ending))
    if ending in _LEFT_OUT:
        yield (*new.parts[:-1], stem)
    yield (*new.parts[:-1], stem + _COMPILED.get(ending, ending))
    yield new.parts


def _split(name: str) -> tuple[str, str]:
    """Return a file name without its ending, and the ending."""
    ending = next((each for each in SCRIPT_ENDINGS if name.endswith(each) and name != each), "")
    return name.removesuffix(ending), ending


def _relative(folder: tuple[str, ...], target: tuple[str, ...], spec: str) -> str:
    """Return the import path from *folder* to *target*, with a slash at its end as in *spec*."""
    same = common_length(folder, target)
    ups = [".."] * (len(folder) - same)
    words = [*(ups or ["."]), *target[same:]]
    return "/".join(words) + ("/" if spec.endswith("/") else "")
