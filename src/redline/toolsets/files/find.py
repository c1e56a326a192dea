"""search_files and glob_search: files by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from redline.core.errors import InvalidArgument
from redline.core.paths import WorkspacePath
from redline.search.walk import matching_files, names_containing
from redline.toolsets.call import Call, Result
from redline.toolsets.compact import below, by_directory
from redline.toolsets.files.adapt import is_rich
from redline.toolsets.files.answer import answer, clean, link, resolve_directory, shown
from redline.toolsets.tool import Json

_CAP = 1000
# Hosts that show only text must not lose the answer: so many paths are in the text, too.
_MAX_PATHS_IN_TEXT = 200


def search_files(call: Call) -> Result:
    """Files and directories whose name contains a text."""
    directory = _text(call, "directory", "path")
    wanted = _text(call, "nameContains", "pattern")
    exclude = _texts(call, "excludeGlobs", "excludePatterns")
    base = resolve_directory(call, directory)
    hits = names_containing(call.runtime.tree, base, wanted, exclude, call.cancel)
    return _answer_with(call, base, hits, "(no matches found)", {})


def glob_search(call: Call) -> Result:
    """Files that any of the globs selects."""
    base = resolve_directory(call, call.arguments["directory"])
    exclude = _texts(call, "excludeGlobs")
    here = call.runtime.workspace.absolute(base).rstrip("/") + "/"
    globs = [re.sub(f"^{re.escape(here)}", "./", glob) for glob in call.arguments["globs"]]
    hits = matching_files(call.runtime.tree, base, globs, exclude, call.cancel)
    cap = call.arguments.get("max", _CAP)
    truncated = 0 < cap < len(hits)
    if truncated:
        hits = hits[:cap]
    return _answer_with(call, base, hits, "(no matches)", {"truncated": truncated})


def _answer_with(
    call: Call, base: WorkspacePath, hits: Sequence[str], nothing: str, facts: Json
) -> Result:
    prefix = call.runtime.workspace.absolute(base).rstrip("/") + "/"
    places = [prefix + hit for hit in hits]
    matches = [clean(place) for place in places]
    notice = f"[truncated at {len(hits)}]" if facts.get("truncated") else ""
    facts = {"matches": matches, "count": len(matches), **facts}
    if hits and call.arguments.get("compact") is True:
        place = shown(call, base)
        names = by_directory(below(place, match) for match in matches)
        text = "\n".join([f"[{_count(hits)} in {place}] {notice}".rstrip(), *names])
        return answer(call, text, facts)
    if not is_rich(call.client):
        return answer(call, "\n".join([notice] * bool(notice) + matches) or nothing, {})
    count = f"[{_count(hits)}]" if hits else nothing
    lines = [f"{count} {notice}".rstrip(), *matches[:_MAX_PATHS_IN_TEXT]]
    if len(matches) > _MAX_PATHS_IN_TEXT:
        lines.append(f"[{len(matches) - _MAX_PATHS_IN_TEXT} more in structuredContent]")
    return answer(call, "\n".join(lines), facts, *map(link, places))


def _count(hits: Sequence[str]) -> str:
    return f"{len(hits)} match{'' if len(hits) == 1 else 'es'}"


def _text(call: Call, name: str, alias: str) -> str:
    value: Any = call.arguments.get(name, call.arguments.get(alias))
    if value is None:
        raise InvalidArgument(f"{name} is required", hint=f"give {name} (string)", field=name)
    if not isinstance(value, str) or not value:
        raise InvalidArgument(f"{name} must be a text that is not empty", field=name)
    return value


def _texts(call: Call, name: str, alias: str = "") -> list[str]:
    value: Any = call.arguments.get(name, call.arguments.get(alias, []))
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidArgument(f"{name} must be a list of globs", field=name)
    return value
