"""rewrite and rename: changes by syntax and by meaning."""

from __future__ import annotations

from collections.abc import Iterator

from redline.core.text_limits import shorten
from redline.services.code.rename import Renamed, RenameRequest, plan_symbol_rename
from redline.services.code.rewrite import RewriteRequest, Rewritten, plan_rewrite
from redline.services.commit import Planned
from redline.toolsets.agent.answer import access_of, carry_out, globs_of, resolve, tell_waiting
from redline.toolsets.call import Call, Result

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
