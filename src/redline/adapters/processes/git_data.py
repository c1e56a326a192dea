"""Which files of a git directory are data alone: none can make git run a program."""

from __future__ import annotations

import re
import struct

from redline.core.guarded import GIT_NAMES, fold_name

_HASH = rb"[0-9a-f]{40}(?:[0-9a-f]{24})?"
# The name of a ref as git takes it, and none that a command line takes for an option.
_NAME = r"(?![-.])(?!.*(?:\.\.|//|/[-.]|\.lock(?:/|\Z)|@\{))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])"
_REF = re.compile(rf"refs/{_NAME}\Z")
_LOG = re.compile(rf"logs/(?:HEAD|refs/{_NAME})\Z")
_REF_TEXT = re.compile(rb"(?:ref: refs/[^\x00-\x20]+\n?|(?:" + _HASH + rb"\n?)*)\Z")
_PACKED = re.compile(
    rb"(?:#[^\n]*\n|" + _HASH + rb" refs/[^\x00-\x20\x7f]+\n|\^" + _HASH + rb"\n)*\Z"
)
_POINTERS = {"HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"}
_POINTERS |= {"REBASE_HEAD", "AUTO_MERGE", "MERGE_AUTOSTASH", "shallow"}
_TEXTS = {"FETCH_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "COMMIT_EDITMSG"}
_TEXTS |= {"TAG_EDITMSG"}
_CONFLICT = re.compile(rf"rr-cache/{_HASH.decode()}/(?:pre|post|this)image(?:\.\d+)?\Z")
# A merge, rebase or cherry-pick that stopped; a person may go on with it outside the sandbox.
_STOPPED = re.compile(r"(rebase-merge|rebase-apply|sequencer)(?:/([^/]+))?\Z")
_TODO = ("git-rebase-todo", "git-rebase-todo.backup", "done", "todo")
_STEPS = frozenset(
    """
    pick p reword r edit e squash s fixup f drop d label l reset t merge m update-ref u noop break
    b revert
    """.split()
)
_OWN_STRATEGIES = (b"ort", b"recursive", b"resolve", b"octopus", b"ours", b"subtree")
_OPTIONS = re.compile(rb"[-\w=' \n]*\Z")
_AUTHOR = re.compile(rb"(?:GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^'\\]|'\\'')*'\n?)*\Z")
_STRATEGY_LINE = re.compile(rb"strategy\s*=\s*(\S*)", re.IGNORECASE)
_CHECKSUM = 20
_DIRECTORIES = re.compile(r"(?:refs/.+|logs/.+|rebase-merge|rebase-apply|sequencer|rr-cache/.+)\Z")


def is_harmless(name: str, data: bytes | None) -> bool:
    """Whether a file *name* of a git directory may hold *data*, or be gone where that is None."""
    if data is None:
        return name != "HEAD" and (_is_known(name) or bool(_DIRECTORIES.match(name)))
    if name in _POINTERS or _REF.match(name):
        return bool(_REF_TEXT.match(data))
    if name == "packed-refs":
        return bool(_PACKED.match(data))
    if name == "index":
        return _is_index(data)
    stopped = _STOPPED.match(name)
    if stopped and stopped[2]:
        return _is_state(stopped[2], data)
    return _is_known(name)


def _is_known(name: str) -> bool:
    patterns = (_REF, _LOG, _CONFLICT, _STOPPED)
    is_file = name in _POINTERS or name in _TEXTS or name in ("index", "packed-refs")
    return is_file or any(pattern.match(name) for pattern in patterns)


def without_programs(name: str, data: bytes) -> bytes:
    """Return the steps of a rebase without those that run a program; other files as they are."""
    stopped = _STOPPED.match(name)
    if not stopped or stopped[2] not in _TODO:
        return data
    kept = []
    for line in data.splitlines(keepends=True):
        words = line.split(None, 1)
        is_step = not words or words[0][:1] == b"#"
        if is_step or words[0].decode(errors="replace") in _STEPS:
            kept.append(line)
    return b"".join(kept)


def _is_state(name: str, data: bytes) -> bool:
    """Whether a part of a stopped rebase names no program."""
    if name == "strategy":
        return data.strip() in _OWN_STRATEGIES
    if name in ("strategy_opts", "apply-opt", "gpg_sign_opt"):
        return bool(_OPTIONS.match(data)) and b"unsafe" not in data
    if name == "author-script":
        return bool(_AUTHOR.match(data))
    if name == "opts":
        return all(found in _OWN_STRATEGIES for found in _STRATEGY_LINE.findall(data))
    return True


def _is_index(data: bytes) -> bool:
    """Whether every path of an index lies in the work tree and in no git directory."""
    try:
        mark, version, count = struct.unpack_from("!4sII", data)
        if mark != b"DIRC" or version not in (2, 3, 4):
            return False
        at, path = 12, b""
        for _ in range(count):
            at, path = _next_entry(data, at, version, path)
            if not _is_work_path(path):
                return False
        return b"link" not in _list_extensions(data, at)  # entries in another file: not taken over
    except (struct.error, IndexError, ValueError):
        return False


def _list_extensions(data: bytes, at: int) -> list[bytes]:
    found = []
    while at + 8 <= len(data) - _CHECKSUM:
        mark, size = struct.unpack_from("!4sI", data, at)
        found.append(mark)
        at += 8 + size
    return found


def _next_entry(data: bytes, at: int, version: int, before: bytes) -> tuple[int, bytes]:
    """Return where the entry at *at* ends, and its path. ValueError, IndexError."""
    (flags,) = struct.unpack_from("!H", data, at + 60)
    start = at + 62 + (2 if version >= 3 and flags & 0x4000 else 0)
    if version < 4:
        end = data.index(b"\0", start)
        return at + (end - at + 8) // 8 * 8, data[start:end]
    stripped, start = _read_number(data, start)
    end = data.index(b"\0", start)
    return end + 1, before[: len(before) - stripped] + data[start:end]


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1


def _is_work_path(path: bytes) -> bool:
    parts = path.decode(errors="surrogateescape").split("/")
    return bool(path) and not any(
        part in ("", ".", "..") or fold_name(part) in GIT_NAMES for part in parts
    )
