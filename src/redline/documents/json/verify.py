"""Verified or unchanged: an independent parse of old and new must agree with the intent."""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NestsTooDeep
from redline.core.records import dataclass, replace
from redline.documents.base.depth import value_too_deep
from redline.documents.base.model import MAX_DEPTH, DocumentEdit
from redline.documents.base.path import Path, Segment
from redline.documents.json.mask import mask_of
from redline.documents.json.source import JsonText
from redline.documents.json.values import parse_plain, strict_loads
from redline.documents.json.walk import JsonEntry, last_mark, skip_space

# Above this a part is compared instead of the whole: parsing 50 MB costs more than all else.
WHOLE = 8 * 1024
# Up to this another parser also has to find the changed node where it was located.
_CONFIRMED = 32 * 1024
# The last version of the format without references, so that equal data is equal bytes.
_PLAIN = 2


@dataclass(frozen=True, slots=True)
class Step:
    """The intent of an edit: set, insert or delete at a path, or rename to `fragment`.

    A member is inserted behind the last one, or behind the one named `after`.
    """

    action: str
    path: Path
    fragment: str = ""
    after: str | None = None


class JsonMembers(list[tuple[str, Any]]):
    """An object as its members in order, duplicates included."""

    _places: dict[str, int] | None = None

    def place(self, key: Segment) -> int:
        """Return the position of the last member named *key*."""
        if self._places is None:
            self._places = {name: at for at, (name, _) in enumerate(self)}
        return self._places[str(key)]

    def add(self, key: str, value: Any) -> None:
        """One more member after the last."""
        if self._places is not None:
            self._places[key] = len(self)
        self.append((key, value))

    def move(self, key: Segment) -> int:
        """The same, and from now on members are no longer where they were."""
        known, self._places = self._places, None
        if known is not None:
            return known[str(key)]
        return max(at for at, (name, _) in enumerate(self) if name == key)


def verify(
    old: JsonText,
    edit: DocumentEdit,
    step: Step,
    chain: Sequence[JsonEntry],
    anchor: JsonEntry | None,
    *,
    whole: int = WHOLE,
) -> None:
    """Refuse *edit* unless old-with-the-intent and new are the same data.

    *chain* are the nodes from the root to the container that is changed, *anchor* the member that
    is changed or has the change beside it. Where a value is small enough it is parsed whole, old
    and new; of a large container only the span between the members next to the anchor. Outside
    not a byte differs, and inside complete values took the place of complete values.
    """
    if len(chain) + _depth(step.fragment) > MAX_DEPTH:
        raise value_too_deep()
    grown = len(edit.after) - len(edit.before)
    for depth, container in enumerate(chain):
        if container.end - container.start + max(grown, 0) <= whole:
            new_text = edit.after[container.start : container.end + grown]
            _require_inside(edit, container.start, container.end)
            _confirm(old, step, depth, anchor)
            local = replace(step, path=step.path[depth:])
            _compare(_parse_part(old, container), new_text, local, old.form)
            return
    if anchor is None:
        _compare(_parse_part(old, old.root), edit.after, step, old.form)
        return
    if not step.path:
        # The old value is gone, whatever it was.
        _compare(None, edit.after[anchor.start : anchor.end + grown], step, old.form)
        return
    _confirm(old, step, len(chain), anchor)
    _verify_span(old, edit, step, anchor)


def _confirm(old: JsonText, step: Step, depth: int, anchor: JsonEntry | None) -> None:
    """Refuse unless the anchor's bytes hold what another parser reads at its path.

    Where the root itself is compared, its *depth* being 0, the comparison tells that as well.
    """
    if not depth or anchor is None or old.root.end - old.root.start > _CONFIRMED:
        return
    found = old.take_values() if old.form == "json5" else None
    found = old.parse_values() if found is None else found
    try:
        for segment in step.path[:-1]:
            found = found[segment]
        last: Segment = step.path[-1] if anchor.key is None else anchor.key
        # What is appended is after the last item.
        appends = isinstance(last, int) and last == len(found) and step.action == "insert"
        found = found[-1 if appends else last]
        read = parse_plain(
            old.source[anchor.start : anchor.end], old.mask[anchor.start : anchor.end], old.form
        )
    except (LookupError, TypeError, ValueError, DocumentSyntax):
        raise _elsewhere() from None
    if _differ(found, read, old.form):
        raise _elsewhere()


def _elsewhere() -> CannotApply:
    return CannotApply("The value is not where it was located; nothing was changed")


