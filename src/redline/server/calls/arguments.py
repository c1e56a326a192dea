"""Read arguments the way callers mean them, and check them against the listed schema.

A caller that asks for a dry run gets one or is refused, however it writes the name. An unknown
argument that is nearly a known one is refused with the right name; any other is reported back.
A refusal lets a model repair its call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, repeat
from typing import Any, NamedTuple

from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex
from redline.core.text_limits import shorten
from redline.toolsets.tool import Json, Tool
from redline.toolsets.trained_words import fold, is_harmless, meant_names, translate

_DRY_RUN = "dryrun"
_CLOSE = 0.8
# Where the call is refused in any case, a suggestion may be further off.
_NEAR = 0.65


class Prepared(NamedTuple):
    """Arguments under their listed names, and the names of those that are ignored.

    `notes` says how values in the words of other tools were understood.
    """

    arguments: Json
    ignored: tuple[str, ...]
    notes: tuple[str, ...] = ()


def prepare(tool: Tool, arguments: Json) -> Prepared:
    """Drop nulls that mean absent, resolve dry-run names, refuse near misses.

    A tool with words of other tools takes these, and refuses every name that it does not know.
    """
    schema = tool.input_schema
    known = schema.get("properties", {})
    notes: tuple[str, ...] = ()
    if tool.words:
        given, notes = translate(tool, arguments)
    else:
        given = _without_nulls(schema, arguments)
    if given.keys() <= known.keys():
        return Prepared(given, _ignored_in_items(tool, known, given), notes)
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
    return Prepared(prepared, (*ignored, *_ignored_in_items(tool, known, prepared)), notes)


def _without_nulls(schema: Json, arguments: Json) -> Json:
    """Treat null for an optional argument as absent, unless the schema gives null a meaning."""
    known, required = schema.get("properties", {}), schema.get("required", ())
    return {
        name: _items_without_nulls(known.get(name), value) if isinstance(value, list) else value
        for name, value in arguments.items()
        if value is not None or name in required or _takes_null(known.get(name))
    }


def _items_without_nulls(schema: Any, values: list[Any]) -> list[Any]:
    """Apply the same rule to each object of a list, such as the edits of an edit call."""
    items = schema.get("items") if isinstance(schema, dict) else None
    if not isinstance(items, dict) or "properties" not in items:
        return values
    return [_without_nulls(items, each) if isinstance(each, dict) else each for each in values]


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
    if tool.words and is_harmless(tool, name):
        return
    near = _meant(tool, name) if tool.words else nearest(name, known, _CLOSE)
    if near is None and tool.writes and may_ask_for_preview(name, value):
        near = _dry_run_name(known) or None
    if near is not None:
        raise InvalidArgument(
            f"Unknown argument for {tool.name}: {name}",
            field=name,
            hint=f"did you mean {near}? Nothing was done",
        )
    if tool.words:
        raise InvalidArgument(
            f"Unknown argument for {tool.name}: {name}",
            field=name,
            hint=f"{tool.name} takes {', '.join(known)}. Nothing was done",
        )


def _meant(tool: Tool, name: str) -> str | None:
    """Return the argument that *name* is near to, by its own name or by that of another tool."""
    meant = meant_names(tool)
    near = nearest(name, meant, _NEAR)
    return None if near is None else meant[near]


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
        near = nearest(name, fields, _NEAR if tool.words else _CLOSE)
        if near is not None or (tool.words and not is_harmless(tool, name)):
            says = f"did you mean {where}.{near}?" if near else f"it takes {', '.join(fields)}."
            raise InvalidArgument(
                f"Unknown field: {where}.{name}",
                field=f"{where}.{name}",
                hint=f"{says} Nothing was done",
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


_WORD = late_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Whole names, without case and separators; whatever their value is, they ask for a preview.
_NAMES = frozenset(
    """
    dryrun preview previewonly simulate simulation simulateonly checkonly whatif noop nowrite
    donotwrite dontwrite nocommit testrun testonly trial trialrun pretend planonly diffonly dry
    validateonly verifyonly showonly
    """.split()
)
# A flag with one of these words in its name, or one of each set of a pair, asks for one too.
_WORDS = frozenset({"dry", "preview", "simulate", "simulation", "simulated", "pretend", "whatif"})
_PAIRS = (
    ({"only", "just"}, {"check", "validate", "verify", "plan", "diff", "show", "test", "print"}),
    ({"no", "not", "dont", "without", "skip"}, {"write", "writes", "commit", "apply", "save"}),
    ({"what"}, {"if"}),
    ({"test", "trial"}, {"run"}),
)
# A flag with one of these words may ask for a preview or for something else.
_DOUBTFUL = frozenset({"check", "validate", "verify", "test", "plan", "diff"})
_FLAG_TEXTS = frozenset({"true", "yes", "on", "1"})


def asks_for_preview(name: str, value: Any) -> bool:
    """Return whether the argument asks for a dry run, in any case and with any separators."""
    in_order = [word.lower() for word in _WORD.findall(name[:100])]
    whole, words = "".join(in_order), set(in_order)
    if whole in _NAMES:
        return True
    is_named = "dryrun" in whole or not words.isdisjoint(_WORDS)
    return _is_set(value) and (is_named or any(words & one and words & two for one, two in _PAIRS))


def may_ask_for_preview(name: str, value: Any) -> bool:
    """Return whether the flag could ask for a dry run, so that ignoring it could do harm."""
    words = {word.lower() for word in _WORD.findall(name[:100])}
    return _is_set(value) and not words.isdisjoint(_DOUBTFUL)


def _is_set(value: Any) -> bool:
    return value is True or value == 1 or str(value).lower() in _FLAG_TEXTS


# Beyond it JSON's own numbers are not exact, and nothing here has so many of anything.
MAX_INTEGER = (1 << 53) - 1
_MAX_VALUE_CHARS = 80
_MAX_ERRORS = 20
_MAX_NAMES = 8
_PLAIN = {"type", "properties", "required", "items", "enum", "description", "title", "default"}
_validators: dict[int, tuple[Tool, Any]] = {}


def validate(tool: Tool, arguments: Json) -> Json:
    """Return the arguments when they fit the tool's schema; InvalidArgument otherwise."""
    if _fits_plainly(tool.input_schema, arguments):
        return _whole_numbers(tool, arguments)
    validator = _validator(tool)
    try:
        if validator.is_valid(arguments):
            return _whole_numbers(tool, arguments)
        errors = list(islice(validator.iter_errors(arguments), _MAX_ERRORS))
    except ValueError as failure:  # values that JSON cannot hold, such as lone surrogates
        raise InvalidArgument(f"Arguments are not valid JSON: {failure}") from None
    raise _refusal(tool, arguments, errors)


