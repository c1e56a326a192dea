"""context: definitions, references with their lines, outlines, and the map of a project."""

from __future__ import annotations

from redline.core.errors import NotFound
from redline.core.ports.tree import Kind
from redline.core.text_limits import MAX_SHOWN
from redline.services.code import context as questions
from redline.services.code.fitting import Fitted, Snippet
from redline.services.code.lookup import CodeLookup
from redline.toolsets.agent.answer import number_of, resolve, tell_waiting
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Json

# Kinds of answers whose lines say by themselves where they are from.
_PLAIN = ("outline", "references")


def context(call: Call) -> Result:
    """Return ranked snippets for the question, fitted to max_tokens."""
    question = _question(call)
    lookup = CodeLookup(call.runtime, call.cancel)
    answer = questions.answer_question(lookup, question, call.client.connection)
    fitted, notes = answer.fitted, answer.left_out
    if lookup.state == "building":
        notes = [*notes, f"{lookup.describe_building()}; this comes from a text search."]
    notes = [*notes, *answer.in_other_encodings]
    structured: Json = {
        "kind": question.kind,
        "message": answer.message,
        "snippets": [_wire(snippet) for snippet in fitted.snippets],
        "omitted": [_wire(snippet) for snippet in fitted.omitted],
        "notes": notes,
    }
    lines = _lines(answer.message, notes, fitted, is_plain=question.kind in _PLAIN)
    return Result.of_text("\n".join(lines), structured)


def _question(call: Call) -> questions.ContextQuestion:
    given = call.arguments
    query, symbol = (given.get(key) or "" for key in ("query", "symbol"))
    wanted = (symbol or query).strip()
    raw = given.get("path")
    file = resolve(call, raw, exists=True) if raw else None
    entry = call.runtime.tree.stat(file) if file is not None else None
    if file is not None and entry is None:
        raise NotFound(str(raw))
    is_file = entry is not None and entry.kind is not Kind.DIRECTORY
    kind = questions.resolve_kind(given.get("kind") or "auto", wanted, bool(symbol), is_file)
    room = number_of(call, "max_tokens", questions.DEFAULT_TOKENS, 100, MAX_SHOWN // 4)
    return questions.ContextQuestion(
        kind,
        file,
        wanted,
        room,
        given.get("line"),
        str(raw),
        is_brief=True,
        is_precise=bool(given.get("precise")),
        waiting=tell_waiting(call),
    )


def _wire(snippet: Snippet) -> Json:
    fields: Json = {
        "path": snippet.path,
        "start_line": snippet.start,
        "end_line": snippet.end,
        "lines": list(snippet.uses),
        "symbol": snippet.symbol,
        "kind": snippet.kind,
        "certainty": snippet.certainty,
        "of": snippet.of,
        "text": snippet.text,
    }
    return {key: value for key, value in fields.items() if value not in ("", [])}


def _lines(message: str, notes: list[str], fitted: Fitted, *, is_plain: bool) -> list[str]:
    lines = [message, *(f"note: {note}" for note in notes)]
    if is_plain:
        lines += [snippet.text for snippet in fitted.snippets]
    else:
        lines += [f"{snippet.head}\n{snippet.text}" for snippet in fitted.snippets]
    if fitted.omitted or fitted.unlisted:
        lines.append("left out (raise max_tokens, or read them):")
        lines += [snippet.head for snippet in fitted.omitted]
    if fitted.unlisted:
        files = len({snippet.path for snippet in fitted.unlisted})
        lines.append(f"... {len(fitted.unlisted)} more in {files} files")
    return lines
