"""rewrite and rename: changes by syntax and by meaning."""

from __future__ import annotations

from collections.abc import Iterator

from redline.core.changes import ChangeSet
from redline.core.text_limits import shorten
from redline.services.code.rename import Renamed, RenameRequest, plan_symbol_rename
from redline.services.code.rewrite import RewriteRequest, Rewritten, plan_rewrite
from redline.toolsets.agent.answer import access_of, carry_out, globs_of, resolve
from redline.toolsets.call import Call, Result

_MAX_LISTED = 200
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
    latest: list[Rewritten] = []

    def plan() -> ChangeSet:
        latest[:] = [plan_rewrite(call.runtime, top, request, access_of(call), call.cancel)]
        return latest[0].change_set

    if request.fix is None:
        plan()
        return _list(call, latest[0])

    def notes() -> list[str]:
        return [_count(len(latest[0].found)), *latest[0].notes]

    return carry_out(call, plan, f"rewrite {shorten(request.pattern, 80)}", notes)


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
    latest: list[Renamed] = []

    def waiting(text: str) -> None:
        call.progress(0, None, text)

    def plan() -> ChangeSet:
        latest[:] = [
            plan_symbol_rename(call.runtime, request, access_of(call), call.cancel, waiting)
        ]
        return latest[0].change_set

    def notes() -> Iterator[str]:
        done = latest[0]
        yield _count(done.count)
        if done.possible:
            more = (
                f" and {len(done.possible) - _MAX_NAMED} more"
                if len(done.possible) > _MAX_NAMED
                else ""
            )
            yield f"possible references, not renamed: {', '.join(done.possible[:_MAX_NAMED])}{more}"
        if done.left_out:
            yield f"left out, as the parser failed: {', '.join(done.left_out[:_MAX_NAMED])}"

    return carry_out(call, plan, f"rename {request.symbol} to {request.new_name}", notes)
