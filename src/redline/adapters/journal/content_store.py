"""Contents of the history by their digest: small ones in the journal's lines, others as blobs.

A content in its operation's line becomes durable with the one sync that commits the operation.
The journal is read as a whole, so its total size is limited.
"""

from __future__ import annotations

import binascii
import errno
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO

from redline.adapters.journal.blobs import LEVEL, Blobs, Given
from redline.adapters.journal.log import Journal
from redline.core.changes import Change, FileState, Rename

# How many compressed bytes one operation may put into its line.
MAX_INLINE = 16 << 10
# Larger contents are not even tried: compressing them would rarely make them fit.
_MAX_PACKED = 8 * MAX_INLINE
# A larger journal carries no more contents, so that reading it stays quick.
_MAX_JOURNAL = 8 << 20
# A window of 8 kB, not 32: for small contents, zlib's set-up costs more than compressing.
_WINDOW, _MEMORY = 13, 6


def bases_of(steps: Iterable[Change | Rename]) -> dict[str, str]:
    """Return which content each changed file's new content was made of, by digest."""
    return {
        step.after.digest: step.before.digest
        for step in steps
        if isinstance(step, Change)
        and isinstance(step.before, FileState)
        and isinstance(step.after, FileState)
        and step.before.digest != step.after.digest
    }


class ContentStore:
    """Where every content that undo, redo and recovery need is found."""

    def __init__(self, journal: Journal, blobs: Blobs, max_inline: int = MAX_INLINE) -> None:
        self._journal = journal
        self._blobs = blobs
        self._max_inline = max_inline

    def save(
        self, given: Given, transaction: str, bases: Mapping[str, str]
    ) -> tuple[dict[str, bytes], int]:
        """The contents that the operation's line must carry, and how many bytes went to blobs.

        *bases* maps a content to the one it was made from. The caller prevents pruning until that
        line is written.
        """
        packed = self._pack_inline(given)
        if packed is not None:
            return packed, 0
        return {}, self._blobs.store(given, transaction, bases)

    def _pack_inline(self, given: Given) -> dict[str, bytes] | None:
        """Return every content that is not yet in the journal, or None when that is too much."""
        size = 0
        plain: dict[str, bytes] = {}
        for digest, content in given.items():
            if not isinstance(content, bytes):
                return None
            size += len(content)
            plain[digest] = content
        if size > _MAX_PACKED:
            return None
        durable = self._journal.durable()
        if self._journal.last_size > _MAX_JOURNAL:
            return None
        packed: dict[str, bytes] = {}
        room = self._max_inline
        for digest, content in plain.items():
            if digest not in durable:
                text = binascii.b2a_base64(_compress(content), newline=False)
                room -= len(text)
                packed[digest] = text
        return packed if room >= 0 else None

    def get(self, digest: str) -> bytes:
        """Return the content; EIO when it is gone or damaged."""
        joined = BytesIO()  # unlike a list of pieces it never holds them twice
        joined.writelines(self.pieces(digest))
        return joined.getvalue()

    def pieces(self, digest: str) -> Iterable[bytes]:
        """Return the content in pieces, none of them large; EIO when it is gone or damaged."""
        # First, because the journal may have to look through all of its lines.
        if self._blobs.has(digest):
            return self._blobs.pieces(digest)
        text = self._journal.content(digest)
        if text is None:
            # A line that we read may have been taken back and another written in its place.
            self._journal.read_again()
            text = self._journal.content(digest)
        if text is None:
            return self._blobs.pieces(digest)
        try:
            return (zlib.decompress(binascii.a2b_base64(text)),)
        except (zlib.error, ValueError):
            raise OSError(errno.EIO, "a content of the history is damaged", digest) from None


def _compress(content: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY)
    return packer.compress(content) + packer.flush()
