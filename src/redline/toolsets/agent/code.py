"""context, rewrite and rename: questions about code, and changes by its syntax and meaning."""

from __future__ import annotations

from collections.abc import Iterator

from redline.core.errors import NotFound
from redline.core.ports.tree import Kind
from redline.core.text_limits import MAX_SHOWN, shorten
from redline.services.code import context as questions
from redline.services.code.fitting import Fitted, Snippet
from redline.services.code.lookup import CodeLookup
from redline.services.code.rename import Renamed, RenameRequest, plan_symbol_rename
from redline.services.code.rewrite import RewriteRequest, Rewritten, plan_rewrite
from redline.services.commit import Planned
from redline.toolsets.agent.answer import (
    access_of,
    carry_out,
    globs_of,
    number_of,
    resolve,
    tell_waiting,
)
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Json

_MAX_LISTED = 150
_MAX_CHARS = 200
_MAX_NAMED = 20


def rewrite(call: Call) -> Result:
    """Replace what a pattern matches; without `rewrite`, list it."""
    given = call.arguments
    top = resolve(call, given.get("path") or ".", exists=True)
    request = RewriteRequest(
        given.get("pattern") or "",
        given.get("rewrite"),
        given.get("language") or "",
        tuple(globs_of(call)),
        given.get("rule"),
        given.get("where"),
    )

    def find() -> Rewritten:
        return plan_rewrite(call.runtime, top, request, access_of(call), call.cancel)

    def plan() -> Planned[None]:
        done = find()
        return Planned(done.change_set, None, (_count(len(done.found)), *done.notes))

    if request.fix is None:
        return _list(call, find())
    return carry_out(call, plan, f"rewrite {shorten(request.pattern, 80)}")


def _count(places: int) -> str:
    return f"{places} place{'' if places == 1 else 's'}"


def _list(call: Call, found: Rewritten) -> Result:
    label = call.label
    places = [
        {"path": label(each.path), "line": each.line, "text": shorten(each.text, _MAX_CHARS)}
        for each in found.found[:_MAX_LISTED]
    ]
    lines = [f"{each['path']}:{each['line']}:{each['text']}" for each in places]
    notes = list(found.notes)
    if len(found.found) > len(places):
        notes.append(f"{len(found.found)} places, the first {len(places)} are listed")
    lines += [f"note: {note}" for note in notes]
    structured = {
        "id": None,
        "dry_run": True,
        "files": [],
        "diff": "",
        "notes": notes,
        "matches": places,
    }
    return Result.of_text("\n".join(lines) or "(no match)", structured)


def rename(call: Call) -> Result:
    """Rename a symbol and all that is bound to it."""
    given = call.arguments
    request = RenameRequest(
        given["symbol"],
        given["to"],
        resolve(call, given["path"], exists=True) if given.get("path") else None,
        given.get("line"),
        given.get("possible"),
    )

    def plan() -> Planned[None]:
        done = plan_symbol_rename(
            call.runtime, request, access_of(call), call.cancel, tell_waiting(call)
        )
        return Planned(done.change_set, None, tuple(_notes(done)))

    return carry_out(call, plan, f"rename {request.symbol} to {request.new_name}")


def _notes(done: Renamed) -> Iterator[str]:
    yield _count(done.count)
    if done.possible:
        left = len(done.possible) - _MAX_NAMED
        more = f" and {left} more" if left > 0 else ""
        yield f"possible references, not renamed: {', '.join(done.possible[:_MAX_NAMED])}{more}"
    if done.assumed:
        named = ", ".join(done.assumed[:_MAX_NAMED])
        yield f"of unknown type, renamed as nothing else has this member: {named}"
    if done.left_out:
        yield f"left out, as the parser failed: {', '.join(done.left_out[:_MAX_NAMED])}"


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
