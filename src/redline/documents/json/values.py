"""Parse JSON and JSON5 text into plain values, without positions."""

from __future__ import annotations

import json
import re
from typing import Any

from redline.core.errors import DocumentSyntax
from redline.documents.base.model import MAX_DEPTH, syntax_error

_TRAILING_COMMA = re.compile(rb"[^\s{[,:]\s*,\s*[}\]]")
_NEAR = re.compile(r" near (\d+)")


def strict_loads(text: str, **hooks: Any) -> Any:
    """Return `json.loads` of *text*; ValueError for NaN and Infinity."""
    return json.loads(text, parse_constant=_no_constant, **hooks)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def parse_plain(source: bytes, mask: bytes | bytearray, form: str) -> Any:
    """Return the plain values of a whole document.

    Raises DocumentSyntax; for a syntax error of JSON or JSONC, JSONDecodeError with its position.
    """
    if form != "json5":
        try:
            return strict_loads(mask.decode("utf-8"))
        except json.JSONDecodeError:
            raise
        except ValueError as error:  # an integer with more digits than Python converts
            raise DocumentSyntax(f"Invalid {form.upper()}: {error}") from None
    import pyjson5

    text = source.decode("utf-8-sig")
    try:
        return pyjson5.decode(text, maxdepth=2 * MAX_DEPTH)
    except pyjson5.Json5DecoderException as error:
        raise _json5_syntax(source, text, str(error.args[0] if error.args else error)) from None


def parse_text(text: str) -> Any:
    """Return the plain values of a JSON5 fragment; DocumentSyntax without a place."""
    import pyjson5

    try:
        return pyjson5.decode(text, maxdepth=2 * MAX_DEPTH)
    except pyjson5.Json5DecoderException as error:
        raise DocumentSyntax(f"Invalid JSON5: {error}") from None


def _json5_syntax(source: bytes, text: str, reason: str) -> DocumentSyntax:
    reason = reason.replace("b'", "'")
    near = _NEAR.search(reason)
    if near is None:
        return DocumentSyntax(f"Invalid JSON5: {reason}")
    offset = len(text[: max(0, int(near[1]) - 1)].encode()) + len(source) - len(text.encode())
    return syntax_error(source, offset, _NEAR.sub("", reason), "JSON5")


def _is_lenient(source: bytes, offset: int) -> bool:
    """Return whether the syntax error at *offset* is a comment or a trailing comma."""
    if source.startswith((b"//", b"/*"), offset):
        return True
    # The parser reports the comma or the closing bracket after it.
    before = source[:offset].rstrip().removesuffix(b",").rstrip()
    return bool(before) and _TRAILING_COMMA.match(source, len(before) - 1) is not None


def raise_syntax_error(source: bytes, mask: bytes | bytearray, form: str, reason: str) -> None:
    """Raise DocumentSyntax at the place of the error.

    Return if `json` accepts the text: then only msgspec refused it, for a lone surrogate.
    """
    try:
        strict_loads(mask.decode("utf-8"))
    except json.JSONDecodeError as error:
        offset = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        wrong = syntax_error(source, offset, error.msg, form.upper())
        if form == "json" and _is_lenient(source, offset):
            wrong.hint = "it has comments or trailing commas: name its format, jsonc"
        raise wrong from None
    except ValueError as error:
        raise DocumentSyntax(f"Invalid {form.upper()}: {error or reason}") from None