def _verify_span(old: JsonText, edit: DocumentEdit, step: Step, anchor: JsonEntry) -> None:
    """Compare the text between the members next to *anchor*; a blank replaces those."""
    mask, grown = old.mask, len(edit.after) - len(edit.before)
    begin = last_mark(mask, anchor.start if anchor.key is None else anchor.key_start)
    follows = skip_space(mask, anchor.end)
    has_left, has_right = mask[begin] == 0x2C, mask[follows] == 0x2C
    # Brackets are no part of it, commas are: they come and go with members.
    begin = begin if has_left else begin + 1
    stop = skip_space(mask, follows + 1) if has_right else follows
    _require_inside(edit, begin, stop)
    name = "" if step.path[-1] else "-"
    blank = b'""' if anchor.key is None else f'"{name}":""'.encode()
    left, right = blank if has_left else b"", blank if has_right else b""
    ends = (b"[", b"]") if anchor.key is None else (b"{", b"}")
    # The anchor's own value may be as large as it likes: unless it is new, it is blank as well.
    before, after = edit.before, edit.after
    old_text = before[begin : anchor.start] + b'""' + before[anchor.end : stop]
    if step.action in ("insert", "rename"):
        if any(s.start < anchor.end and anchor.start < s.end for s in edit.splices):
            raise _changes_more()
        shift = sum(len(s.data) - s.end + s.start for s in edit.splices if s.end <= anchor.start)
        start, end = anchor.start + shift, anchor.end + shift
        new_text = after[begin:start] + b'""' + after[end : stop + grown]
    else:
        new_text = after[begin : stop + grown]
    texts = [ends[0] + left + text + right + ends[1] for text in (old_text, new_text)]
    place: Segment = step.path[-1]
    if anchor.key is None:
        behind = step.action == "insert" and edit.splices[0].start >= anchor.end
        place = int(has_left) + int(behind)
    local = replace(step, path=(place,))
    _compare(_parse(texts[0], old.form), texts[1], local, old.form)


def _require_inside(edit: DocumentEdit, start: int, stop: int) -> None:
    if any(splice.start < start or splice.end > stop for splice in edit.splices):
        raise CannotApply("The change would reach beyond its container; nothing was changed")


def _compare(data: Any, after: bytes, step: Step, form: str) -> None:
    """Refuse the text *after* unless it says what the intent makes of *data*."""
    try:
        actual = _parse(after, form)
    except (ValueError, DocumentSyntax) as error:
        raise CannotApply(f"The result would not parse: {error}") from None
    if _differ(_apply(data, step, form), actual, form):
        raise _changes_more()


def _changes_more() -> CannotApply:
    return CannotApply("The result would change something else too; nothing was changed")


def _depth(fragment: str) -> int:
    depth = deepest = 0
    for char in fragment:
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def verify_all(old: JsonText, edit: DocumentEdit, steps: Sequence[Step]) -> None:
    """Refuse *edit* unless old-with-every-intent and new are the same data."""
    try:
        new = JsonText(edit.after, old.form)
    except NestsTooDeep:
        raise value_too_deep() from None
    except DocumentSyntax as error:
        raise CannotApply(f"The result would not parse: {error.message}") from None
    data = _parse(edit.before, old.form)
    for step in steps:
        data = _apply(data, step, old.form)
    if _differ(data, _parse(new.source, old.form), old.form):
        raise _changes_more()


def _differ(expected: Any, actual: Any, form: str) -> bool:
    """Compare numbers of JSON by their text; those of JSON5 byte by byte, NaN as well."""
    if form == "json5":
        return marshal.dumps(expected, _PLAIN) != marshal.dumps(actual, _PLAIN)
    return bool(expected != actual)


def _parse(source: bytes, form: str) -> Any:
    """What an independent parser reads; duplicate keys and the text of numbers kept in JSON."""
    if form == "json5":
        return parse_plain(source, b"", form)
    return _exact(mask_of(source, form))


def _parse_part(old: JsonText, entry: JsonEntry) -> Any:
    """The same of a node of the old document, whose comments are blanked already."""
    if old.form == "json5":
        if entry == old.root and (values := old.take_values()) is not None:
            return values
        return _parse(old.source[entry.start : entry.end], old.form)
    return _exact(old.mask[entry.start : entry.end])


def _exact(mask: bytes | bytearray) -> Any:
    return strict_loads(
        mask.decode("utf-8"), object_pairs_hook=JsonMembers, parse_int=_number, parse_float=_number
    )


def _number(number: str) -> tuple[str]:
    return (number,)


def _apply(data: Any, step: Step, form: str) -> Any:
    """*data* with the intent carried out on plain values."""
    if not step.path:
        return _parse(step.fragment.encode("utf-8"), form)
    holder = data
    for segment in step.path[:-1]:
        holder = holder[_position(holder, segment)] if isinstance(holder, dict | list) else None
        if isinstance(holder, tuple) and len(holder) == 2:
            holder = holder[1]
    _change(holder, step, form)
    return data


def _position(holder: Any, segment: Segment) -> Any:
    if isinstance(holder, JsonMembers):
        return holder.place(segment)
    return segment


def _change_order(holder: Any, step: Step, value: Any) -> None:
    """Rename a member, or put one behind another; JSON5 has its members in a dict."""
    members = holder if isinstance(holder, JsonMembers) else JsonMembers(holder.items())
    last = step.path[-1]
    if step.action == "rename":
        at = members.move(last)
        members[at] = (value, members[at][1])
    else:
        members.insert(members.move(step.after or "") + 1, (str(last), value))
    if members is not holder:
        holder.clear()
        holder.update(members)


def _change(holder: Any, step: Step, form: str) -> None:
    last = step.path[-1]
    if step.action == "delete":
        del holder[holder.move(last) if isinstance(holder, JsonMembers) else last]
        return
    value = _parse(step.fragment.encode("utf-8"), form)
    if step.action == "rename" or step.after is not None:
        _change_order(holder, step, value)
    elif isinstance(holder, JsonMembers):
        if step.action == "insert":
            holder.add(str(last), value)
        else:
            holder[holder.place(last)] = (str(last), value)
    elif step.action == "insert" and isinstance(holder, list):
        holder.insert(int(last), value)
    else:
        holder[last] = value
