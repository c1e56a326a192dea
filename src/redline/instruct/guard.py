"""The grounding guard: a model's proposal is taken only if it traces back to the instruction.

Text inside the document may tell a model to do things. Whatever it proposes, each place must be
spoken of in the instruction and each new value must stand there or follow from it by arithmetic.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NodeNotFound
from redline.instruct.filters import form_of
from redline.instruct.index import Index
from redline.instruct.operations import (
    Operation,
    Path,
    apply_operations,
    exists,
    is_index,
    value_at,
)
from redline.instruct.tokens import Token, tokenize
from redline.instruct.typed import rounded
from redline.instruct.values import Num, Value, parse, render
from redline.instruct.words import key_form, key_words, number_in, singular

CONFIDENCE = 0.75
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["success", "no_changes", "ambiguous"]},
        "message": {"type": "string"},
        "changes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "op": {
                        "type": "string",
                        "enum": ["replace", "add", "insert", "remove", "rename", "move"],
                    },
                    "path": {"type": "string"},
                    "value_json": {"type": "string"},
                    "new_path": {"type": "string"},
                },
                "required": ["op", "path", "value_json", "new_path"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["status", "message", "changes"],
    "additionalProperties": False,
}
_REMOVING = frozenset(
    "remove delete drop erase eliminate discard strip clear rid unset without keep only prune "
    "purge cancel dedupe deduplicate take".split()
)
_COPYING = frozenset("copy same swap exchange duplicate match move sort order reverse".split())


class Ungrounded(Exception):
    """The proposal does not follow from the instruction; the message says why."""


class Malformed(Exception):
    """The proposal is not what was asked for; the message says what is wrong."""


def grounded(document: Value, instruction: str, proposal: Any) -> list[Operation]:
    """The operations of *proposal*; Malformed or Ungrounded when they cannot be trusted."""
    if not isinstance(proposal, dict) or not isinstance(proposal.get("changes"), list):
        raise Malformed("The answer must be an object with status, message and changes")
    guard = _Guard(document, instruction)
    operations = [guard.check(change) for change in proposal["changes"]]
    try:
        apply_operations(document, operations)
    except (CannotApply, NodeNotFound) as error:
        raise Malformed(error.message) from None
    return operations


class _Guard:
    def __init__(self, document: Value, instruction: str) -> None:
        self.document = document
        self.tokens = tokenize(instruction)
        self.text = " ".join(instruction.lower().split())
        self.words = {singular(word) for t in self.tokens for word in key_words(t.text)}
        self.numbers = _numbers(self.tokens)

    def check(self, change: Any) -> Operation:
        if not isinstance(change, dict) or not isinstance(change.get("path"), str):
            raise Malformed("Each change needs op, path, value_json and new_path")
        path = _path(change["path"])
        operation = self._operation(str(change.get("op")), path, change)
        if not self._is_spoken_of(operation):
            raise Ungrounded(f"The instruction does not speak of {change['path']}")
        self._check_value(operation)
        return operation.rated(CONFIDENCE)

    def _operation(self, op: str, path: Path, change: dict[str, Any]) -> Operation:
        if op in ("add", "insert"):
            return self._addition(path, _value(change))
        if not exists(self.document, path) or not path:
            raise Malformed(f"Nothing is at {change['path']}")
        old = value_at(self.document, path)
        if op == "replace":
            return Operation(op, path, old, _value(change))
        if op == "remove":
            return Operation(op, path, old)
        if op not in ("rename", "move"):
            raise Malformed(f"Unknown op: {op}")
        return Operation(op, path, old, old, self._target(op, path, change))

    def _target(self, op: str, path: Path, change: dict[str, Any]) -> Path:
        target = _path(str(change.get("new_path", "")))
        if not target or not exists(self.document, target[:-1]):
            raise Malformed(f"Nothing can be put at {change.get('new_path')!r}")
        if op == "rename" and (target[:-1] != path[:-1] or is_index(path[-1])):
            raise Malformed("A rename keeps its object; use move")
        return target

    def _addition(self, path: Path, value: Value) -> Operation:
        if not path or not exists(self.document, path[:-1]):
            raise Malformed("Nothing can be added there")
        holder = value_at(self.document, path[:-1])
        if isinstance(holder, list):
            last = str(len(holder)) if path[-1] == "-" else path[-1]
            if not is_index(last) or int(last) > len(holder):
                raise Malformed(f"No such index: {path[-1]}")
            return Operation("insert", (*path[:-1], last), value=value)
        if not isinstance(holder, dict) or path[-1] in holder:
            raise Malformed(f"{path[-1]!r} cannot be added there")
        return Operation("add", path, value=value)

    def _is_spoken_of(self, operation: Operation) -> bool:
        """Whether the key, the record's name or the collection stands in the instruction."""
        path = operation.path
        if operation.op == "remove" and not self.words & _REMOVING:
            return False
        renamed = operation.new_path if operation.op == "rename" else None
        if renamed is not None and not self._says(renamed[-1]):
            return False
        if any(self._names(part) for part in path[-1:] if not is_index(part)):
            return True
        if operation.op == "add":
            return False
        return self._record_spoken_of(path)

    def _record_spoken_of(self, path: Path) -> bool:
        """For an element: its collection's name, or what identifies it or is its value."""
        collection = next((p for p in reversed(path[:-1]) if not is_index(p)), "")
        if is_index(path[-1]) and collection and self._names(collection):
            return True
        if not exists(self.document, path):
            return False
        value = value_at(self.document, path)
        if isinstance(value, dict):
            return any(self._says(v) for v in value.values() if isinstance(v, str | Num))
        return isinstance(value, str | Num) and self._says(value)

    def _names(self, key: str) -> bool:
        words = [singular(word) for word in key_words(key)]
        return bool(words) and (
            key_form(key) in {form_of((t,)) for t in self.tokens}
            or all(w in self.words for w in words)
        )

    def _says(self, value: Any) -> bool:
        text = " ".join(render(value).lower().split())
        return bool(text) and text in self.text

    def _check_value(self, operation: Operation) -> None:
        if operation.op not in ("replace", "add", "insert"):
            return
        value = operation.value
        if self.words & _COPYING and self._is_copy(value):
            return
        self._trace(value, operation.old)

    def _is_copy(self, value: Any) -> bool:
        """Whether the value stands under a key the instruction names, or only reorders one."""
        index = Index(self.document)
        return any(
            held == value and isinstance(key, str) and self._names(key)
            for held, key in zip(index.values, index.keys, strict=True)
        ) or (isinstance(value, list) and any(_reordered(held, value) for held in index.values))

    def _trace(self, value: Any, old: Any) -> None:
        if value is None or isinstance(value, bool) or value in ("", [], {}):
            return
        if isinstance(value, dict):
            self._trace_object(value, old if isinstance(old, dict) else {})
            return
        if isinstance(value, list):
            held = old if isinstance(old, list) else []
            for item in value:
                if item not in held:
                    self._trace(item, None)
            return
        if value == old or self._says(value) or self._follows(value, old):
            return
        raise Ungrounded(f"The instruction does not give the value {render(value)[:80]!r}")

    def _trace_object(self, value: dict[str, Any], old: dict[str, Any]) -> None:
        for key, item in value.items():
            if key not in old and not self._names(key) and not self._says(key):
                raise Ungrounded(f"The instruction does not speak of {key!r}")
            self._trace(item, old.get(key))

    def _follows(self, value: Any, old: Any) -> bool:
        """Whether a number is one of the instruction's, or the old one changed by one of them."""
        if not isinstance(value, Num):
            return isinstance(value, str) and isinstance(old, str) and self._respelled(value, old)
        made = value.decimal
        if made in self.numbers:
            return True
        if not isinstance(old, Num):
            return False
        now = old.decimal
        steps = (
            self.numbers | {Decimal(1), Decimal(2)} if self.numbers else {Decimal(1), Decimal(2)}
        )
        for step in steps:
            results = [now + step, now - step, now * step]
            shares = [now * (1 + step / 100), now * (1 - step / 100)]
            shares += [now / step] if step else []
            if made in results or value in [rounded(share, old) for share in shares]:
                return True
        return False

    def _respelled(self, value: str, old: str) -> bool:
        """Upper case, lower case, trimming, or a part replaced by words of the instruction."""
        if value.lower().strip() == old.lower().strip():
            return True
        head = 0
        while head < min(len(value), len(old)) and value[head] == old[head]:
            head += 1
        tail = 0
        while tail < min(len(value), len(old)) - head and value[-1 - tail] == old[-1 - tail]:
            tail += 1
        new, gone = value[head : len(value) - tail], old[head : len(old) - tail]
        return bool(head or tail) and self._says(gone or new) and (not new or self._says(new))


def _numbers(tokens: tuple[Token, ...]) -> set[Decimal]:
    found: set[Decimal] = set()
    for token in tokens:
        text = token.text.lstrip("$€£#").rstrip("%")
        spelled = number_in(text)
        if spelled is not None:
            try:
                found.add(Decimal(spelled))
            except InvalidOperation:
                continue
    return found


def _path(text: str) -> Path:
    if text and not text.startswith("/"):
        raise Malformed(f"Not a JSON Pointer: {text}")
    return (
        tuple(p.replace("~1", "/").replace("~0", "~") for p in text[1:].split("/")) if text else ()
    )


def _value(change: dict[str, Any]) -> Value:
    try:
        return parse(str(change.get("value_json", "")))
    except DocumentSyntax as error:
        raise Malformed(f"value_json is not JSON: {error.message}") from None


def _reordered(held: Any, value: list[Any]) -> bool:
    if not isinstance(held, list) or len(held) != len(value) or len(held) < 2:
        return False
    return sorted(map(repr, held)) == sorted(map(repr, value))
