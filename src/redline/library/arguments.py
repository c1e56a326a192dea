"""What a Python program may pass: paths, texts and contents, each refused as what it is."""

from __future__ import annotations

import os
from typing import Any

from redline.core.errors import InvalidArgument
from redline.core.textfile import encode

StrPath = str | os.PathLike[str]


def as_path(path: StrPath) -> str:
    """Return a path as text; InvalidArgument if it is neither text nor a `pathlib.Path`."""
    given = path.__fspath__() if isinstance(path, os.PathLike) else path
    return as_text(given, "path", "text or a pathlib.Path")


def as_text(text: Any, field: str, what: str = "text") -> str:
    """Return *text* if it is text; InvalidArgument names the *field*."""
    if not isinstance(text, str):
        raise InvalidArgument(f"{field} must be {what}, not {type(text).__name__}", field=field)
    return text


def as_content(content: str | bytes) -> bytes:
    """Return what a file is to hold; text is written as UTF-8."""
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    return encode(as_text(content, "content", "text or bytes"))
