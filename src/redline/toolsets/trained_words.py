"""Read a call in the words of other tools: names and values that models were trained on.

A tool says with `Tool.words` where its table is. Nothing of it is listed, so it costs no tokens.
Two names of one argument may agree; where they do not, the call is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from redline.core.errors import InvalidArgument
from redline.core.text_limits import shorten
from redline.toolsets.tool import Json, Tool, load_function

# Prose about the call, and ids of it: whatever they say, the call does the same.
_PROSE = frozenset(
    """
    description explanation justification reason reasoning rationale goal purpose intent thought
    thoughts thinking taskprogress toolcallid tooluseid callid toolsummary toolaction securityrisk
    """.split()
)
_MAX_SHOWN = 40
# The key under which a reader says how it understood a value.
NOTE = "note"
_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
}


class Reader(NamedTuple):
    """Arguments that are read together, and what they mean.

    `names` maps each to its JSON type, None for any. `read` gets their values in this order, None
    for those that are absent, and returns arguments of the tool. They may include a NOTE.
    """

    names: Mapping[str, str | None]
    read: Callable[..., Json]


class Words(NamedTuple):
    """What models say to one tool beside its listed arguments.

    `names` has other names of an argument, with spaces between them. `refused` has names that ask
    for something else, with what to do instead; false and 0 ask for nothing. `ignored` names
    arguments that change nothing here.
    """

    names: Mapping[str, str] = {}
    readers: tuple[Reader, ...] = ()
    refused: Mapping[str, str] = {}
    ignored: str = ""

    def other_names(self) -> Iterator[tuple[str, str]]:
        """Yield each unlisted name with the argument that it means, itself if it has a reader."""
        for listed, others in self.names.items():
            yield from ((other, listed) for other in others.split())
        for reader in self.readers:
            yield from ((name, name) for name in reader.names)


class Translated(NamedTuple):
    """Arguments under their listed names, and notes on how values were understood."""

    arguments: Json
    notes: tuple[str, ...] = ()


def words_of(tool: Tool) -> Words:
    """Return the table of *tool*."""
    tables: Mapping[str, Words] = load_function(tool.words)
    return tables.get(tool.name, Words())


def is_harmless(tool: Tool, name: str) -> bool:
    """Return whether an unknown argument changes nothing about what *tool* does."""
    return fold(name) in _PROSE or name.startswith("_") or _changes_nothing(tool, name)


def _changes_nothing(tool: Tool, name: str) -> bool:
    return fold(name) in map(fold, words_of(tool).ignored.split())


def translate(tool: Tool, arguments: Json, parse: Callable[[str], Any] = json.loads) -> Translated:
    """Return *arguments* in the tool's own words; InvalidArgument where two of them disagree.

    Null means absent, except for arguments of any type.
    *parse* reads JSON text in the place of an array or an object.
    """
    return _Translation(tool, parse).run(arguments)


class _Translation:
    """One call on its way into the tool's own words."""

    def __init__(self, tool: Tool, parse: Callable[[str], Any]) -> None:
        self._tool = tool
        self._words = words_of(tool)
        self._parse = parse
        self._properties: Json = tool.input_schema.get("properties", {})
        self._list, self._fields = _list_of_objects(self._properties)
        self._schemas: Json = {**self._fields, **self._properties}
        self._canonical = _canonical_names(tool)

    def run(self, arguments: Json) -> Translated:
        """Translate the names, then values that are read together, then the items of a list."""
        given = self._rename(arguments, "")
        notes: list[str] = []
        for reader in self._words.readers:
            if not reader.names.keys().isdisjoint(given):
                self._apply(reader, given, notes)
        self._refuse_others(given)
        if self._fields:
            self._fill_list(given)
        return Translated(given, tuple(notes))

    def _rename(self, arguments: Json, where: str) -> Json:
        given: Json = {}
        names: dict[str, str] = {}
        for name, value in arguments.items():
            listed = self._canonical.get(name) or self._canonical.get(fold(name), name)
            if value is None and "type" in self._schemas.get(listed, {"type": ""}):
                continue  # absent
            value = _fit(self._schemas.get(listed), value, self._parse)
            if listed in given and given[listed] != value:
                raise _disagreement(where + names[listed], where + name, given[listed], value)
            given[listed], names[listed] = value, name
        return given

    def _apply(self, reader: Reader, given: Json, notes: list[str]) -> None:
        named = [name for name in reader.names if name in given]
        values = [self._check_type(name, kind, given) for name, kind in reader.names.items()]
        for name in named:
            del given[name]
        said = " and ".join(name for name in named if name not in self._properties)
        for name, value in reader.read(*values).items():
            if name == NOTE:
                notes.append(value)
            elif name in given and given[name] != value:
                raise _disagreement(name, said or name, given[name], value)
            else:
                given[name] = value

    def _check_type(self, name: str, kind: str | None, given: Json) -> Any:
        value = given.get(name)
        if value is None or kind is None:
            return value
        value = _fit({"type": kind, "items": {"type": "string"}}, value, self._parse)
        if not isinstance(value, _KINDS[kind]) or (kind == "integer" and value is True):
            raise InvalidArgument(
                f"{name} must be {kind}, got {_show(value)}",
                field=name,
                hint="nothing was done",
            )
        return value

    def _refuse_others(self, given: Json) -> None:
        for name, instead in self._words.refused.items():
            value = given.pop(name, None)
            if value not in (None, False, 0, "", "false", []):
                raise InvalidArgument(
                    f"{self._tool.name} has no {name}",
                    field=name,
                    hint=f"{instead}; nothing was done",
                )

    def _fill_list(self, given: Json) -> None:
        """Make one item of fields beside the list; beside items they are for each of them."""
        beside = {
            name: given.pop(name)
            for name in self._fields
            if name in given and name not in self._properties
        }
        items = given.get(self._list, [{}] if beside else None)
        if not isinstance(items, list):
            return
        given[self._list] = [
            self._fill(self._rename(item, f"{self._list}[{number}]."), number, beside)
            if isinstance(item, dict)
            else item
            for number, item in enumerate(items)
        ]

    def _fill(self, item: Json, number: int, beside: Json) -> Json:
        for name, value in beside.items():
            if name in item and item[name] != value:
                where = f"{self._list}[{number}].{name}"
                raise _disagreement(name, where, value, item[name])
        return {**beside, **item}


