"""Plan a case as the tools plan it, and judge what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable

from bench.noise.drafts import Case
from redline.adapters.workers.failed_content import FailedContent
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.code.analysis import IsolatedAnalysis
from redline.code.syntax.languages import language_of
from redline.core.errors import RedlineError
from redline.core.textfile import TextFile
from redline.plan.patch.envelope import UpdateFile, parse_patch
from redline.plan.patch.hunks import place_hunks
from redline.plan.replace import TextEdit, replace_all
from redline.toolsets.ai_code_editing.edit.planning import plan_edit
from redline.toolsets.ai_code_editing.edit.request import EditRequest
from redline.toolsets.ai_code_editing.edit.source import FileUnderEdit


def outcome(case: Case) -> bytes | None:
    """The file after the call, or None when it was refused: planned as the tools plan it."""
    file = TextFile(case.content)
    try:
        return file.with_text(PLANS[case.dialect](case, file))
    except RedlineError:
        return None


def _plan_text(case: Case, file: TextFile) -> str:
    edits = [TextEdit(e["oldText"], e["newText"]) for e in case.call["edits"]]
    return replace_all(file.text, edits, None)  # type: ignore[arg-type]


def _plan_hunks(case: Case, file: TextFile) -> str:
    (update,) = parse_patch(case.call["patch"])
    assert isinstance(update, UpdateFile)
    return place_hunks(file.text, update.hunks, case.name)[0]


_ANALYSIS = IsolatedAnalysis(IsolatedCalls(), FailedContent(os.devnull))


def _plan_lines(case: Case, file: TextFile) -> str:
    request = EditRequest.of(case.call)
    seen = TextFile(case.seen).text if case.seen is not None else None
    return plan_edit(
        FileUnderEdit(file.text, seen, language_of(case.name), _ANALYSIS), request
    ).text


PLANS: dict[str, Callable[[Case, TextFile], str]] = {
    "edit_file": _plan_text,
    "apply_patch": _plan_hunks,
    "ai_edit": _plan_lines,
}


def judge(case: Case, after: bytes | None) -> str:
    """exact, refused or wrong."""
    if after is None:
        return "refused"
    if case.verdict == "refuse":
        return "refused" if after == case.content else "wrong"
    if after == case.right:
        return "exact"
    if case.fresh is not None and _same_but_new_ends(case.right, after, case.fresh):
        return "exact"
    return "refused" if after == case.content else "wrong"


def _same_but_new_ends(right: bytes, after: bytes, fresh: range) -> bool:
    """Whether only the ends of lines the edit wrote differ from what was expected."""
    got, want = after.split(b"\n"), right.split(b"\n")
    return len(got) == len(want) and all(
        a == b or (i in fresh and a.rstrip(b"\r") == b.rstrip(b"\r"))
        for i, (a, b) in enumerate(zip(got, want, strict=True))
    )