def _fits_plainly(schema: Json, value: Any) -> bool:
    """Return whether *value* certainly fits; False where only a validator of JSON Schema can tell.

    Most calls fit a plain schema, and a command need not load the validator for them.
    """
    if not schema.keys() <= _PLAIN:
        return False
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return (
            type(value) is dict
            and set(schema.get("required", ())) <= value.keys() <= fields.keys()
            and all(map(_fits_plainly, map(fields.get, value), value.values()))
        )
    if kind == "array":
        items = repeat(schema.get("items", {}))
        return type(value) is list and all(map(_fits_plainly, items, value))
    if kind == "string":
        return type(value) is str and value.isascii() and value in schema.get("enum", (value,))
    wanted = {"boolean": bool, "integer": int}.get(str(kind))
    return "enum" not in schema and type(value) is wanted


def _whole_numbers(tool: Tool, arguments: Json) -> Json:
    # JSON Schema counts 3.0 as an integer; handlers index and slice with it, and add one to it.
    properties = tool.input_schema.get("properties", {})
    whole: Json = {}
    for name, value in arguments.items():
        if isinstance(value, int | float) and properties.get(name, {}).get("type") == "integer":
            whole[name] = max(-MAX_INTEGER, min(int(value), MAX_INTEGER))
    return {**arguments, **whole} if whole else arguments


def _validator(tool: Tool) -> Any:
    known = _validators.get(id(tool))
    if known is None:
        import jsonschema_rs

        known = (tool, jsonschema_rs.validator_for(tool.input_schema))
        _validators[id(tool)] = known
    return known[1]


def _refusal(tool: Tool, arguments: Json, errors: Sequence[Any]) -> InvalidArgument:
    facts: list[str] = []
    hints: list[str] = []
    fields: list[str] = []
    for found in sorted(errors, key=_rank)[:3]:
        fact, hint, field = _explain(tool.input_schema, arguments, found)
        facts.append(fact)
        fields.append(field)
        if hint and hint not in hints:
            hints.append(hint)
    more = f" (and {len(errors) - 3} more)" if len(errors) > 3 else ""
    return InvalidArgument(
        f"Invalid arguments for {tool.name}: " + "; ".join(facts) + more,
        field=fields[0],
        hint="; ".join(hints) or None,
        details={"tool": tool.name, "problems": facts},
    )


