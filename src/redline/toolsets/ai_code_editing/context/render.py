"""Code context as text and as JSON."""

from __future__ import annotations

from redline.services.code.fitting import Fitted, Snippet
from redline.toolsets.tool import Json


def snippet_json(snippet: Snippet) -> Json:
    """Return the snippet as JSON, empty fields left out."""
    fields = {
        "path": snippet.path,
        "start_line": snippet.start,
        "end_line": snippet.end,
        "language": snippet.language,
        "symbol": snippet.symbol,
        "kind": snippet.kind,
        "signature": snippet.signature,
        "doc": snippet.doc,
        "file_hash": snippet.file_hash,
        "certainty": snippet.certainty,
        "of": snippet.of,
        "text": snippet.text,
    }
    shown: Json = {key: value for key, value in fields.items() if value != ""}
    if snippet.uses:
        shown["lines"] = list(snippet.uses)
    if snippet.truncated:
        shown["truncated"] = True
    return shown


def omitted_json(fitted: Fitted) -> list[Json]:
    """Return the map of what was left out."""
    entries = [_entry(snippet) for snippet in fitted.omitted]
    if fitted.unlisted:
        files = len({snippet.path for snippet in fitted.unlisted})
        entries.append({"more": len(fitted.unlisted), "files": files})
    return entries


def _entry(snippet: Snippet) -> Json:
    entry: Json = {"path": snippet.path, "start_line": snippet.start, "end_line": snippet.end}
    if snippet.uses:
        entry["lines"] = list(snippet.uses)
    if snippet.symbol:
        entry["symbol"] = snippet.symbol
    return entry


def render(message: str, fitted: Fitted) -> str:
    """Return the answer as text for a model."""
    parts = [message, *(f"\n{snippet.head}\n{snippet.text}" for snippet in fitted.snippets)]
    omitted = omitted_json(fitted)
    if omitted:
        parts.append("\nLeft out (ask for them, or raise max_tokens):")
        parts += [_map_line(entry) for entry in omitted]
    return "\n".join(parts)


def _map_line(entry: Json) -> str:
    if "more" in entry:
        return f"  ... {entry['more']} more in {entry['files']} files"
    return f"  {entry['path']}:{entry['start_line']}-{entry['end_line']} {entry.get('symbol', '')}"
