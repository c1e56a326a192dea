"""Verified or unchanged: an independent parse of old and new must agree with the intent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.depth import value_too_deep
from redline.documents.json_text import Entry, JsonText, mask_of, parse_plain, strict_loads
from redline.documents.model import Edit
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


def verify(old: JsonText, edit: Edit, step: Step) -> None:
    """Refuse *edit* unless old-with-the-intent and new are the same data."""
    try:
        new = JsonText(edit.after, old.form)
    except DocumentSyntax as error:
        if "deeper" in error.message:
            raise value_too_deep() from None
        raise CannotApply(f"The result would not parse: {error.message}") from None
    depth, before, after = _scope(old, new, step)
    local = Step(step.action, step.path[depth:], step.fragment)
    if before is None or after is None:
        _check_slice(new, local, step)
        return
    expected = _apply(_parse(old, before), local, old.form)
    if repr(expected) != repr(_parse(new, after)):
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
    if repr(data) != repr(_parse(new, new.root)):
        raise CannotApply("The result would change something else too; nothing was changed")


def _scope(old: JsonText, new: JsonText, step: Step) -> tuple[int, Entry | None, Entry | None]:
    """The outermost container on the path that is small enough to be compared whole."""
    before, after = old.root, new.root
    for depth in range(len(step.path)):
        if after.end - after.start <= WHOLE:
            return depth, before, after
        if depth == len(step.path) - 1:
            break
        inner_before, inner_after = (
            _descend(text, entry, step.path[depth]) for text, entry in ((old, before), (new, after))
        )
        if inner_before is None or inner_after is None:
            raise CannotApply("The result would not hold the path any more; nothing was changed")
        before, after = inner_before, inner_after
    if not step.path:
        return 0, before, after
    return 0, None, None


def _descend(text: JsonText, entry: Entry, segment: Segment) -> Entry | None:
    if isinstance(segment, int):
        return text.item(entry, segment)[0]
    return text.member(entry, segment)[0]


def _check_slice(new: JsonText, local: Step, step: Step) -> None:
    """For a container too large to parse: the new file holds exactly the fragment at the path."""
    if step.action not in ("set", "insert"):
        return
    entry: Entry | None = new.root
    for segment in step.path:
        entry = _descend(new, entry, segment) if entry is not None else None
    if entry is None or new.source[entry.start : entry.end] != local.fragment.encode("utf-8"):
        raise CannotApply("The result would not hold the value at its path; nothing was changed")


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
