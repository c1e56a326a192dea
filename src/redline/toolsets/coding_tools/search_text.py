"""search_text: lines that hold a text or match a regex."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.paths import show_name
from redline.core.ports.search import GrepLine, GrepQuery, GrepResult
from redline.search.found_lines import WholeLines, cut_around, name_undecoded
from redline.search.ignore import EXCLUDED_DIRECTORIES
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import encode_once, existing, success
from redline.toolsets.tool import Json

PREVIEW_CHARACTERS = 500
_CUT = " ... [truncated]"
_CUT_BEFORE = "[truncated] ... "
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
    whole = WholeLines(call.runtime.tree)
    lines = [_complete(line, whole.read(line)) for line in found.lines]
    matches = _matches(lines, query.context, preview_bytes)
    return success(
        {
            "query": query.pattern,
            "matches": encode_once(matches),
            "total_matches": found.total,
            "truncated": found.total > len(matches) or found.timed_out,
            "warnings": _warnings(call, found, len(matches)),
            "engine": "rg",
        }
    )


def _complete(line: GrepLine, whole: bytes | None) -> GrepLine:
    """Return *line* with all of its text, and with its column in characters of that."""
    if whole is None:
        return line
    column = line.column
    beyond = column - 1 - len(line.text)
    if beyond > 0:  # counted in bytes from where the line was cut
        shown = len(line.text.encode("utf-8", "surrogateescape"))
        column = len(whole[: shown + beyond].decode("utf-8", "replace")) + 1
    return line._replace(text=whole.decode("utf-8", "replace"), column=column)


def _matches(lines: Sequence[GrepLine], context: int, preview_bytes: int) -> list[Json]:
    """One entry per matching line, with the lines around it where context was asked for."""
    found: list[Json] = []
    for index, line in enumerate(lines):
        if not line.is_match:
            continue
        preview, by = cut_preview(line.text, preview_bytes, line.column - 1)
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


def cut_preview(text: str, most_bytes: int, at: int = 0) -> tuple[str, str | None]:
    """*text* within 500 characters and *most_bytes* bytes, and which of them cut it.

    The beginning is shown unless what is *at* lies behind it.
    """
    most = min(len(text), PREVIEW_CHARACTERS)
    by = "chars" if most < len(text) else None
    shown = _cut(text, most, at)
    while (size := len(shown.encode())) > most_bytes:
        by = "bytes"
        most = min(most - 1, most * most_bytes // size)
        shown = _cut(text, most, at)
    return shown, by


def _cut(text: str, most: int, at: int) -> str:
    """Return at most *most* characters, the marks of what was cut included."""
    if len(text) <= most:
        return text
    room = most - len(_CUT)
    if at < room // 2:
        return text[:room] + _CUT
    start, end = cut_around(text, at, room - len(_CUT_BEFORE))
    return _CUT_BEFORE + text[start:end] + (_CUT if end < len(text) else "")


def _warnings(call: Call, found: GrepResult, returned: int) -> list[str]:
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
    if undecoded := name_undecoded([call.label(path) for path in found.undecoded]):
        warnings.append(f"{undecoded}; read_file takes encoding")
    return warnings
