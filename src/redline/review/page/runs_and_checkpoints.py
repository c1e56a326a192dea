"""Runs of commands, checkpoints, comments, export, and signing in."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.errors import NotFound, RedlineError
from redline.core.ports.commands import CommandRun
from redline.core.ports.history import Operation
from redline.core.ports.pages import ReviewComment
from redline.review.page.layout import Viewer, heading
from redline.review.page.markup import Html, address, facts, hidden, join, link, tag
from redline.review.page.timeline import run_badge
from redline.review.page.times import clock, iso, long_time
from redline.services.runtime import Runtime

_MAX_SHOWN = 200


def run_view(runtime: Runtime, run: CommandRun) -> Html:
    """Return one run: the whole command, how it ended, and what held it."""
    rows: list[tuple[str, object]] = [
        ("Ended", run_badge(run)),
        ("Seconds", f"{run.elapsed:.2f}" if run.elapsed else ""),
        ("Directory", tag("code", run.cwd)),
        ("When", tag("time", long_time(run.time), datetime=iso(run.time))),
        ("Tool", run.tool),
        ("Client", run.client),
        ("Person", run.principal),
        ("Session", run.session and link(address("/", session=run.session), run.session)),
        ("Change", link(address(f"/change/{run.change}"), run.change) if run.change else ""),
        ("Sandbox", run.sandbox),
        ("Ran on", "a copy of the workspace" if run.is_dry else ""),
    ]
    return join(
        heading("Command"),
        tag("pre", runtime.mask_for_person(run.line), class_="plain command", tabindex="0",
            aria_label="Command"),
        facts(rows),
        tag("pre", runtime.mask_for_person(run.output, is_output=True), class_="plain",
            tabindex="0", aria_label="What it printed") if run.output else None,
    )  # fmt: skip


def checkpoints_view(runtime: Runtime, viewer: Viewer) -> Html:
    """Return the points to go back to, newest first, and a form that makes one."""
    marks = [mark for mark in runtime.history.marks() if mark.kind == "checkpoint"]
    form = None
    if viewer.can_act:
        form = viewer.form(
            "/checkpoint",
            tag("label", tag("span", "Name"),
                tag("input", name="name", required=True, maxlength="100")),
            tag("button", "Make a checkpoint"),
            class_="inline",
        )  # fmt: skip
    return join(
        heading("Checkpoints", form),
        tag("ol", [_checkpoint(mark, viewer) for mark in marks[:_MAX_SHOWN]], class_="timeline")
        if marks
        else tag("p", "No checkpoint has been made yet.", class_="empty"),
    )


def _checkpoint(mark: Operation, viewer: Viewer) -> Html:
    back = None
    if viewer.can_act:
        back = viewer.form(
            "/rewind", hidden("to", mark.id), tag("button", "Go back to here", class_="quiet",
            aria_label=f"Go back to {mark.origin.summary}"),
        )  # fmt: skip
    return tag(
        "li",
        tag("time", clock(mark.time), datetime=iso(mark.time), title=long_time(mark.time)),
        tag("span", mark.origin.client or mark.origin.tool, class_="tool"),
        tag("span", link(address(f"/change/{mark.id}"), mark.origin.summary, class_="files"),
            class_="what"),
        back,
        class_="op checkpoint",
    )  # fmt: skip


def comments_view(viewer: Viewer, comments: Sequence[ReviewComment]) -> Html:
    """Return every comment, open ones first, newest first."""
    ordered = sorted(comments, key=lambda each: (bool(each.resolved_by), -each.time))
    items = [
        tag(
            "li",
            tag(
                "p",
                link(
                    address(f"/change/{each.operation}") + f"#c-{each.id}",
                    f"{each.path}:{each.line}",
                ),
                tag("code", viewer.mask(each.quote, each.path)),
                class_="where",
            ),
            comment_box(each, viewer),
        )
        for each in ordered
    ]
    empty = "No comment yet: open a change and click the number of a line."
    return join(
        heading("Comments"),
        tag("ol", items, class_="comments") if items else tag("p", empty, class_="empty"),
    )


def comment_box(comment: ReviewComment, viewer: Viewer) -> Html:
    """Return a comment with its state, and a button that resolves it."""
    if comment.resolved_by:
        state = f"resolved by {comment.resolved_by}"
    else:
        state = "delivered" if comment.is_delivered else "not yet seen by the agent"
    resolve = None
    if viewer.can_act and not comment.resolved_by:
        resolve = viewer.form(
            "/resolve", hidden("id", comment.id), hidden("operation", comment.operation),
            tag("button", "Resolve", class_="quiet", aria_label=f"Resolve comment {comment.id}"),
        )  # fmt: skip
    return tag(
        "div",
        tag(
            "p",
            tag("b", comment.author or "You"), " ",
            tag("time", long_time(comment.time), datetime=iso(comment.time)), " ",
            tag("span", state, class_="state-of"),
            class_="by",
        ),
        tag("p", viewer.mask(comment.text), class_="says"),
        tag("p", tag("b", comment.resolved_by), " ", viewer.mask(comment.answer),
            class_="says answer")
        if comment.answer
        else None,
        resolve,
        class_="comment resolved" if comment.resolved_by else "comment",
        id=f"c-{comment.id}",
    )  # fmt: skip


def comment_form(viewer: Viewer, operation: str, step: int, side: str, line: int) -> Html:
    """Return the form for a comment on a line."""
    return viewer.form(
        "/comment",
        hidden("id", operation),
        hidden("step", step),
        hidden("side", side),
        tag("label", tag("span", "Line"),
            tag("input", name="line", value=line, inputmode="numeric", size="5")),
        tag("label", tag("span", "Comment"),
            tag("textarea", name="text", rows="3", required=True, maxlength="4000")),
        tag("div", tag("button", "Comment"),
            tag("span", "The agent sees this with its next tool result", class_="hint"),
            class_="actions"),
        class_="comment write",
        id="c-new",
    )  # fmt: skip


def export_view(viewer: Viewer, operations: Sequence[Operation], *, has_git: bool) -> Html:
    """Return the form that hands changes on as a patch or a commit."""
    boxes = [
        tag(
            "li",
            tag(
                "label",
                tag("input", type="checkbox", name="id", value=each.id, checked=True),
                tag("code", each.id), " ", tag("span", each.origin.tool, class_="tool"), " ",
                each.origin.summary,
            ),
        )
        for each in operations
    ]  # fmt: skip
    asked = next((each.origin.summary for each in operations if each.origin.summary), "")
    commit = (
        tag("label", tag("span", "Message"), tag("input", name="message", value=asked, size="50")),
        tag("button", "Commit to git", name="how", value="commit"),
        tag("span", "on top of HEAD; index and work tree stay as they are", class_="hint"),
    )
    return join(
        heading("Export"),
        viewer.form(
            "/export",
            tag("ol", boxes, class_="boxes"),
            tag(
                "div", tag("button", "Download patch", name="how", value="patch"), class_="actions"
            ),
            tag("div", commit, class_="actions") if has_git else None,
        ),
    )


def sign_in_view(*, was_wrong: bool) -> Html:
    """Return the form that takes a key."""
    return join(
        tag("p", "This page needs JavaScript.", class_="error", id="needs-script"),
        heading("Sign in"),
        tag("p", "This key is not valid, or it was used before.", class_="error", role="alert")
        if was_wrong
        else None,
        tag(
            "p",
            "Open the address that ", tag("code", "redline review"), " or ",
            tag("code", "redline serve"), " printed, or paste the key behind its ",
            tag("code", "#key="), " here. A key is valid once. Where the server knows people,"
            " sign in with your own token for this page.",
            class_="prose",
        ),
        tag(
            "form",
            tag("label", tag("span", "Key"),
                tag("input", name="key", type="password", required=True, autocomplete="off",
                    id="key")),
            tag("button", "Sign in"),
            method="post", action="/sign-in", class_="inline", id="sign-in", hidden=True,
        ),
    )  # fmt: skip


def error_view(failure: RedlineError) -> Html:
    """Return what went wrong, and what to do."""
    message, hint = failure.message, failure.hint
    is_absent = isinstance(failure, NotFound)
    return join(
        heading("There is nothing here" if is_absent else "This cannot be done"),
        tag("p", message, class_="lead error", role="alert"),
        tag("p", hint) if hint else None,
        tag("p", link("/", "Back to the activity")),
    )
