"""Check arguments against the listed schema; a refusal lets a model repair its call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from redline.core.errors import InvalidArgument
from redline.core.text_limits import shorten
from redline.server.calls.argument_names import nearest
from redline.toolsets.tool import Json, Tool

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
    """Whether *value* certainly fits; False where only a validator of JSON Schema can tell.

    Most calls fit a plain schema, and a command need not load the validator for them.
    """
    if not schema.keys() <= _PLAIN:
        return False
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return (
            type(value) is dict
            and all(name in value for name in schema.get("required", ()))
            and all(name in fields and _fits_plainly(fields[name], value[name]) for name in value)
        )
    if kind == "array":
        items = schema.get("items", {})
        return type(value) is list and all(_fits_plainly(items, each) for each in value)
    if kind == "string":
        return type(value) is str and value.isascii() and value in schema.get("enum", (value,))
    wanted = {"boolean": bool, "integer": int}.get(str(kind))
    return "enum" not in schema and type(value) is wanted


def _whole_numbers(tool: Tool, arguments: Json) -> Json:
    # JSON Schema counts 3.0 as an integer; handlers index and slice with it, and add one to it.
    properties = tool.input_schema.get("properties", {})
    whole = {
        name: max(-MAX_INTEGER, min(int(value), MAX_INTEGER))
        for name, value in arguments.items()
        if _needs_care(value) and properties.get(name, {}).get("type") == "integer"
    }
    return {**arguments, **whole} if whole else arguments


def _needs_care(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and abs(value) > MAX_INTEGER)


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
