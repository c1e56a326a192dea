"""Import paths that `tsconfig.json` or `jsconfig.json` defines: `paths` and `baseUrl`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

_CONFIGS = ("tsconfig.json", "jsconfig.json")
_MAX_CHAIN = 10
# Comments and the strings that may look like them, and commas before a bracket. What is not closed
# reaches to the end, so that no text is read more than once.
_STRING = r'("(?:\\.|[^"\\])*(?:"|\\?\Z))'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*[\]}])", re.DOTALL)

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AliasRules:
    """The folder that import paths may begin at, and the paths that patterns mean."""

    base: Parts | None = None
    paths: tuple[tuple[str, tuple[Parts, ...]], ...] = ()

    def matching(self, spec: str) -> tuple[str, tuple[Parts, ...]] | None:
        """Return the pattern for an import path: the exact one, else that of the longest prefix."""
        found: tuple[str, tuple[Parts, ...]] | None = None
        for pattern, targets in self.paths:
            before, star, after = pattern.partition("*")
            if not star and pattern == spec:
                return pattern, targets
            fits = star and len(spec) >= len(before) + len(after)
            if not fits or not spec.startswith(before) or not spec.endswith(after):
                continue
            if found is None or len(before) > len(found[0].partition("*")[0]):
                found = pattern, targets
        return found

    def locations(self, spec: str) -> Iterator[Parts]:
        """Yield the paths, without endings, that an import path may mean."""
        match = self.matching(spec)
        if match is not None:
            before, _, after = match[0].partition("*")
            star = spec[len(before) : len(spec) - len(after)]
            for target in match[1]:
                yield tuple("/".join(target).replace("*", star, 1).split("/"))
        if self.base is not None:
            yield (*self.base, *(word for word in spec.split("/") if word))

    def specs(self, spec: str, location: Parts) -> Iterator[str]:
        """Yield import paths for *location*, written as *spec* is."""
        pattern, targets = self.matching(spec) or ("", ())
        for target in targets if "*" in pattern else ():
            before, _, after = "/".join(target).partition("*")
            text = "/".join(location)
            if text.startswith(before) and text.endswith(after):
                yield pattern.replace("*", text[len(before) : len(text) - len(after)], 1)
        if self.base is not None and location[: len(self.base)] == self.base:
            yield "/".join(location[len(self.base) :])


@dataclass(slots=True)
class PathAliases:
    """The rules for the scripts of a workspace, each configuration read once."""

    read: Callable[[WorkspacePath], str | None]
    _rules: dict[WorkspacePath, AliasRules] = field(default_factory=dict)
    _packages: dict[WorkspacePath, str | None] = field(default_factory=dict)

    def rules(self, folder: WorkspacePath) -> AliasRules:
        """Return the rules for the scripts of a folder: of the nearest configuration with any."""
        known = self._rules.get(folder)
        if known is None:
            known = self._read_folder(folder)
            if known == AliasRules() and folder.parts:
                known = self.rules(folder.parent)
            self._rules[folder] = known
        return known

    def is_own_package(self, folder: WorkspacePath, spec: str) -> bool:
        """Return whether an import path begins with the name of the package that has *folder*."""
        name = self._package_name(folder)
        return name is not None and f"{spec}/".startswith(f"{name}/")

    def _package_name(self, folder: WorkspacePath) -> str | None:
        if folder not in self._packages:
            name = self._parse(folder.child("package.json")).get("name")
            if not isinstance(name, str):
                name = self._package_name(folder.parent) if folder.parts else None
            self._packages[folder] = name
        return self._packages[folder]

    def _read_folder(self, folder: WorkspacePath) -> AliasRules:
        for name in _CONFIGS:
            config = folder.child(name)
            found = self._read_config(config)
            if found != AliasRules():
                return found
            for inner in _list_of(self._parse(config), "references"):
                path = inner.get("path") if isinstance(inner, dict) else None
                if isinstance(path, str):
                    other = _beside(config, path)
                    is_file = path.endswith(".json")
                    found = self._read_config(other if is_file else other.child(name))
                    if found != AliasRules():
                        return found
        return AliasRules()

    def _read_config(
        self, config: WorkspacePath, depth: int = 0, outermost: Parts | None = None
    ) -> AliasRules:
        """Return the rules of a configuration that *outermost*, a folder, extends."""
        settings = self._parse(config)
        top = config.parent.parts if outermost is None else outermost
        found = AliasRules()
        extended = settings.get("extends")
        for name in [extended] if isinstance(extended, str) else _list_of(settings, "extends"):
            if isinstance(name, str) and name.startswith(".") and depth < _MAX_CHAIN:
                ending = "" if name.endswith(".json") else ".json"
                above = self._read_config(_beside(config, name + ending), depth + 1, top)
                base = above.base if above.base is not None else found.base
                found = AliasRules(base, above.paths or found.paths)
        options = settings.get("compilerOptions")
        folder = config.parent.parts
        return _with_options(found, folder, top, options if isinstance(options, dict) else {})

    def _parse(self, config: WorkspacePath) -> dict[str, Any]:
        text = self.read(config)
        if text is None:
            return {}
        text = _COMMENT.sub(lambda found: found[1] or " ", text.removeprefix("\ufeff"))
        try:
            settings = json.loads(_LAST_COMMA.sub(lambda found: found[1] or "", text))
        except ValueError:
            return {}
        return settings if isinstance(settings, dict) else {}


def _with_options(
    found: AliasRules, folder: Parts, top: Parts, options: dict[str, Any]
) -> AliasRules:
    base = found.base
    if isinstance(options.get("baseUrl"), str):
        base = _join_target(folder, options["baseUrl"], top)
    paths = found.paths
    if isinstance(options.get("paths"), dict):
        start = base if base is not None else folder
        paths = tuple(
            (pattern, tuple(_join_target(start, each, top) for each in _list_of(targets)))
            for pattern, targets in options["paths"].items()
            if pattern.count("*") <= 1
        )
    return AliasRules(base, paths)


def _list_of(settings: Any, key: str | None = None) -> list[Any]:
    found = settings.get(key) if key is not None else settings
    return found if isinstance(found, list) else []


def _beside(config: WorkspacePath, spec: str) -> WorkspacePath:
    return WorkspacePath(config.root, join_path(config.parent.parts, spec))


def join_path(folder: Parts, spec: str) -> Parts:
    """Return the path that *spec* means in a folder; it never leads out of the root."""
    parts = list(folder)
    for word in spec.split("/"):
        if word == ".." and parts:
            parts.pop()
        elif word not in (".", "", ".."):
            parts.append(word)
    return tuple(parts)


def _join_target(base: Parts, target: Any, top: Parts) -> Parts:
    """Return the path of a target; `${configDir}` is *top*."""
    text = str(target)
    if text.startswith("${configDir}"):
        return join_path(top, text.removeprefix("${configDir}"))
    return join_path(base, text)