def _fit(schema: Any, value: Any, parse: Callable[[str], Any]) -> Any:
    """Return *value* in the type of *schema*, where it says the same in another one."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind == "array":
        return _fit_array(schema, value, parse)
    if kind == "object" and isinstance(value, str):
        found = _parse_json(value, parse)
        return found if isinstance(found, dict) else value
    if kind == "boolean" and isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    if kind == "integer" and isinstance(value, str | float):
        return _whole(value)
    if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value


def _fit_array(schema: Json, value: Any, parse: Callable[[str], Any]) -> Any:
    items = schema.get("items", {})
    if isinstance(value, str):
        found = _parse_json(value, parse)
        is_list = isinstance(found, list) or (isinstance(found, dict) and "properties" in items)
        value = found if is_list else value
    if isinstance(value, list):
        return [_fit(items, each, parse) for each in value]
    is_one = isinstance(value, dict) == ("properties" in items) and value != ""
    return [_fit(items, value, parse)] if is_one else value


def _parse_json(text: str, parse: Callable[[str], Any]) -> Any:
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return None


def _whole(given: str | float) -> Any:
    try:
        number = float(given)
    except ValueError:
        return given
    return int(number) if number.is_integer() else given


def _list_of_objects(properties: Json) -> tuple[str, Json]:
    """Return the name of the list of objects that a tool takes, and the fields of its items."""
    for name, schema in properties.items():
        fields = schema.get("items", {}).get("properties")
        if fields:
            return name, fields
    return "", {}


@lru_cache(maxsize=64)
def _names_in(words: str, name: str, listed: frozenset[str]) -> Mapping[str, str]:
    tables: Mapping[str, Words] = load_function(words)
    table = tables.get(name, Words())
    found: dict[str, str] = {}
    for other, meant in (*((each, each) for each in listed), *table.other_names()):
        found.setdefault(other, meant)
        if not other.startswith("-"):
            found.setdefault(fold(other), meant)
    for other in table.refused:
        found.setdefault(fold(other), other)
    return found


def _canonical_names(tool: Tool) -> Mapping[str, str]:
    """Return the argument that each name means, by the name and by its folded form."""
    properties = tool.input_schema.get("properties", {})
    fields = _list_of_objects(properties)[1]
    return _names_in(tool.words, tool.name, frozenset({*properties, *fields}))


def meant_names(tool: Tool) -> Mapping[str, str]:
    """Return the argument or field of each name that *tool* knows, for suggestions."""
    properties = tool.input_schema.get("properties", {})
    listed = {*properties, *_list_of_objects(properties)[1]}
    return {name: meant for name, meant in _canonical_names(tool).items() if meant in listed}


def _disagreement(one: str, other: str, first: Any, second: Any) -> InvalidArgument:
    return InvalidArgument(
        f"{one} and {other} mean the same and disagree: {_show(first)}, {_show(second)}",
        field=other,
        hint=f"give only {one}; nothing was done",
    )


def _show(value: Any) -> str:
    return shorten(json.dumps(value, ensure_ascii=False, default=str), _MAX_SHOWN)


def fold(name: str) -> str:
    """Reduce *name* to what case, hyphens, underscores and dots do not change."""
    return name.replace("_", "").replace("-", "").replace(".", "").replace(" ", "").lower()
