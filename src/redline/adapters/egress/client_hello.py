"""The server name in the first message of a TLS client."""

from __future__ import annotations

import struct

RECORD_HEADER = 5
_HANDSHAKE, _CLIENT_HELLO, _SERVER_NAME, _HOST_NAME = 22, 1, 0, 0
MAX_RECORD = 1 << 14


def is_handshake(data: bytes) -> bool:
    """Whether *data* starts a TLS handshake record."""
    return data[:1] == bytes([_HANDSHAKE])


def record_length(data: bytes) -> int:
    """How long the record with that header is, header included; ValueError if too long."""
    length = struct.unpack("!H", data[3:RECORD_HEADER])[0]
    if length > MAX_RECORD:
        raise ValueError("a TLS record is too long")
    return RECORD_HEADER + int(length)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) != size:
            raise ValueError("the ClientHello is cut short")
        self._at += size
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> bytes:
        return self.take(self.number(size))

    def is_empty(self) -> bool:
        return self._at >= len(self._data)


def server_name(record: bytes) -> str | None:
    """The name a ClientHello asks for, None without one; ValueError if it cannot be read.

    A ClientHello that is spread over several records cannot be read.
    """
    message = _Reader(record[RECORD_HEADER:])
    if message.number(1) != _CLIENT_HELLO:
        raise ValueError("the first TLS message is no ClientHello")
    hello = _Reader(message.vector(3))
    hello.take(2 + 32)  # version and random
    for size in (1, 2, 1):  # session id, cipher suites, compression
        hello.vector(size)
    if hello.is_empty():
        return None
    extensions = _Reader(hello.vector(2))
    while not extensions.is_empty():
        kind, content = extensions.number(2), extensions.vector(2)
        if kind == _SERVER_NAME:
            return _host_name(_Reader(_Reader(content).vector(2)))
    return None


def _host_name(names: _Reader) -> str:
    if names.number(1) != _HOST_NAME:
        raise ValueError("the server name is of an unknown kind")
    return names.vector(2).decode("ascii")
