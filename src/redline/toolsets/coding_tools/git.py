"""git_status and git_diff; outside a repository the diff is what Redline itself changed."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import Absent, Change, FileState, Rename, State
from redline.core.encodings.opening import open_text
from redline.core.errors import RedlineError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.git import GitFileDiff, GitStatus
from redline.core.ports.history import HistoryQuery, Operation
from redline.core.ports.tree import Kind
from redline.core.records import replace
from redline.core.textfile import encode
from redline.services.text_lines import cut_head
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import (
    diff_of_states,
    existing,
    shown,
    success,
    unescape_path,
)
from redline.toolsets.tool import Json

_TOP = WorkspacePath(0, ())


def git_status(call: Call) -> Result:
    """Return the state of the work tree; outside a repository say so instead of failing."""
    arguments = call.arguments
    at = existing(call, arguments.get("path") or ".")
    entry = call.runtime.tree.stat(at)
    if entry is not None and entry.kind is not Kind.DIRECTORY:
        at = at.parent
    status = call.runtime.git.status(at, untracked=arguments.get("include_untracked", True))
    if status is None:
        return success({"is_repo": False, "clean": True, "entries": [], "truncated": False})
    return success(_status_fields(status, arguments.get("max_entries", 1000)))


def _status_fields(status: GitStatus, most: int) -> Json:
    entries = [
        {
            "path": show_name(entry.path),
            "original_path": show_name(entry.original) if entry.original else None,
            "index_status": entry.index,
            "worktree_status": entry.worktree,
        }
        for entry in status.entries[:most]
    ]
    return {
        "is_repo": True,
        "branch": show_name(status.branch),
        "head": status.head,
        "upstream": show_name(status.upstream),
        "ahead": status.ahead,
        "behind": status.behind,
        "detached": status.detached,
        "clean": not status.entries,
        "entries": entries,
        "truncated": len(status.entries) > most,
    }


def git_diff(call: Call) -> Result:
    """Return what changed, as a unified diff cut at whole lines."""
    arguments = call.arguments
    paths = [_filter(call, raw) for raw in _resolve_named(arguments)]
    limit = arguments.get("max_bytes", 262144)
    files: list[GitFileDiff] = []
    for staged in (False, True):
        if not arguments.get("staged" if staged else "unstaged", not staged):
            continue
        found = call.runtime.git.diff(
            _TOP,
            staged=staged,
            context=arguments.get("context_lines", 3),
            paths=paths,
            limit=limit,
        )
        if found is None:
            return _fallback(call, paths, limit)
        files += [replace(file, text=open_text(file.text).view) for file in found]
    return _diff_answer(files, limit, [])


def _resolve_named(arguments: Json) -> list[str]:
    one = arguments.get("path")
    return [*([one] if one else []), *arguments.get("paths", [])]


def _filter(call: Call, raw: str) -> WorkspacePath:
    """Return a path to filter by; it need not exist any more."""
    return call.runtime.workspace.resolve(
        unescape_path(raw), Access.READ, relative_only=True, follow=False
    )


def _fallback(call: Call, paths: Sequence[WorkspacePath], limit: int) -> Result:
    files = _own_changes(call, paths, call.arguments.get("context_lines", 3))
    return _diff_answer(files, limit, ["non-git diff fallback"])


def _diff_answer(files: Sequence[GitFileDiff], limit: int, warnings: list[str]) -> Result:
    cut = cut_head(b"".join(file.text for file in files), limit)
    shown: list[Json] = []
    left = len(cut.content)
    for file in files:
        if left <= 0:
            break
        left -= len(file.text)
        fields: Json = {
            "path": show_name(file.path),
            "status": file.status,
            "binary": file.binary,
        }
        if file.old_path is not None:
            fields["old_path"] = show_name(file.old_path)
        if fields not in shown:
            shown.append(fields)
    if cut.by:
        warnings = [*warnings, "diff truncated; filter by paths or raise max_bytes"]
    return success(
        {
            "diff": cut.content.decode("utf-8", "replace"),
            "files": shown,
            "truncated": cut.by is not None,
            "truncated_by": cut.by,
            "output_lines": cut.content.count(b"\n") + 1 if cut.content else 0,
            "output_bytes": len(cut.content),
            "warnings": warnings,
        }
    )


_PAGE = 200
_MAX_OPERATIONS = 5000


def _own_changes(call: Call, paths: Sequence[WorkspacePath], context: int) -> list[GitFileDiff]:
    """Return each file that is not what it was before the first change of this process."""
    files = []
    for path, before in sorted(_first_states(call).items()):
        if paths and not any(path.is_beneath(wanted) for wanted in paths):
            continue
        try:
            after = call.runtime.tree.state(path)
        except RedlineError:
            continue
        found = _file_diff(path, before, after, context)
        if found is not None:
            files.append(found)
    return files


def _first_states(call: Call) -> dict[WorkspacePath, State]:
    """Return the state of each changed file before anything was done to it."""
    first: dict[WorkspacePath, State] = {}
    for operation in reversed(_operations(call)):
        for step in call.runtime.history.get(operation.id).change_set.steps:
            if isinstance(step, Rename):
                first.setdefault(step.target, Absent())
                if step.source not in first:
                    first[step.source] = call.runtime.tree.state(step.target)
            elif isinstance(step, Change) and _is_file(step):
                first.setdefault(step.path, step.before)
    return first


def _is_file(step: Change) -> bool:
    return isinstance(step.before, FileState) or isinstance(step.after, FileState)


def _operations(call: Call) -> list[Operation]:
    """This process's operations, newest first."""
    found: list[Operation] = []
    query = HistoryQuery(since=call.runtime.started, limit=_PAGE, steps=0)
    while len(found) < _MAX_OPERATIONS:
        page = call.runtime.history.list(query)
        found += page
        if len(page) < _PAGE:
            break
        query = query._replace(before_id=page[-1].id)
    return found


def _file_diff(
    path: WorkspacePath, before: State, after: State, context: int
) -> GitFileDiff | None:
    was_file, is_file = isinstance(before, FileState), isinstance(after, FileState)
    status = "modified" if was_file and is_file else "added" if is_file else "deleted"
    name = shown(path)
    text = diff_of_states(name, before, after, context=context)
    if not text and was_file == is_file:
        return None
    head = f"diff --git a/{name} b/{name}\n"
    return GitFileDiff(path.relative, status, False, encode(head + text))
