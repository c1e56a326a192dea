"""Swap, move, copy, sort, reverse."""

from __future__ import annotations

from redline.instruct.operations import Operation, Path
from redline.instruct.outcome import Outcome, Unclear
from redline.instruct.reader import Reader, rate
from redline.instruct.resolve import Found
from redline.instruct.tokens import Tokens
from redline.instruct.typed import listed
from redline.instruct.values import Num, Value, type_name
from redline.instruct.words import ARTICLES, SCOPING

_FRONT = frozenset("beginning start front top first".split())
_BACK = frozenset("end back bottom last".split())
_DOWN = frozenset("descending desc reverse reversed decreasing".split())
_UP = frozenset("ascending asc increasing alphabetical alphabetically numerically".split())


# Words with an order of their own, which the alphabet does not know.
_SCALE = frozenset("low medium high critical urgent minor major normal small large info".split())
_FALLING = (
    "from highest to lowest|highest first|largest first|from largest to smallest|"
    "from high to low|newest first|latest first|from z to a|most expensive first|most first|"
    "high to low|biggest first|longest first"
)
_RISING = (
    "from lowest to highest|lowest first|smallest first|from smallest to largest|"
    "from low to high|oldest first|earliest first|from a to z|youngest first|cheapest first|"
    "fewest first|low to high|shortest first"
)
_PHRASES = tuple(
    (tuple(phrase.split()), phrases is _FALLING)
    for phrases in (_FALLING, _RISING)
    for phrase in phrases.split("|")
)


