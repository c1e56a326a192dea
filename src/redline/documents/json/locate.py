"""Strict JSON located at C speed: msgspec's views into the mask give the offsets of values."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

import msgspec

from redline.documents.json.walk import Mask

DICT_OF_RAW = dict[str, msgspec.Raw]
LIST_OF_RAW = list[msgspec.Raw]
_ABSENT = msgspec.Raw(b"")


def raw_of(mask: Mask, start: int, end: int, key: str) -> msgspec.Raw | None:
    """Return the value of the last member named *key* of the object there.

    ValueError for a name msgspec cannot look for: one with quotes, escapes or surrogates.
    """
    found = msgspec.json.decode(memoryview(mask)[start:end], type=_holder(key)).value
    return None if found is _ABSENT else found


@lru_cache(maxsize=64)
def _holder(key: str) -> Any:
    """A type with one field, so that all other members are passed over without being kept."""
    return msgspec.defstruct("Holder", [("value", msgspec.Raw, _ABSENT)], rename={"value": key})


class _Buffer(ctypes.Structure):
    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


def address(item: Any) -> int:
    """Where an object's buffer lies; two views of one buffer differ by their offset in it."""
    buffer = _Buffer()
    api = ctypes.pythonapi
    api.PyObject_GetBuffer(ctypes.py_object(item), ctypes.byref(buffer), 0)
    place = int(buffer.buf or 0)
    api.PyBuffer_Release(ctypes.byref(buffer))
    return place
