"""Plan a case as the tools plan it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from bench.trials.drafts import Case
from redline.adapters.workers.failed_content import FailedContent
from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.code.analysis import IsolatedAnalysis
from redline.code.syntax.languages import language_of
from redline.core.errors import RedlineError
from redline.core.textfile import TextFile
from redline.plan.patch.hunks import place_hunks
from redline.plan.patch.model import UpdateFile
from redline.plan.patch.parse import parse_patch
from redline.plan.replace import TextEdit
from redline.services.text_edits import find_broken_syntax, replace_text
from redline.toolsets.ai_code_editing.instruction import EditRequest
from redline.toolsets.ai_code_editing.planning import plan_edit
from redline.toolsets.ai_code_editing.source import FileUnderEdit

if TYPE_CHECKING:
    from redline.core.ports.search import Regex
    from redline.core.ports.tree import Tree


class _Ports:
    """What planning asks for, without a workspace."""

    def __init__(self) -> None:
        self.confined = IsolatedCalls()
        self.analysis = IsolatedAnalysis(self.confined, FailedContent(os.devnull))
        self.tree = cast("Tree", None)
        self.regex = cast("Regex", None)


_PORTS = _Ports()


def outcome(case: Case) -> bytes | None:
    """The file after the call, or None when it was refused: planned as the tools plan it."""
    file = TextFile(case.content)
    try:
        return file.with_text(PLANS[case.dialect](case, file))
    except RedlineError:
        return None


def plan_edits(name: str, text: str, edits: Sequence[TextEdit]) -> str:
    """The text of a file called *name* after *edits*."""
    return replace_text(_PORTS, name, text, edits)


def is_broken(name: str, before: str, after: str) -> bool:
    """Whether a file called *name* parses before and not after."""
    return find_broken_syntax(_PORTS, name, before, after) is not None


def _plan_text(case: Case, file: TextFile) -> str:
    edits = [TextEdit(e["oldText"], e["newText"]) for e in case.call["edits"]]
    return plan_edits(case.name, file.text, edits)


def _plan_hunks(case: Case, file: TextFile) -> str:
    ((update,), *_) = parse_patch(case.call["patch"])
    assert isinstance(update, UpdateFile)
    return place_hunks(file.text, update.hunks, case.name)[0]


def _plan_lines(case: Case, file: TextFile) -> str:
    request = EditRequest.of(case.call)
    seen = TextFile(case.seen).text if case.seen is not None else None
    return plan_edit(
        FileUnderEdit(file.text, seen, language_of(case.name), _PORTS.analysis), request
    ).text


PLANS: dict[str, Callable[[Case, TextFile], str]] = {
    "edit_file": _plan_text,
    "apply_patch": _plan_hunks,
    "ai_edit": _plan_lines,
}
