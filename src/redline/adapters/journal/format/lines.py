"""The lines of the journal as bytes.

checksum R id kind reverts time added body
checksum C id kind reverts time added contents body
checksum V id
checksum F id
checksum K contents
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import NamedTuple

# How many fields precede the body of an `R` line, and how long a digest is.
FIELDS = 7
DIGEST = 64
# How many bytes of a line precede its payload, and how many surround it.
PREFIX, FRAME = 9, 10


class Head(NamedTuple):
    """The fixed fields of an operation's line."""

    id: str
    kind: str
    reverts: str | None
    time: float
    added: int


class Line(NamedTuple):
    """Where an operation is in the file; pruning writes a new file, with other offsets."""

    head: Head
    offset: int
    length: int
    file: tuple[int, int]


def format_operation(head: Head, body: bytes, contents: Mapping[str, bytes] | None = None) -> bytes:
    """The line of an operation, with contents in base64."""
    fields = (head.id, head.kind, head.reverts or "-", f"{head.time:.6f}", str(head.added))
    encoded = " ".join(fields).encode()
    if not contents:
        return format_line(b"R " + encoded + b" " + body)
    inline = b",".join([format_content(digest, text) for digest, text in contents.items()])
    return format_line(b"C " + encoded + b" " + inline + b" " + body)


def body_of(raw: bytes) -> bytes:
    """The body of an operation's line."""
    fields = raw.rstrip(b"\n").split(b" ", FIELDS)
    return fields[FIELDS].partition(b" ")[2] if fields[1] == b"C" else fields[FIELDS]


def checksum_of(payload: bytes) -> bytes:
    """What a line begins with."""
    return b"%08x" % zlib.crc32(payload)


def format_line(payload: bytes) -> bytes:
    """A line with its checksum, which a line that was cut off fails."""
    return checksum_of(payload) + b" " + payload + b"\n"


def format_content(digest: str, text: bytes) -> bytes:
    """A content, in base64, with its digest."""
    return digest.encode() + b":" + text


def tokens_of(raw: bytes) -> list[bytes]:
    """The contents that a line of the file carries."""
    fields = raw.split(b" ", FIELDS + 1)
    return fields[FIELDS].split(b",") if fields[1] == b"C" else []
