"""Contents of the history by their digest: small ones in the journal's lines, others as blobs.

A content in the line of the operation that brought it lasts by the one sync that commits the
operation. The journal is read as a whole, so only so much goes there.
"""

from __future__ import annotations

import binascii
import errno
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO

from redline.adapters.journal.blobs import LEVEL, Blobs, Given
from redline.adapters.journal.log import Journal

# What one operation may put into its line, packed.
MOST_INLINE = 16 << 10
# Above this more packing would be wasted than gained.
_MOST_PACKED = 8 * MOST_INLINE
# A journal of this size takes in no more contents: its reader is to be quick.
_MOST_JOURNAL = 8 << 20
# A window of 8 kB, not 32: for small contents making zlib's tables costs more than packing.
_WINDOW, _MEMORY = 13, 6


class Contents:
    """Where every content that undo, redo and recovery need is found."""

    def __init__(self, journal: Journal, blobs: Blobs, most_inline: int = MOST_INLINE) -> None:
        self._journal = journal
        self._blobs = blobs
        self._most_inline = most_inline

    def save(
        self, given: Given, transaction: str, bases: Mapping[str, str]
    ) -> tuple[dict[str, bytes], int]:
        """What the operation's line must bring along, and how many bytes blobs took at once.

        *bases* says of a content what it was made of. The caller keeps pruning away from here
        until that line is written.
        """
        packed = self._packed(given)
        if packed is not None:
            return packed, 0
        return {}, self._blobs.put(given, transaction, bases)

    def _packed(self, given: Given) -> dict[str, bytes] | None:
        """Every content that is not yet in the journal, or None when that is too much."""
        size = 0
        plain: dict[str, bytes] = {}
        for digest, content in given.items():
            if not isinstance(content, bytes):
                return None
            size += len(content)
            plain[digest] = content
        if size > _MOST_PACKED:
            return None
        lasting = self._journal.lasting()
        if self._journal.last_size > _MOST_JOURNAL:
            return None
        packed: dict[str, bytes] = {}
        room = self._most_inline
        for digest, content in plain.items():
            if digest not in lasting:
                text = binascii.b2a_base64(_compressed(content), newline=False)
                room -= len(text)
                packed[digest] = text
        return packed if room >= 0 else None

    def get(self, digest: str) -> bytes:
        """The content; EIO when it is gone or damaged."""
        joined = BytesIO()  # unlike a list of pieces it never holds them twice
        joined.writelines(self.pieces(digest))
        return joined.getvalue()

    def pieces(self, digest: str) -> Iterable[bytes]:
        """The content in pieces, none of them large; EIO when it is gone or damaged."""
        text = self._journal.content(digest)
        if text is None and not self._blobs.has(digest):
            # A line may have taken the place of one that we read before it was taken back.
            self._journal.read_again()
            text = self._journal.content(digest)
        if text is None:
            return self._blobs.pieces(digest)
        try:
            return (zlib.decompress(binascii.a2b_base64(text)),)
        except (zlib.error, ValueError):
            raise OSError(errno.EIO, "a content of the history is damaged", digest) from None


def _compressed(content: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY)
    return packer.compress(content) + packer.flush()
