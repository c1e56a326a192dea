"""search_text: lines that hold a text or match a regex."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.paths import show_name
from redline.core.ports.search import GrepLine, GrepQuery, GrepResult
from redline.search.ignore import EXCLUDED_DIRECTORIES
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import encode_once, success
from redline.toolsets.coding_tools.paths import existing
from redline.toolsets.tool import Json

PREVIEW_CHARACTERS = 500
_CUT = " ... [truncated]"
_SECONDS = 20.0
_EXCLUDED = tuple(f"{name}/" for name in sorted(EXCLUDED_DIRECTORIES))


def search_text(call: Call) -> Result:
    """Matching lines in path order; a flood of them is counted to its end only on request."""
    arguments = call.arguments
    place = existing(call, arguments.get("path") or ".")
    glob = arguments.get("glob")
    most = arguments.get("max_results", 1000)
    query = GrepQuery(
        arguments["query"],
        literal=not arguments.get("regex", False),
        ignore_case=not arguments.get("case_sensitive", False),
        context=arguments.get("context_lines", 0),
        max_matches=most,
        include=(*arguments.get("include_globs", ()), *((glob,) if glob else ())),
        exclude=(*_EXCLUDED, *arguments.get("exclude_globs", ())),
        deadline=_SECONDS,
        utf8_only=True,
        counts=arguments.get("count_all", False),
    )
    found = call.runtime.grep.search([place], query, call.cancel)
    preview_bytes = arguments.get("max_preview_bytes", 512)
    matches = _matches(found.lines, query.context, preview_bytes)
    return success(
        {
            "query": query.pattern,
            "matches": encode_once(matches),
            "total_matches": found.total,
            "truncated": found.total > len(matches) or found.timed_out,
            "warnings": _warnings(found, len(matches)),
            "engine": "rg",
        }
    )


def _matches(lines: Sequence[GrepLine], context: int, preview_bytes: int) -> list[Json]:
    """One entry per matching line, with the lines around it where context was asked for."""
    found: list[Json] = []
    for index, line in enumerate(lines):
        if not line.is_match:
            continue
        preview, by = cut_preview(line.text, preview_bytes)
        match: Json = {
            "path": show_name(line.path),
            "line": line.line,
            "column": line.column,
            "preview": preview,
            "before": _around(lines, index, -1, context, preview_bytes),
            "after": _around(lines, index, 1, context, preview_bytes),
        }
        if by:
            match |= {"preview_truncated": True, "preview_truncated_by": by}
        found.append(match)
    return found


def _around(
    lines: Sequence[GrepLine], index: int, step: int, context: int, preview_bytes: int
) -> list[str]:
    here = lines[index]
    around: list[str] = []
    for distance in range(1, context + 1):
        at = index + step * distance
        if not 0 <= at < len(lines):
            break
        line = lines[at]
        if line.path != here.path or line.line != here.line + step * distance:
            break
        around.append(cut_preview(line.text, preview_bytes)[0])
    return around[::step]


def cut_preview(text: str, most_bytes: int) -> tuple[str, str | None]:
    """*text* within 500 characters and *most_bytes* bytes, and which of them cut it."""
    by = None
    if len(text) > PREVIEW_CHARACTERS:
        text, by = text[: PREVIEW_CHARACTERS - len(_CUT)] + _CUT, "chars"
    raw = text.encode()
    if len(raw) > most_bytes:
        text, by = raw[: most_bytes - len(_CUT)].decode("utf-8", "ignore") + _CUT, "bytes"
    return text, by


def _warnings(found: GrepResult, returned: int) -> list[str]:
    warnings = []
    if not found.counted:
        warnings.append(
            f"the first {returned} matches; there are many more, which count_all counts; "
            "raise max_results or narrow path and globs"
        )
    elif found.total > returned:
        warnings.append(
            f"{returned} of {found.total} matches; raise max_results or narrow path and globs"
        )
    if found.timed_out:
        warnings.append("the search ran out of time and is incomplete; narrow path and globs")
    return warnings
