"""What the tools of this toolset share: paths in and out, diffs, and the envelope of an answer.

The envelope is structuredContent with `ok`, mirrored as JSON in the first text item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from redline.core.changes import FileState, State
from redline.core.diff import diff_of_files
from redline.core.encodings.opening import open_versions
from redline.core.errors import InvalidArgument, PathError
from redline.core.paths import Access, WorkspacePath, read_name, show_name
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Json


def success(fields: Json, blocks: Sequence[Json] = ()) -> Result:
    """Return an answer that is ok; *blocks* go before the text mirror."""
    return _envelope({"ok": True, **fields}, blocks, is_error=False)


def encode_once(items: Sequence[Any]) -> Any:
    """Encode a long list once, although the answer holds it twice."""
    try:
        return raw_json(orjson.dumps(items))
    except (TypeError, ValueError):
        return items


def raw_json(text: bytes | str) -> Any:
    """Return a value that is JSON already."""
    return orjson.Fragment(text)


def failure(
    code: str,
    message: str,
    category: str,
    *,
    retryable: bool = False,
    details: Mapping[str, Any] | None = None,
    **siblings: Any,
) -> Result:
    """Return an answer that is not ok; *siblings* are put beside `error`."""
    error = {
        "code": code,
        "message": _whole(message),
        "category": category,
        "retryable": retryable,
        "details": dict(details or {}),
    }
    return _envelope({"ok": False, **siblings, "error": error}, (), is_error=True)


def _envelope(structured: Json, blocks: Sequence[Json], *, is_error: bool) -> Result:
    try:
        text = orjson.dumps(structured).decode()
    except (TypeError, ValueError):
        structured = _presentable(structured)
        text = orjson.dumps(structured, default=str).decode()
    return Result([*blocks, {"type": "text", "text": text}], structured, is_error)


def _presentable(value: Any) -> Any:
    """*value* with text that no JSON can hold made whole."""
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, Mapping):
        return {_whole(str(key)): _presentable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_presentable(item) for item in value]
    return value


def _whole(text: str) -> str:
    """*text* with undecodable bytes shown as \\xNN."""
    return text if text.isascii() else show_name(text)


def existing(call: Call, raw: str) -> WorkspacePath:
    """Return the place *raw* names for reading; links are followed as long as they stay inside."""
    return call.runtime.workspace.resolve(
        unescape_path(raw), Access.READ, relative_only=True, must_exist=True
    )


def writable(call: Call, raw: str) -> WorkspacePath:
    """Return the place *raw* names for writing, itself and not what it links to.

    An absolute path is taken where it lies in the workspace.
    """
    path = _from_workspace(call, unescape_path(raw))
    return call.runtime.workspace.resolve(path, Access.WRITE, relative_only=True, follow=False)


def _from_workspace(call: Call, path: str) -> str:
    """*path* relative to the workspace if it is absolute and lies there, else *path*."""
    workspace = call.runtime.workspace
    if not path.startswith("/") or not workspace.roots:
        return path
    root = workspace.roots[0].path.rstrip("/") + "/"
    if path.startswith(root):
        return path.removeprefix(root) or path
    if ".." in path.split("/"):
        return path
    try:
        # The workspace may be reached by a link as well.
        place = workspace.resolve(path, Access.READ, follow=False)
    except PathError:
        return path
    return place.relative if place.root == 0 else path


def unescape_path(raw: str) -> str:
    """*raw* with escaped bytes as names carry them; an empty or NUL-holding one is refused."""
    if not raw or "\0" in raw:
        raise InvalidArgument("A path cannot be empty or contain a NUL byte", field="path")
    return read_name(raw)


def shown(path: WorkspacePath) -> str:
    """Return the path as answers give it; `unescape_path` takes it back."""
    return show_name(path.relative)


def diff_of_states(
    name: str, before: State, after: State, encoding: str | None = None, context: int = 3
) -> str:
    """Return the diff of a file; what is not a file has no content."""
    old, new = (
        state.content or b"" if isinstance(state, FileState) else None for state in (before, after)
    )
    was, becomes = open_versions(old or b"", new or b"", encoding if old and new else None)
    return diff_of_files(
        was.view,
        becomes.view,
        "/dev/null" if old is None else f"a/{name}",
        "/dev/null" if new is None else f"b/{name}",
        context,
    )
