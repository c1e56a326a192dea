"""Read argument names the way callers mean them, before the schema is checked.

A caller that asks for a dry run gets one or is refused, however it writes the name. An unknown
argument that is nearly a known one is refused with the right name; any other is reported back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from redline.core.errors import InvalidArgument
from redline.server.calls.preview_names import asks_for_preview, may_ask_for_preview
from redline.toolsets.tool import Json, Tool

_DRY_RUN = "dryrun"
_CLOSE = 0.8


class Prepared(NamedTuple):
    """Arguments under their listed names, and the names of those that are ignored."""

    arguments: Json
    ignored: tuple[str, ...]


def prepare(tool: Tool, arguments: Json) -> Prepared:
    """Drop nulls that mean absent, resolve dry-run names, refuse near misses."""
    schema = tool.input_schema
    known = schema.get("properties", {})
    given = _without_nulls(schema, arguments)
    if given.keys() <= known.keys():
        return Prepared(given, _ignored_in_items(tool, known, given))
    prepared: Json = {}
    ignored: list[str] = []
    for name, value in given.items():
        if name in known or name in tool.unlisted:
            prepared.setdefault(name, value)
        elif tool.writes and _dry_run_name(known) and asks_for_preview(name, value):
            if _flag(name, value):
                prepared[_dry_run_name(known)] = True
        elif schema.get("additionalProperties", True) is False:
            prepared[name] = value  # the schema refuses it and lists the legal names
        else:
            _refuse_near_miss(tool, name, known, value)
            ignored.append(name)
    return Prepared(prepared, (*ignored, *_ignored_in_items(tool, known, prepared)))


def _without_nulls(schema: Json, arguments: Json) -> Json:
    """Treat null for an optional argument as absent, unless the schema gives null a meaning."""
    if None not in arguments.values():
        return arguments
    known, required = schema.get("properties", {}), schema.get("required", ())
    return {
        name: value
        for name, value in arguments.items()
        if value is not None or name in required or _takes_null(known.get(name))
    }


def _takes_null(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    kinds = schema.get("type")
    return (kinds is None and not schema.get("enum")) or kinds == "null" or "null" in (kinds or ())


def _dry_run_name(known: Iterable[str]) -> str:
    return next((name for name in known if fold(name) == _DRY_RUN), "")


def _flag(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidArgument(
        f"{name} must be true or false",
        field=name,
        hint="nothing was changed; pass true to see the change without making it",
    )


def _refuse_near_miss(tool: Tool, name: str, known: Iterable[str], value: Any) -> None:
    near = nearest(name, known, _CLOSE)
    if near is None and tool.writes and may_ask_for_preview(name, value):
        near = _dry_run_name(known) or None
    if near is not None:
        raise InvalidArgument(
            f"Unknown argument for {tool.name}: {name}",
            field=name,
            hint=f"did you mean {near}? Nothing was done",
        )


def _ignored_in_items(tool: Tool, known: Mapping[str, Any], arguments: Json) -> tuple[str, ...]:
    """Refuse misnamed fields in lists of objects, such as the edits of an edit call.

    Return the others that are not read, each where it is first.
    """
    ignored: dict[str, str] = {}
    for name, value in arguments.items():
        items = known.get(name, {}).get("items", {})
        fields = items.get("properties") if isinstance(items, dict) else None
        if not fields or not isinstance(value, list):
            continue
        for number, item in enumerate(value):
            if isinstance(item, dict) and not item.keys() <= fields.keys():
                _check_item(tool, f"{name}[{number}]", fields, item)
                for field in item:
                    if field not in fields:
                        ignored.setdefault(field, f"{name}[{number}].{field}")
    return tuple(ignored.values())


def _check_item(tool: Tool, where: str, fields: Mapping[str, Any], item: Json) -> None:
    for name in item.keys() - fields.keys():
        if tool.writes and asks_for_preview(name, item[name]):
            raise InvalidArgument(
                f"{where}.{name} is not read there",
                field=f"{where}.{name}",
                hint=f"give {_dry_run_name(tool.input_schema['properties'])} beside the list",
            )
        near = nearest(name, fields, _CLOSE)
        if near is not None:
            raise InvalidArgument(
                f"Unknown field: {where}.{name}",
                field=f"{where}.{name}",
                hint=f"did you mean {where}.{near}? Nothing was done",
            )


def nearest(name: str, legal: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the legal name that *name* was most likely meant to be."""
    names = list(legal)
    folded = fold(name)
    for candidate in names:
        if fold(candidate) == folded:
            return candidate
    import difflib

    by_fold = {fold(candidate): candidate for candidate in names}
    close = difflib.get_close_matches(folded[:100], by_fold, n=1, cutoff=cutoff)
    return by_fold[close[0]] if close else None


def fold(name: str) -> str:
    """Reduce *name* to what case, hyphens, underscores and dots do not change."""
    return name.replace("_", "").replace("-", "").replace(".", "").replace(" ", "").lower()
