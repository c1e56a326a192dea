"""What a slot file says, as bytes and back.

The first block is never synced: it tells live processes which locks a change needs and, in a
series, how far it got. The second block is synced before anything is staged: the ids of changes and
the directories they stage in.
"""

from __future__ import annotations

import json
import os
import zlib
from typing import TypeAlias

from redline.core.records import dataclass

# The states of one change, or of the newest change of a series.
ACTIVE, READY, DONE, ABANDONED = b"A", b"R", b"D", b"X"
# Says that the state is in the first block: what is written there cannot damage the intent.
SERIES = b"S"
INTENT = 4096
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_ID = 8

# For each step of a transaction the directory it stages in: root path, path below.
Staging: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SlotIntent:
    """What transactions may leave behind if they die: files staged in these directories.

    Several transactions are a series: each begins when the one before has finished.
    """

    transactions: tuple[str, ...]
    staging: Staging

    @property
    def blobs(self) -> int:
        """How many contents each may write at most."""
        return 2 * len(self.staging)


@dataclass(frozen=True, slots=True)
class Peeked:
    """What a slot says; `buckets` is None when it does not name its locks."""

    state: bytes
    intent: SlotIntent | None = None
    buckets: frozenset[int] | None = None
    is_series: bool = False
    # The change the state belongs to.
    newest: str = ""

    def is_finished(self, transaction: str) -> bool:
        """Whether a change of a series is known to have finished."""
        if self.intent is None or not self.newest:
            return False
        order = self.intent.transactions
        number, newest = order.index(transaction), order.index(self.newest)
        return number < newest or (number == newest and self.state == READY)


IDLE = Peeked(DONE)


def new_ids(count: int) -> tuple[str, ...]:
    """Names of eight random characters."""
    text = "".join([_ALPHABET[byte % len(_ALPHABET)] for byte in os.urandom(count * _ID)])
    return tuple([text[start : start + _ID] for start in range(0, count * _ID, _ID)])


def parse(raw: bytes) -> Peeked:
    """What the bytes of a slot say; one whose intent was cut off counts as done."""
    state = raw[INTENT : INTENT + 1]
    body = _verify(raw[INTENT + 1 :])
    if state not in (ACTIVE, READY, ABANDONED, SERIES) or body is None:
        return IDLE
    names, staging = json.loads(body)
    # A single change is written as its bare id.
    transactions = (names,) if isinstance(names, str) else tuple(names)
    intent = SlotIntent(transactions, tuple((root, below) for root, below in staging))
    is_series = state == SERIES
    state_of_newest = raw[:1] if raw[:1] in (ACTIVE, READY) else b""
    locks = _verify(raw[len(state_of_newest) : INTENT])
    newest, buckets = json.loads(locks) if locks is not None else ("", ())
    if newest not in transactions:  # of an earlier change
        return Peeked(ACTIVE if is_series else state, intent, None, is_series)
    if is_series:
        state = READY if state_of_newest == READY else ACTIVE
    return Peeked(state, intent, frozenset(buckets), is_series, newest)


def encode_locks(transaction: str, buckets: frozenset[int]) -> bytes:
    """Which locks a change needs."""
    numbers = ",".join(map(str, buckets))
    return _line(f'["{transaction}",[{numbers}]]'.encode("ascii"))


def encode_intent(transactions: tuple[str, ...], staging: str, *, is_series: bool) -> bytes:
    """An intent; *staging* is its directories as JSON."""
    named = '","'.join(transactions)
    body = f'[["{named}"],{staging}]' if is_series else f'["{named}",{staging}]'
    return _line(body.encode("ascii"))


def _line(body: bytes) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(body), body)


def _verify(raw: bytes) -> bytes | None:
    checksum, _, body = raw.partition(b"\n")[0].partition(b" ")
    return body if checksum == b"%08x" % zlib.crc32(body) else None
