"""Answers of this toolset: places as text, text that fits JSON, structure where it is known."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote_from_bytes

from redline.core.changes import ChangeSet
from redline.core.encodings.opening import configured_in
from redline.core.errors import OutsideRoots
from redline.core.paths import Access, WorkspacePath, show_name
from redline.plan.describe import pieces_of
from redline.services.select import require_directory
from redline.toolsets.call import Call, Result
from redline.toolsets.files.tools import is_rich
from redline.toolsets.tool import Json

_ENDINGS = {
    "application/json": "json",
    "application/pdf": "pdf",
    "application/toml": "toml",
    "application/x-sh": "sh bash zsh",
    "application/xml": "xml",
    "application/yaml": "yml yaml",
    "application/zip": "zip",
    "image/gif": "gif",
    "image/jpeg": "jpg jpeg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/webp": "webp",
    "text/css": "css",
    "text/csv": "csv",
    "text/html": "html htm",
    "text/javascript": "js mjs",
    "text/markdown": "md markdown",
    "text/plain": "txt text",
    "text/typescript": "ts",
    "text/x-c": "c h",
    "text/x-c++": "cpp cc cxx hpp hh mm",
    "text/x-go": "go",
    "text/x-objcsrc": "m",
    "text/x-python": "py",
    "text/x-rust": "rs",
    "text/x-swift": "swift",
}
_TYPES = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()}


def resolve(
    call: Call, raw: str, access: Access = Access.READ, *, follow: bool = True
) -> WorkspacePath:
    """Return the place *raw* names."""
    if not call.runtime.workspace.roots:
        raise OutsideRoots(raw, hint="no directory is allowed; start with --allow-write DIR")
    return call.runtime.workspace.resolve(raw, access, follow=follow)


def resolve_directory(call: Call, raw: str) -> WorkspacePath:
    """Return the directory that *raw* names; NotFound, NotADirectory."""
    path = resolve(call, raw)
    return require_directory(call.runtime, path, shown(call, path))


def shown(call: Call, path: WorkspacePath) -> str:
    """Return the absolute path as a reader sees it, and as it is accepted back."""
    return show_name(call.runtime.workspace.absolute(path))


def clean(text: str) -> str:
    """*text* with undecodable bytes as \\xNN, so that it fits JSON."""
    return text if text.isascii() else show_name(text)


def answer(call: Call, text: str, structured: Json, *links: Json) -> Result:
    """Return one text block, then links, with the structured form for those who understand it."""
    content = [{"type": "text", "text": text}, *links]
    return Result(content, structured if is_rich(call.client) else None)


def answer_with_notes(text: str, notes: Iterable[str]) -> Result:
    """Return *text* unchanged, followed by each note as an item of its own."""
    lines = (text, *(f"note: {note}" for note in notes))
    return Result([{"type": "text", "text": line} for line in lines])


def add_notes(text: str, notes: Iterable[str]) -> str:
    """Return *text* with a line for each note."""
    return "\n".join((text, *(f"note: {note}" for note in notes)))


def file_uri(path: str) -> str:
    """Return the file:// URI of an absolute path, percent-encoded."""
    return "file://" + quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe="/~")


def mime_type(name: str) -> str | None:
    """Return the MIME type for the ending of *name*, where it is well known."""
    _, dot, ending = name.rpartition(".")
    return _TYPES.get(ending.lower()) if dot else None


def link(path: str) -> Json:
    """A resource link to the file at the absolute *path* (undecodable bytes escaped by Python)."""
    name = path.rpartition("/")[2]
    block: Json = {"type": "resource_link", "uri": file_uri(path), "name": clean(name)}
    kind = mime_type(name)
    if kind:
        block["mimeType"] = kind
    return block


# Enough of a diff to judge it by.
_MAX_DIFF = 262_144


def dry_run_text(call: Call, change_set: ChangeSet, summary: str) -> str:
    """Describe *change_set*, which was not made, with its diff."""
    if change_set.is_empty:
        return f"Dry run, nothing was changed. Would {summary}: no changes"
    lines, size = [f"Dry run, nothing was changed. Would {summary}:\n"], 0
    configured = configured_in(call.runtime.tree)
    for piece in pieces_of(change_set, lambda path: shown(call, path), configured):
        size += len(piece)
        if size > _MAX_DIFF:
            lines.append("[diff truncated]\n")
            break
        lines.append(piece)
    return add_notes(clean("".join(lines)).rstrip("\n"), call.foresee(change_set))