def _rank(found: Any) -> int:
    # A wrong name explains a missing one, so it comes first.
    return {"additionalProperties": 0, "required": 1}.get(found.kind.name, 2)


def _explain(schema: Json, arguments: Json, found: Any) -> tuple[str, str | None, str]:
    where = _format_path(found.instance_path)
    kind = found.kind.name
    if kind == "additionalProperties":
        return _unknown(schema, found, where)
    if kind == "required":
        name = str(found.kind.property)
        field = f"{where}.{name}" if where else name
        return (
            f"{field} is required",
            _describe_expected(schema, [*found.instance_path, name]),
            field,
        )
    value = _format_value(_at(arguments, found.instance_path))
    fact = f"{where or 'arguments'} {_requirement(found)}, got {value}"
    return fact, None, where or "arguments"


def _unknown(schema: Json, found: Any, where: str) -> tuple[str, str | None, str]:
    names = [str(name) for name in found.kind.unexpected]
    legal = list(_properties(schema, found.instance_path))
    prefix = f"{where}." if where else ""
    fact = "unknown " + ", ".join(prefix + _cut_name(name) for name in names[:5])
    near = nearest(names[0], legal)
    hint = f"did you mean {prefix}{near}?" if near else None
    if legal:
        listed = f"legal names{' in ' + where if where else ''}: {', '.join(legal)}"
        hint = f"{hint} {listed}" if hint else listed
    return fact, hint, prefix + _cut_name(names[0])


def _requirement(found: Any) -> str:
    kind = found.kind
    name = kind.name
    if name == "type":
        return "must be " + " or ".join(kind.types)
    if name == "enum":
        return "must be one of " + ", ".join(_format_value(option) for option in kind.options)
    if name == "const":
        return f"must be {_format_value(kind.expected_value)}"
    if name in _LIMITS:
        return _LIMITS[name].format(kind.limit)
    if name in ("anyOf", "oneOf") and hasattr(kind, "context"):
        return "must fit one of: " + "; ".join(
            _alternative(branch, len(found.instance_path)) for branch in kind.context
        )
    if name == "pattern":
        return f"must match {kind.pattern}"
    return f"must satisfy {name}"


_LIMITS = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} properties",
    "maxProperties": "must have at most {} properties",
}


def _alternative(branch: Sequence[Any], depth: int) -> str:
    if not branch:
        return "another form"
    found = branch[0]
    if found.kind.name == "required":
        return f"with {found.kind.property}"
    where = _format_path(found.instance_path[depth:])
    return f"{where} {_requirement(found)}".replace(" must be", "", 1).strip()


def _describe_expected(schema: Json, path: Sequence[Any]) -> str | None:
    found = _schema_at(schema, path)
    kind = found.get("type") if found else None
    if kind is None:
        return None
    text = " or ".join(kind) if isinstance(kind, list) else str(kind)
    inner = _properties(schema, [*path, 0]) if kind == "array" else None
    if inner:
        more = ", ..." if len(inner) > _MAX_NAMES else ""
        text = f"array of {{{', '.join(islice(inner, _MAX_NAMES))}{more}}}"
    return f"give {_format_path(path)} ({text})"


def _properties(schema: Json, path: Sequence[Any]) -> Mapping[str, Any]:
    properties = _schema_at(schema, path).get("properties", {})
    return properties if isinstance(properties, dict) else {}


def _schema_at(schema: Json, path: Sequence[Any]) -> Json:
    here: Any = schema
    for part in path:
        key = "items" if isinstance(part, int) else "properties"
        here = here.get(key, {}) if isinstance(here, dict) else {}
        if key == "properties":
            here = here.get(part, {}) if isinstance(here, dict) else {}
    return here if isinstance(here, dict) else {}


def _at(value: Any, path: Sequence[Any]) -> Any:
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _format_path(path: Sequence[Any]) -> str:
    text = ""
    for part in path:
        text += (
            f"[{part}]" if isinstance(part, int) else ("." if text else "") + _cut_name(str(part))
        )
    return text


def _format_value(value: Any) -> str:
    from redline.server.rpc.wire import encode

    return shorten(encode(value).decode(), _MAX_VALUE_CHARS)


def _cut_name(name: str) -> str:
    return shorten(name, _MAX_VALUE_CHARS)
