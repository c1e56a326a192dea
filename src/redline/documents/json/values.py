"""JSON and JSON5 text as plain values, by parsers that have no part in locating."""

from __future__ import annotations

import json
import re
from typing import Any

from redline.core.errors import DocumentSyntax
from redline.documents.base.model import MAX_DEPTH, syntax_error

_NEAR = re.compile(r" near (\d+)")


def strict_loads(text: str, **hooks: Any) -> Any:
    """`json.loads` without NaN and Infinity."""
    return json.loads(text, parse_constant=_no_constant, **hooks)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def parse_plain(source: bytes, mask: bytes | bytearray, form: str) -> Any:
    """Plain values of a whole document; DocumentSyntax."""
    if form != "json5":
        try:
            return strict_loads(mask.decode("utf-8"))
        except json.JSONDecodeError:
            raise
        except ValueError as error:  # more digits than the interpreter reads
            raise DocumentSyntax(f"Invalid {form.upper()}: {error}") from None
    import pyjson5

    text = source.decode("utf-8-sig")
    try:
        return pyjson5.decode(text, maxdepth=2 * MAX_DEPTH)
    except pyjson5.Json5DecoderException as error:
        raise _json5_syntax(source, text, str(error.args[0] if error.args else error)) from None


def parse_text(text: str) -> Any:
    """Plain values of a piece of JSON5; DocumentSyntax without a place."""
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


def explain(source: bytes, mask: bytes | bytearray, form: str, reason: str) -> None:
    """Raise where the text is wrong; return when only msgspec refuses it (lone surrogates)."""
    try:
        strict_loads(mask.decode("utf-8"))
    except json.JSONDecodeError as error:
        offset = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        raise syntax_error(source, offset, error.msg, form.upper()) from None
    except ValueError as error:
        raise DocumentSyntax(f"Invalid {form.upper()}: {error or reason}") from None
