"""ai_code_editing.get_code_context: definitions, references, outlines, structure, search."""

from __future__ import annotations

from redline.core.errors import NotFound
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.tree import Kind
from redline.services.code import context as questions
from redline.services.code.fitting import Fitted, Snippet
from redline.services.code.lookup import CodeLookup
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Json


def get_code_context(call: Call) -> Result:
    """Ranked snippets for the question, fitted to max_tokens."""
    question = _question(call)
    lookup = CodeLookup(call.runtime, call.cancel)
    answer = questions.answer_question(lookup, question, call.client.connection)
    message, fitted = answer.message, answer.fitted
    structured: Json = {
        "status": "success",
        "message": message,
        "kind": question.kind,
        "index": lookup.state,
        "snippets": [snippet_json(snippet) for snippet in fitted.snippets],
        "omitted": omitted_json(fitted),
        "tokens": fitted.tokens,
    }
    if lookup.state == "building":
        message += " The index is still being built; this comes from a text search."
        structured["message"] = message
    warnings = [*answer.left_out, *answer.in_other_encodings]
    if warnings:
        message = " ".join((message, *warnings))
        structured |= {"message": message, "warnings": warnings}
    return Result.of_text(render(message, fitted), structured)


def _question(call: Call) -> questions.ContextQuestion:
    arguments = call.arguments
    query, symbol = (arguments.get(key) or "" for key in ("query", "symbol"))
    wanted = (symbol or query).strip()
    file, is_file = _place(call, arguments.get("file"))
    kind = questions.resolve_kind(arguments.get("kind") or "auto", wanted, bool(symbol), is_file)
    room = int(arguments.get("max_tokens") or questions.DEFAULT_TOKENS)
    raw = str(arguments.get("file"))
    return questions.ContextQuestion(kind, file, wanted, room, arguments.get("line"), raw)


def _place(call: Call, raw: str | None) -> tuple[WorkspacePath | None, bool]:
    if not raw:
        return None, False
    path = call.runtime.workspace.resolve(raw, Access.READ, relative_only=True, must_exist=True)
    entry = call.runtime.tree.stat(path)
    if entry is None:
        raise NotFound(raw)
    return path, entry.kind is not Kind.DIRECTORY


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
