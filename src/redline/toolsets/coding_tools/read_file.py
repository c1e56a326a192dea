"""read_file: text by lines, cut at whole lines, with what is needed to go on.

Text in another encoding is shown, counted and cut as UTF-8.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from redline.core.changes import digest_of
from redline.core.encodings.opening import open_file
from redline.core.errors import BinaryFile, IsADirectory, TooLarge, UnsupportedEncoding
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Kind
from redline.core.textfile import TextFile
from redline.services.text_lines import Cut, character_start, cut_head, line_starts
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import existing, shown, success
from redline.toolsets.coding_tools.find import modified
from redline.toolsets.tool import Json, Tool

_LARGEST = 256 << 20


def read_file(call: Call) -> Result:
    """Return a slice of a text file."""
    arguments = call.arguments
    path = existing(call, arguments["path"])
    file, version = load(call, path)
    call.runtime.reads.note(call.client.connection, path, file.raw)
    data = file.view
    starts = line_starts(data)
    total = len(starts) - 1
    first = arguments.get("start_line", 1)
    last = min(arguments.get("end_line", total), total)
    begin = starts[min(first - 1, total)]
    end = starts[last] if last >= first else begin
    offset = arguments.get("start_byte")
    if offset is not None:
        begin = character_start(data, min(max(offset, begin), end))
        first = _line_at(starts, begin)
    cut = cut_head(data[begin:end], arguments.get("max_bytes", 131072))
    kept = cut.content
    if cut.by:
        last = first + kept.count(b"\n")
    more = cut.by is not None
    fields: Json = {
        "path": shown(path),
        "content": kept.decode(),
        "encoding": file.encoding,
        "start_line": first,
        "end_line": last,
        "total_lines": total,
        "total_bytes": len(data),
        "bytes_read": len(kept),
        "truncated": more,
        "truncated_by": cut.by,
        "output_lines": kept.count(b"\n") + 1 if kept else 0,
        "output_bytes": len(kept),
        "next_start_line": last + 1 if more and last < total else None,
        "next_start_byte": _next_byte(begin, cut, starts, last) if more else None,
        "version": version,
        "warnings": _warnings(cut),
    }
    return success(fields)


def load(call: Call, path: WorkspacePath) -> tuple[TextFile, Json]:
    """Return a text file and its version; what is not text in a known encoding is refused."""
    tree = call.runtime.tree
    entry = tree.stat(path)
    where = shown(path)
    if entry is not None and entry.kind is Kind.DIRECTORY:
        raise IsADirectory(where)
    if entry is not None and entry.size > _LARGEST:
        raise TooLarge(
            where,
            f"Too large to read ({entry.size} bytes, the limit is {_LARGEST}): {where}",
            hint="search_text finds lines in it",
        )
    data = tree.read(path, _LARGEST)
    file = open_file(tree, path, data, call.arguments.get("encoding"), where)
    if file.is_binary:
        raise BinaryFile(where, f"A binary file cannot be read as text: {where}")
    if not file.is_foreign and not file.is_utf8:
        raise UnsupportedEncoding(
            where,
            f"Not valid UTF-8, and no other encoding is certain: {where}",
            hint="pass encoding, such as cp1252 or gbk",
        )
    version: Json = {"size": len(data), "sha256": digest_of(data)}
    if entry is not None:
        version["mtime"] = modified(entry.mtime_ns)
    return file, version


def _line_at(starts: list[int], offset: int) -> int:
    from bisect import bisect_right

    return max(1, min(bisect_right(starts, offset), len(starts) - 1))


def _next_byte(begin: int, cut: Cut, starts: list[int], last: int) -> int:
    """Where the next slice begins: inside the line that was too long, or at the next line."""
    return begin + len(cut.content) if cut.in_first_line else starts[last]


def _warnings(cut: Cut) -> list[str]:
    if not cut.by:
        return []
    if cut.in_first_line:
        return [
            "content truncated inside a line; go on at next_start_byte",
            "first selected line exceeds max_bytes",
        ]
    return ["content truncated; go on at next_start_line"]


if TYPE_CHECKING:
    from redline.services.runtime import Runtime


def choose(arguments: Json, own: Tool, other: Tool, runtime: Runtime) -> Json | None:
    """Return the arguments as `coding` reads them, or None when `files` answers.

    `files` answers absolute paths and the options that only it has; `coding` everything else.
    """
    names, path = arguments.keys(), arguments.get("path")
    fits_own = names <= own.argument_names
    if names <= other.argument_names and (_is_absolute(path) or not fits_own):
        return None
    if not isinstance(path, str) or not _is_absolute(path):
        return arguments
    root = runtime.workspace.roots[0].path.rstrip("/") + "/"
    # Only the notation changes: what the path may reach is decided when it is resolved.
    return {**arguments, "path": path[len(root) :]} if path.startswith(root) else arguments


def _is_absolute(path: Any) -> bool:
    """Return whether `files` would take *path* from the top; `C:\\x` is that on Windows only."""
    return isinstance(path, str) and (path.startswith("/") or os.path.isabs(path))
