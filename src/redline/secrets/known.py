"""Values that are known to be secrets, found again anywhere, even in part or encoded."""

from __future__ import annotations

from base64 import b64encode
from threading import Lock
from typing import NamedTuple

from redline.secrets.find import FoundSecret, TextScanner

_GRAM = 8
# A shorter part of a value is no longer looked for: too many texts would have it by chance.
MIN_PART = 12
_MAX_VALUES = 50_000
_MAX_RECENT = 48
_MAX_SHARED = 64


class KnownValue(NamedTuple):
    """A value, or how it is encoded; `text` is what is looked for and ends with the value."""

    value: str
    text: str
    kind: str
    name: str


class _Index(NamedTuple):
    scanner: TextScanner
    places: list[list[tuple[KnownValue, int]]]


class KnownValues:
    """Values that were found once; safe from any number of threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[str, KnownValue] = {}
        self._recent: list[KnownValue] = []
        self._settled: tuple[KnownValue, ...] = ()
        self._indexes: dict[tuple[bool, bool], _Index | None] = {}
        # Changes whenever there is more to find.
        self.generation = 0

    def add(self, value: str, text: str, kind: str, name: str) -> bool:
        """Remember *value*, which `text` ends with; return whether that is new."""
        with self._lock:
            if text in self._values or len(self._values) >= _MAX_VALUES or len(text) < _GRAM:
                return False
            known = KnownValue(value, text, kind, name)
            self._values[text] = known
            self._recent.append(known)
            if len(self._recent) > _MAX_RECENT:
                self._settled += tuple(self._recent)
                self._recent = []
                self._indexes.clear()
            else:
                self._indexes.pop((False, False), None)
                self._indexes.pop((False, True), None)
            self.generation += 1
            return True

    def all(self) -> list[KnownValue]:
        """Return every value that is known."""
        with self._lock:
            return list(self._values.values())

    def find(
        self, text: str, data: bytes | None = None, *, encoded: bool = False
    ) -> list[FoundSecret]:
        """Return where *text* has a known value or a longer part; or one that is *encoded*."""
        found: list[FoundSecret] = []
        for is_settled in (False, True):
            index = self._index(is_settled, encoded)
            if index is not None:
                found += _find(text, data, index)
        return found

    def _index(self, is_settled: bool, encoded: bool) -> _Index | None:
        key = (is_settled, encoded)
        if key in self._indexes:
            return self._indexes[key]
        with self._lock:
            values = self._settled if is_settled else tuple(self._recent)
            if encoded:
                values = tuple(form for known in values for form in _encode(known))
            index = _build(values) if values else None
            self._indexes[key] = index
            return index


def _encode(known: KnownValue) -> list[KnownValue]:
    """Return the forms of a value in base64, at each of three places, and in hexadecimal."""
    if known.text != known.value:
        return []
    data = known.value.encode("utf-8", "replace")
    forms = [data.hex(), data.hex().upper()]
    for before in range(3):
        shown = b64encode(bytes(before) + data).decode()
        # The first and last characters depend on what is around the value.
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        forms.append(shown[first:last])
    forms += [form.replace("+", "-").replace("/", "_") for form in forms[2:]]
    return [
        KnownValue(form, form, known.kind, known.name)
        for form in dict.fromkeys(forms)
        if len(form) >= MIN_PART
    ]


def _build(values: tuple[KnownValue, ...]) -> _Index:
    grams: dict[str, list[tuple[KnownValue, int]]] = {}
    for known in values:
        length = len(known.text)
        if known.text != known.value or length < MIN_PART:
            starts = {0: length}
        else:
            # A beginning of MIN_PART characters has the first of these, an end the last.
            starts = dict.fromkeys(range(MIN_PART - _GRAM, length - _GRAM + 1, _GRAM), _GRAM)
            starts[length - _GRAM] = _GRAM
        for start, size in starts.items():
            places = grams.setdefault(known.text[start : start + size], [])
            if len(places) < _MAX_SHARED:
                places.append((known, start))
    return _Index(TextScanner(grams, longest=True), list(grams.values()))


def _find(text: str, data: bytes | None, index: _Index) -> list[FoundSecret]:
    found: list[FoundSecret] = []
    done = 0
    for start, _, number in index.scanner.find(text, data):
        if start < done:
            continue
        best: FoundSecret | None = None
        for known, offset in index.places[number]:
            place = _extend(text, start, known, offset)
            if place is not None and (
                best is None or place.end - place.start > best.end - best.start
            ):
                best = place
        if best is not None:
            found.append(best)
            done = best.end
    return found


def _extend(text: str, at: int, known: KnownValue, offset: int) -> FoundSecret | None:
    """Return as much of the value around *at* as *text* has, if that is enough of it."""
    value = known.text
    if value != known.value:
        if not text.startswith(value, at):
            return None
        end = at + len(value)
        return FoundSecret(end - len(known.value), end, known.kind, known.name)
    first, last = offset, offset + min(_GRAM, len(value))
    shift = at - offset
    if not text.startswith(value[first:last], at):
        return None
    while first > 0 and first + shift > 0 and value[first - 1] == text[first + shift - 1]:
        first -= 1
    while last < len(value) and last + shift < len(text) and value[last] == text[last + shift]:
        last += 1
    if last - first < min(MIN_PART, len(value)):
        return None
    return FoundSecret(first + shift, last + shift, known.kind, known.name)
