"""Questions about commands: shown whole, allowed or denied."""

from __future__ import annotations

from time import time

from redline.core.ports.review import HeldState, PermissionQuestion
from redline.core.text_limits import shorten
from redline.review.held import list_questions
from redline.review.page.layout import Viewer, heading
from redline.review.page.markup import Html, address, facts, join, link, tag
from redline.review.page.times import clock, iso, long_time
from redline.services.runtime import Runtime

_MAX_DECIDED = 20
_MAX_NAME = 100


def waiting_questions(runtime: Runtime, viewer: Viewer) -> Html | None:
    """Return the questions that wait, each with its decision; None where none does."""
    found = list_questions(runtime)
    if not found:
        return None
    cards = [
        _card(viewer, each, f"Question {at} of {len(found)}: ") for at, each in enumerate(found, 1)
    ]
    return join(tag("h2", "Permission requests", class_="lead"), cards)


def decided_questions(runtime: Runtime) -> list[Html]:
    """Return rows of the questions that were decided or have expired, newest first."""
    now = time()
    every = [
        each
        for each in reversed(list_questions(runtime, decided=True))
        if each.state(now) is not HeldState.WAITING
    ]
    return [_row(runtime, each, each.state(now)) for each in every[:_MAX_DECIDED]]


def question_view(viewer: Viewer, question: PermissionQuestion) -> Html:
    """Return one question."""
    return join(heading("A command asks"), _card(viewer, question))


def _row(runtime: Runtime, question: PermissionQuestion, state: HeldState) -> Html:
    asked, _, described = runtime.mask_for_person(question.message).partition("\n")
    shown = {HeldState.APPROVED: "allowed", HeldState.REFUSED: "denied"}.get(state, state.value)
    first = _command_of(described)
    return tag(
        "li",
        tag("time", clock(question.time), datetime=iso(question.time),
            title=long_time(question.time)),
        tag("span", question.tool, class_="tool"),
        tag(
            "span",
            link(address(f"/question/{question.id}"), tag("code", first or asked), class_="files"),
            tag("span", question.client, class_="why"),
            class_="what",
        ),
        tag("span", shown, class_="flag"),
        class_="op",
    )  # fmt: skip


def _card(viewer: Viewer, question: PermissionQuestion, place: str = "") -> Html:
    """Return a question; *place* tells it by ear from another about the same command."""
    asked, _, described = viewer.mask(question.message).partition("\n")
    rows = (
        ("Since", long_time(question.time)),
        ("Expires", long_time(question.expires)),
        ("Client", question.client),
        ("Person", question.principal),
        ("Session", question.session),
    )
    return tag(
        "section",
        tag("div", tag("h2", asked, class_="name"), class_="file-head"),
        tag("pre", described, class_="asked", tabindex="0", aria_label="What would run"),
        facts(rows),
        _decision(viewer, question),
        class_="file question",
        id=f"q-{question.id}",
        aria_label=f"{place}{asked} {shorten(_command_of(described), _MAX_NAME)}",
    )


def _command_of(described: str) -> str:
    """Return the line of a description that has the command."""
    return described.partition("\n")[0]


def _decision(viewer: Viewer, question: PermissionQuestion) -> Html | None:
    decided, state = question.decision, question.state(time())
    if decided is not None:
        what = "allowed" if decided.state is HeldState.APPROVED else "denied"
        said = f"{what} by {decided.by}, {long_time(decided.time)}"
        return tag("p", said, f": {decided.reason}" if decided.reason else None, class_="message")
    if state is not HeldState.WAITING:
        return tag("p", "This question has expired.", class_="message")
    if not viewer.can_decide:
        return tag("p", "Sign in to decide.", class_="hint")
    where = f"/question/{question.id}"
    return tag(
        "div",
        viewer.form(f"{where}/allow", tag("button", "Allow once", class_="primary")),
        reason_form(viewer, f"{where}/deny", "Deny"),
        class_="actions bar-actions",
    )  # fmt: skip


def reason_form(viewer: Viewer, where: str, says: str) -> Html:
    """Return a form that says no, with a reason for the agent."""
    reason = tag("input", name="reason", size="40", maxlength="2000")
    label = tag("label", tag("span", "Reason"), reason)
    return viewer.form(where, label, tag("button", says), class_="inline")
