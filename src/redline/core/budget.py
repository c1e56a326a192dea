"""How much one call may read, plan and answer: the one place that bounds its memory.

No file over `MAX_FILE_BYTES` is read whole or written, and no more than that is read of a file that
grows while it is read. What a plan starts from is counted here by its size before it is read, what
it would write when its `Change` is built; a call may hold `MAX_CALL_BYTES` of both. Reading or
planning a file again replaces what was counted for it, so a call that plans again after a conflict
does not run out. An answer is measured when its `Result` is built.

Work outside a call (the command line, the library) is bounded file by file.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from redline.core.call_scope import running
from redline.core.errors import MemoryLimit

MAX_FILE_BYTES = 64 << 20
MAX_CALL_BYTES = 192 << 20
MAX_ANSWER_CHARS = 16 << 20
# Text in memory while edits are carried out: up to four bytes a character.
MAX_TEXT_BYTES = 128 << 20
MAX_LINES = 1_500_000
MAX_REPLACEMENTS = 300_000


def charge(use: str, key: Hashable, size: int) -> None:
    """Ask for *size* bytes to be "read" of a file, or "planned" for one; MemoryLimit.

    They count instead of what was counted for the same use of the same file.
    """
    call = running.get()
    if size > MAX_FILE_BYTES:
        check_size(size)
    if call is None:
        return
    total = call.total_bytes - call.charged_bytes.get((use, key), 0) + size
    if total > MAX_CALL_BYTES:
        raise _too_much("All files of one call together are", total, MAX_CALL_BYTES)
    call.total_bytes = total
    call.charged_bytes[use, key] = size


def release_read(key: Hashable) -> None:
    """Say that the content of a file is no longer held."""
    charge("read", key, 0)


def check_size(size: int) -> None:
    """Refuse a new content that is larger than a file may be; MemoryLimit."""
    if size > MAX_FILE_BYTES:
        raise _too_much("The file would be", size, MAX_FILE_BYTES)


def join_text(pieces: Iterable[str]) -> str:
    """The pieces as one text, refused before it is built when it is too large; MemoryLimit."""
    kept: list[str] = []
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_FILE_BYTES:
            raise _too_much("The text would be", length, MAX_FILE_BYTES)
        kept.append(piece)
    if length > MAX_TEXT_BYTES // 4:
        size = length * max(map(_width, kept))
        if size > MAX_TEXT_BYTES:
            raise _too_much("The text would be", size, MAX_TEXT_BYTES)
    return "".join(kept)


def _width(text: str) -> int:
    """Return how many bytes a character of *text* takes in memory."""
    if text.isascii():
        return 1
    top = ord(max(text))
    return 4 if top > 0xFFFF else 2 if top > 0xFF else 1


def check_decoded(raw: bytes) -> None:
    """Refuse to decode a file whose text could take far more memory than it; MemoryLimit."""
    if len(raw) > MAX_TEXT_BYTES // 4 and not raw.isascii():
        raise _too_much("To be edited as text, the file is", len(raw), MAX_TEXT_BYTES // 4)


def check_lines(text: str) -> None:
    """Refuse to edit a text of very many lines, each of which costs far more than it holds."""
    count = text.count("\n") if len(text) > MAX_LINES else 0
    if count > MAX_LINES:
        raise MemoryLimit(
            f"The file has too many lines to be edited ({count}, the limit is {MAX_LINES})",
            hint="a command can change it as a whole",
            details={"size": count, "limit": MAX_LINES},
        )


def check_count(count: int) -> None:
    """Refuse to replace at too many places at once; MemoryLimit."""
    if count > MAX_REPLACEMENTS:
        raise MemoryLimit(
            f"There are too many places to change at once (more than {MAX_REPLACEMENTS})",
            hint="change fewer places in one call",
            details={"limit": MAX_REPLACEMENTS},
        )


def check_answer(length: int) -> None:
    """Refuse an answer that is too long to be sent; MemoryLimit."""
    if length > MAX_ANSWER_CHARS:
        raise MemoryLimit(
            f"The answer would be too large ({length} characters, the limit is {MAX_ANSWER_CHARS})",
            hint="ask for less: fewer files, a range of lines, a deeper path",
            details={"size": length, "limit": MAX_ANSWER_CHARS},
        )


def _too_much(fact: str, size: int, limit: int) -> MemoryLimit:
    return MemoryLimit(
        f"{fact} too large ({size} bytes, the limit is {limit})",
        hint="split the work into smaller calls",
        details={"size": size, "limit": limit},
    )
