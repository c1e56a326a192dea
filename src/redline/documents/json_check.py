"""Verified or unchanged: an independent parse of old and new must agree with the intent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.depth import value_too_deep
from redline.documents.json_text import Entry, JsonText, mask_of, parse_plain, strict_loads
from redline.documents.model import MAX_DEPTH, Edit
from redline.documents.path import Path, Segment

# Above this the innermost container that is small enough stands for the whole file, which is
# still validated; parsing 50 MB into objects would cost more than everything else together.
WHOLE = 512 * 1024


@dataclass(frozen=True, slots=True)
class Step:
    """The intent of an edit: set, insert or delete at a path, or rename to `fragment`."""

    action: str
    path: Path
    fragment: str = ""


class Members(list[tuple[str, Any]]):
    """An object as its members in order, duplicates included."""


def verify(old: JsonText, edit: Edit, step: Step, chain: Sequence[Entry]) -> None:
    """Refuse *edit* unless old-with-the-intent and new are the same data.

    *chain* are the nodes from the root to the container that is changed. The new file is validated
    whole; then the outermost container that is small enough is parsed independently, old and new.
    Outside of it not a byte differs, and one complete value took the place of another.
    """
    new = _reparsed(old, edit, step, len(chain))
    grown = len(edit.after) - len(edit.before)
    for depth, container in enumerate(chain):
        if container.end - container.start + max(grown, 0) > WHOLE:
            continue
        after = replace(container, end=container.end + grown)
        local = Step(step.action, step.path[depth:], step.fragment)
        expected = _apply(_parse(old, container), local, old.form)
        if _differ(expected, _parse(new, after), old.form):
            raise CannotApply("The result would change something else too; nothing was changed")
        return
    _check_large(old, new, edit, step, chain[-1])


def _reparsed(old: JsonText, edit: Edit, step: Step, levels: int) -> JsonText:
    if levels + _depth(step.fragment) > MAX_DEPTH:
        raise value_too_deep()
    try:
        return JsonText(edit.after, old.form, depth_known=True)
    except DocumentSyntax as error:
        raise CannotApply(f"The result would not parse: {error.message}") from None


def _depth(fragment: str) -> int:
    depth = deepest = 0
    for char in fragment:
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def _check_large(old: JsonText, new: JsonText, edit: Edit, step: Step, container: Entry) -> None:
    """For a container too large to be parsed twice: it still has the members it should have."""
    if step.action == "set":
        return
    after = replace(container, end=container.end + len(edit.after) - len(edit.before))
    wanted = old.count(container) + (1 if step.action == "insert" else -1)
    if new.count(after) != wanted:
        raise CannotApply("The result would change something else too; nothing was changed")


def verify_all(old: JsonText, edit: Edit, steps: Sequence[Step]) -> None:
    """Refuse *edit* unless old-with-every-intent and new are the same data."""
    try:
        new = JsonText(edit.after, old.form)
    except DocumentSyntax as error:
        if "deeper" in error.message:
            raise value_too_deep() from None
        raise CannotApply(f"The result would not parse: {error.message}") from None
    data = _parse(old, old.root)
    for step in steps:
        data = _apply(data, step, old.form)
    if _differ(data, _parse(new, new.root), old.form):
        raise CannotApply("The result would change something else too; nothing was changed")


def _differ(expected: Any, actual: Any, form: str) -> bool:
    """Numbers of JSON are compared by their spelling; JSON5 has NaN, which equals nothing."""
    return repr(expected) != repr(actual) if form == "json5" else bool(expected != actual)


def _parse(text: JsonText, entry: Entry) -> Any:
    if text.form == "json5":
        return parse_plain(text.source[entry.start : entry.end], b"", "json5")
    return _exact(text.mask[entry.start : entry.end])


def _exact(mask: bytes) -> Any:
    return strict_loads(
        mask.decode("utf-8"), object_pairs_hook=Members, parse_int=_number, parse_float=_number
    )


def _number(spelled: str) -> tuple[str]:
    return (spelled,)


def _fragment(fragment: str, form: str) -> Any:
    source = fragment.encode("utf-8")
    if form == "json5":
        return parse_plain(source, b"", form)
    return _exact(mask_of(source, form))


def _apply(data: Any, step: Step, form: str) -> Any:
    """*data* with the intent carried out on plain values."""
    if not step.path:
        return _fragment(step.fragment, form)
    holder = data
    for segment in step.path[:-1]:
        holder = holder[_position(holder, segment)] if isinstance(holder, dict | list) else None
        if isinstance(holder, tuple) and len(holder) == 2:
            holder = holder[1]
    _change(holder, step, form)
    return data


def _position(holder: Any, segment: Segment) -> Any:
    if isinstance(holder, Members):
        return max(i for i, (key, _) in enumerate(holder) if key == segment)
    return segment


def _change(holder: Any, step: Step, form: str) -> None:
    last = step.path[-1]
    if step.action == "delete":
        del holder[_position(holder, last)]
        return
    value = _fragment(step.fragment, form)
    if step.action == "rename":
        at = _position(holder, last)
        holder[at] = (value, holder[at][1])
    elif isinstance(holder, Members):
        if step.action == "insert":
            holder.append((str(last), value))
        else:
            holder[_position(holder, last)] = (str(last), value)
    elif step.action == "insert" and isinstance(holder, list):
        holder.insert(int(last), value)
    else:
        holder[last] = value
