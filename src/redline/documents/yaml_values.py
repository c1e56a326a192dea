"""Plain values from YAML trees (core schema) and YAML text from plain values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from redline.core.errors import CannotApply
from redline.documents.depth import too_deep
from redline.documents.model import MAX_DEPTH

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_RADIX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_/.+-]*(?: [A-Za-z0-9_/.+-]+)*")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
# Words that YAML 1.1 readers take for booleans: quoted when we write them.
_AMBIGUOUS = frozenset(("yes", "no", "on", "off", "y", "n", "true", "false", "null"))


def scalar_value(text: str) -> Any:
    """What a plain scalar means by the YAML 1.2 core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) < 400 and _INT.fullmatch(text):
        return int(text)
    if _RADIX.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def resolved(tree: Any, node: int, children: Callable[[Any, int], Iterator[int]]) -> Any:
    """A subtree as plain values; an alias is given as its own text."""
    return _value(tree, node, children, 0)


def _value(tree: Any, node: int, children: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise too_deep()
    if tree.is_map(node):
        found: dict[str, Any] = {}
        for child in children(tree, node):
            key = bytes(tree.key(child) or b"").decode("utf-8", "replace")
            found[key] = _value(tree, child, children, depth + 1)
        return found
    if tree.is_seq(node):
        return [_value(tree, child, children, depth + 1) for child in children(tree, node)]
    if tree.is_val_ref(node):
        return "*" + bytes(tree.val_ref(node)).decode("utf-8", "replace").removeprefix("*")
    if not tree.has_val(node):
        return None
    return _scalar(tree, node)


def _scalar(tree: Any, node: int) -> Any:
    text = bytes(tree.val(node) or b"").decode("utf-8", "replace")
    tag = bytes(tree.val_tag(node)) if tree.has_val_tag(node) else b""
    if tree.is_val_quoted(node) or tree.is_val_literal(node) or tree.is_val_folded(node):
        return text
    return text if tag in (b"!", b"!!str") else scalar_value(text)


def render(value: Any) -> str:
    """A plain value as one line of YAML."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else (".inf" if value > 0 else "-.inf")
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise CannotApply(f"Value cannot be written as YAML: {error}") from None


def _text(value: str) -> str:
    if _PLAIN.fullmatch(value) and value.lower() not in _AMBIGUOUS and scalar_value(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)