def swap(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """Two places exchange their values."""
    place = next((i for i, t in enumerate(tokens) if i and t.low in ("and", "with")), None)
    if place is None:
        together: Found | None = reader.targets(tokens)
    else:
        around = [tokens[:place], tokens[place + 1 :]]
        parts = listed(tokens) if tokens[place].low == "and" else around
        together = reader.places(_completed(parts), strict=False) if len(parts) == 2 else None
    if together is None or len(together.nodes) != 2:
        raise Unclear("target", f"{reader.text(tokens)!r} does not name two places")
    one, two = together.nodes
    left, right = reader.value(one), reader.value(two)
    if type_name(left) != type_name(right) and None not in (left, right):
        raise Unclear("type", "the two places hold different types", together.nodes)
    operations = [*reader.replace(one, right), *reader.replace(two, left)]
    return [Outcome(tuple(operations), "both hold the same", together.nodes)]


def _completed(parts: list[Tokens]) -> list[Tokens]:
    """`Ann's role with Bob's`: what is owned is said once."""
    first, second = parts
    if second[-1].kind != "poss":
        return parts
    owned = [i for i, t in enumerate(first) if t.kind == "poss"]
    return [first, (*second, *first[owned[-1] + 1 :])] if owned else parts


def _one(reader: Reader, tokens: Tokens, *, strict: bool) -> Found:
    found = reader.targets(tokens, strict=strict)
    if len(found.nodes) != 1:
        raise Unclear("several", f"{reader.text(tokens)!r} is not one place", found.nodes)
    return found


def move(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """An element to another position of its array, or a key into another object."""
    place = _last(tokens, ("to", "into", "under", "inside", "before", "after"))
    if place is None:
        raise Unclear("clause", "move needs: move X to Y")
    word, where = tokens[place].low, tokens[place + 1 :]
    found = _mover(reader, tokens[:place], where)
    node = found.nodes[0]
    if reader.index.is_record(node):
        place_in = _place_in_array(reader, node, word, where)
        if place_in is not None:
            array = reader.index.path(reader.index.parents[node])
            return [_moved(reader, node, (*array, str(place_in)), found)]
    holder = _one(reader, where, strict=True).nodes[0]
    if holder == reader.index.parents[node]:
        return [Outcome((), "already there", (node,))]
    return [_moved(reader, node, _new_path(reader, node, holder), found)]


def _mover(reader: Reader, what: Tokens, where: Tokens) -> Found:
    """What moves; `the front of X` also says where it is now."""
    cut = next((i for i, t in enumerate(where) if i and t.low in ("of", "in")), None)
    if cut is None:
        return _one(reader, what, strict=True)
    if not any(t.low in SCOPING for t in what):
        try:
            return _one(reader, (*what, *where[cut:]), strict=True)
        except Unclear:
            pass
    found = _one(reader, what, strict=True)
    around = reader.meanings(where[cut + 1 :], strict=True)
    places = {node for meaning in around for node in meaning.nodes}
    generic = [t.low for t in where[cut + 1 :] if t.low not in ARTICLES] in (["list"], ["array"])
    if reader.index.parents[found.nodes[0]] not in places and not generic:
        raise Unclear("target", f"{reader.text(where)!r} is not around it", found.nodes)
    return found


def _last(tokens: Tokens, words: tuple[str, ...]) -> int | None:
    places = [i for i, t in enumerate(tokens) if t.low in words and 0 < i < len(tokens) - 1]
    return places[-1] if places else None


def _place_in_array(reader: Reader, node: int, word: str, where: Tokens) -> int | None:
    """The index before which the element goes, counted in the array as it is."""
    array = reader.index.parents[node]
    held = reader.value(array)
    assert isinstance(held, list)
    words = [t.low for t in where if t.low not in ARTICLES]
    for tail in ("of", "position", "place", "list", "array", "in"):
        words = words[: words.index(tail)] if tail in words and word == "to" else words
    if word == "to" and len(words) == 1 and words[0] in _FRONT | _BACK:
        return 0 if words[0] in _FRONT else len(held)
    if word in ("before", "after"):
        anchor = reader.resolver.find(where, scopes=(array,), strict=True)
        if len(anchor) == 1 and len(anchor[0].nodes) == 1:
            position = reader.index.keys[anchor[0].nodes[0]]
            if isinstance(position, int):
                return position + (word == "after")
        raise Unclear("target", f"{reader.text(where)!r} is not one element", (node,))
    if len(where) == 2 and where[0].low == "index" and where[1].text.isdigit():
        wanted, now = int(where[1].text), reader.index.keys[node]
        assert isinstance(now, int)
        if wanted >= len(held):
            raise Unclear("value", f"there is no index {wanted}", (node,))
        return wanted + (wanted > now)
    return None


def _new_path(reader: Reader, node: int, holder: int) -> Path:
    value = reader.value(holder)
    path = reader.index.path(holder)
    if isinstance(value, list):
        return (*path, str(len(value)))
    key = reader.index.keys[node]
    if not isinstance(value, dict) or not isinstance(key, str):
        raise Unclear("type", "it cannot be put there", (holder,))
    if key in value:
        raise Unclear("value", f"{key!r} is there already", (holder,))
    return (*path, key)


def _moved(reader: Reader, node: int, target: Path, found: Found) -> Outcome:
    path, value = reader.index.path(node), reader.value(node)
    position = reader.index.keys[node]
    beside = isinstance(position, int) and path[:-1] == target[:-1]
    if beside and int(target[-1]) in (int(path[-1]), int(path[-1]) + 1):
        return Outcome((), "already there", (node,))
    return Outcome((Operation("move", path, value, value, target).rated(rate(found)),), "", (node,))


def copy(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """The value of one place becomes the value of another of the same type."""
    place = _last(tokens, ("to", "into", "as"))
    if place is None:
        raise Unclear("clause", "copy needs: copy X to Y")
    source = _one(reader, tokens[:place], strict=False).nodes[0]
    value, key = reader.value(source), reader.index.keys[source]
    found = reader.targets(tokens[place + 1 :])
    # "the image of web to cache": into the field of the same name
    own = [reader.index.child(node, key) for node in found.nodes if isinstance(key, str)]
    same = [node for node in own if node is not None]
    if same and len(same) == len(found.nodes) and source not in same:
        found = Found(tuple(same), found.many, found.several, found.partial)
    return [reader.each(found, lambda node: _fitting(reader, node, value))]


def _fitting(reader: Reader, node: int, value: Value) -> Value:
    now = reader.value(node)
    if now is not None and type_name(now) != type_name(value):
        raise Unclear("type", "the two places hold different types", (node,))
    return value


def sort(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """An array in order of its elements or of one of their fields."""
    tokens, down = _direction(tokens)
    by = 0 if tokens and tokens[0].low == "by" else _last(tokens, ("by", "on"))
    target, field = (tokens, ()) if by is None else (tokens[:by], tokens[by + 1 :])
    whole = Found((0,)) if not target and isinstance(reader.value(0), list) else None
    found = whole or reader.targets(target)
    return [reader.each(found, lambda node: _sorted(reader, node, field, down))]


def _direction(tokens: Tokens) -> tuple[Tokens, bool]:
    """Take the words for the direction off: `by age in descending order`, `highest first`."""
    words = [t for i, t in enumerate(tokens) if not _is_before_by(tokens, i) and t.low != ","]
    lows = [t.low for t in words]
    for phrase, down in _PHRASES:
        if tuple(lows[-len(phrase) :]) == phrase:
            rest = words[: -len(phrase)]
            # the oldest has the earliest date, but the highest age
            ages = phrase[0] in ("oldest", "youngest") and rest[-1:] and rest[-1].low == "age"
            return tuple(rest), down != bool(ages and phrase[0] == "oldest")
    down = False
    while words and words[-1].low in _DOWN | _UP | {"order", "in"}:
        down = words.pop().low in _DOWN or down
    return tuple(words), down


def _is_before_by(tokens: Tokens, place: int) -> bool:
    return tokens[place].low in _UP and [t.low for t in tokens[place + 1 : place + 2]] == ["by"]


def _sorted(reader: Reader, node: int, field: Tokens, down: bool) -> Value:
    value = reader.value(node)
    if not isinstance(value, list):
        raise Unclear("type", "only an array can be sorted", (node,))
    keys = _sort_keys(reader, node, field) if field else list(value)
    kinds = {type(key) for key in keys}
    if len(kinds) > 1 or not kinds <= {str, Num}:
        raise Unclear("type", "the elements cannot be ordered by that", (node,))
    if any(isinstance(key, str) and key.lower() in _SCALE for key in keys):
        raise Unclear("value", "which of these words ranks higher is not known", (node,))
    order = sorted(range(len(value)), key=lambda i: _rank(keys[i]), reverse=down)
    if down:
        order = sorted(range(len(value) - 1, -1, -1), key=lambda i: _rank(keys[i]))[::-1]
    return [value[i] for i in order]


def _rank(key: Value) -> tuple[object, ...]:
    if isinstance(key, Num):
        return (key.decimal,)
    assert isinstance(key, str)
    return (key.lower(), key)


def _sort_keys(reader: Reader, node: int, field: Tokens) -> list[Value]:
    from redline.instruct.filters import form_of

    records = list(reader.index.children(node))
    words = tuple(t for t in field if t.low not in ARTICLES)
    fields = reader.resolver.filters.fields(form_of(words), records) if words else None
    if fields is None or len(fields) != len(records):
        raise Unclear("target", f"not every element has {reader.text(field)!r}", (node,))
    return [fields[record] for record in records]


def reverse(reader: Reader, tokens: Tokens) -> list[Outcome]:
    """An array back to front."""
    lows = [t.low for t in tokens]
    if lows[:3] == ["the", "order", "of"]:
        tokens = tokens[3:]
    found = reader.targets(tokens)

    def reversed_(node: int) -> Value:
        value = reader.value(node)
        if not isinstance(value, list):
            raise Unclear("type", "only an array can be reversed", (node,))
        return value[::-1]

    return [reader.each(found, reversed_)]
