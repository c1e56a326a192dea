"""What a person can do: one function for each form."""

from __future__ import annotations

from redline.core.access.rights import Right
from redline.core.errors import GuardedWrite, InvalidArgument, UndoBlocked
from redline.core.ports.history import Author, Direction, Operation
from redline.core.ports.pages import WebResponse
from redline.core.ports.review import HeldState
from redline.review.comments import add_comment, comment_on_session
from redline.review.held import approve_held, refuse_held, show_held
from redline.review.page import operations
from redline.review.page.decisions.held import check_shown, read_edits, read_held_files
from redline.review.page.layout import redirect
from redline.review.page.markup import address
from redline.review.page.operations import UndoSelection, origin_for
from redline.review.page.reading import patch_response
from redline.review.page.visit import Visit
from redline.services.history.export import SESSION, commit_to_git, load_in_order, read_session
from redline.services.history.references import find_operation
from redline.services.history.revert import Wish, revert
from redline.services.questions import answer_question


def undo(visit: Visit) -> WebResponse:
    """Take a selection back; where that is blocked, show why and what can be done."""
    selection = UndoSelection.read(visit.form)
    if selection.allows_guarded:
        visit.require(Right.APPROVE)
    try:
        done = operations.undo(visit.runtime, selection, visit.reviewer.name, visit.only_of)
    except UndoBlocked as blocked:
        content = operations.blocked_view(visit.runtime, visit.viewer, selection, blocked)
        return visit.show("Undo blocked", "blocked", content, status=409)
    except GuardedWrite as refused:
        content = operations.guarded_view(visit.viewer, selection, refused)
        return visit.show("Guarded files", "blocked", content, status=409)
    return _show_done(visit, done, visit.field("back") or selection.id)


def _show_done(visit: Visit, done: Operation, ident: str) -> WebResponse:
    """Go back to where the form was, which then says what was done."""
    visit.site.loaded.clear()
    where = "/"
    if ident.startswith(f"{SESSION}/"):
        where = f"/{ident}"
    elif ident:
        where = f"/change/{find_operation(visit.runtime.history, ident)}"
    return redirect(address(where, done=done.id))


def redo(visit: Visit) -> WebResponse:
    """Do a change again."""
    ident = visit.field("id")
    done = operations.redo(visit.runtime, ident, visit.reviewer.name, visit.only_of)
    return _show_done(visit, done, ident)


def merge(visit: Visit) -> WebResponse:
    """Take a selection back in the way the person chose."""
    selection = UndoSelection.read(visit.form)
    choice = visit.field("choice")
    done = operations.merge(visit.runtime, selection, choice, visit.reviewer.name, visit.only_of)
    return _show_done(visit, done, visit.field("back") or selection.id)


def rewind(visit: Visit) -> WebResponse:
    """Go back to a checkpoint."""
    wish = Wish(Direction.UNDO, to=visit.field("to"), by=Author(), only_of=visit.only_of)
    origin = origin_for("undo", wish.summary, visit.reviewer.name)
    return _show_done(visit, revert(visit.runtime, wish, origin), "")


def checkpoint(visit: Visit) -> WebResponse:
    """Name this moment."""
    done = operations.checkpoint(visit.runtime, visit.field("name"), visit.reviewer.name)
    return redirect(address("/checkpoints", done=done.id))


def comment(visit: Visit) -> WebResponse:
    """Comment on a line."""
    ident, step, line = visit.field("id"), visit.field("step"), visit.field("line")
    if not (step.isdigit() and line.isdigit()):
        raise InvalidArgument("A comment is on a line", field="line")
    where = int(step), visit.field("side"), int(line)
    text = visit.field("text").replace("\r\n", "\n")
    runtime = visit.runtime
    if ident.startswith(f"{SESSION}/"):
        session = read_session(runtime, ident.removeprefix(f"{SESSION}/"))
        made = comment_on_session(runtime, session, where, text, visit.name)
        place = f"/{ident}"
    else:
        made = add_comment(runtime, runtime.comments, ident, where, text, visit.name)
        place = f"/change/{made.operation}"
    visit.site.loaded.clear()
    return redirect(address(place) + f"#c-{made.id}")


def resolve(visit: Visit) -> WebResponse:
    """Resolve a comment."""
    found = visit.runtime.comments.resolve(visit.field("id"), visit.name, visit.field("answer"))
    visit.site.loaded.clear()
    return redirect(address(f"/change/{found.operation}") + f"#c-{found.id}")


def export(visit: Visit) -> WebResponse:
    """Hand changes on."""
    runtime = visit.runtime
    idents = []
    for each in visit.form.get("id", ()):
        idents += visit.operations_of(each)
    if not idents:
        raise InvalidArgument("No change is selected", field="id")
    operations = load_in_order(runtime, idents)
    if visit.field("how") != "commit":
        return patch_response(visit, operations)
    message = visit.field("message").strip() or f"Apply change {idents[0]}"
    made = commit_to_git(runtime, visit.site.open_committer(), operations, message)
    return redirect(f"{address('/export', commit=made)}&" + "&".join(f"id={i}" for i in idents))


def approve(visit: Visit, ident: str) -> WebResponse:
    """Carry a held change out, with the person's edits if there are any."""
    view = show_held(visit.runtime, ident)
    edited = {}
    if visit.field("edited"):
        edited = read_edits(view, {name: values[0] for name, values in visit.form.items()})
    shown = None
    if view.state is HeldState.WAITING:
        shown = check_shown(view, read_held_files(visit.runtime, view.change), visit.form)
    done = approve_held(visit.runtime, ident, visit.name, edited or None, shown)
    return _show_done(visit, done, done.id)


def refuse(visit: Visit, ident: str) -> WebResponse:
    """Refuse a held change; the agent gets the reason."""
    refuse_held(visit.runtime, ident, visit.name, visit.field("reason").strip())
    return redirect(address("/held"))


def allow(visit: Visit, ident: str) -> WebResponse:
    """Allow a command, once."""
    answer_question(visit.runtime, ident, visit.name, is_allowed=True)
    return redirect(address("/held"))


def deny(visit: Visit, ident: str) -> WebResponse:
    """Deny a command; the agent gets the reason."""
    reason = visit.field("reason").strip()
    answer_question(visit.runtime, ident, visit.name, is_allowed=False, reason=reason)
    return redirect(address("/held"))
