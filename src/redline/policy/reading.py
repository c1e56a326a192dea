"""A policy file as a `Policy`; every error names the file, the line and the key."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from redline.core.errors import InvalidArgument, RedlineError
from redline.core.ports.review import Action
from redline.documents.base.model import Document
from redline.documents.base.path import Path
from redline.documents.formats import open_document
from redline.policy.field_patterns import FieldPattern
from redline.policy.model import DAY, Policy, Rule
from redline.search.globs import expand, parse
from redline.secrets.rules import SecretAction, SecretRule

_TOP = ("default", "expires", "rule", "secret")
_SECRET = ("name", "action", "reason", "paths", "fields", "kinds", "patterns")
_RULE = (
    "name", "action", "reason", "paths", "tools", "clients", "principals",
    "fields", "schema", "more_than",
)  # fmt: skip
_MEASURES = ("lines", "files", "bytes")
_ACTIONS = tuple(action.value for action in Action)
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": DAY}
_DURATION = re.compile(r"([0-9]{1,6})([smhd])")
_HEADER = re.compile(rb"[ \t]*\[\[[ \t]*rule[ \t]*\]\]")
MAX_RULES = 1000


class PolicyError(InvalidArgument):
    """A policy file that cannot be used; the message names the line and what is wrong there."""


def read_policy(source: bytes, name: str) -> Policy:
    """Read the bytes of the policy file *name*; PolicyError."""
    try:
        data = tomllib.loads(source.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"{name}: the policy is not valid TOML: {error}") from None
    return _Reader(source, data, name).read()


class _Reader:
    """One document as it is read."""

    def __init__(self, source: bytes, data: Mapping[str, Any], name: str) -> None:
        self._source = source
        self._data = data
        self._name = name
        # Where each rule begins, found without a parser that knows places if that is certain.
        lines = source.splitlines()
        self._rules = [at for at, line in enumerate(lines, 1) if _HEADER.match(line)]

    @cached_property
    def _document(self) -> Document:
        return open_document(self._source, "toml")

    def read(self) -> Policy:
        data = self._data
        self._check_keys(data, _TOP, ())
        default = self._action(data["default"], ("default",)) if "default" in data else Action.ALLOW
        expires = self._duration(data["expires"]) if "expires" in data else DAY
        return Policy(
            tuple(self._rule(number, rule) for number, rule in enumerate(self._tables("rule"))),
            default,
            expires,
            self._name,
            tuple(self._secret(number, rule) for number, rule in enumerate(self._tables("secret"))),
        )

    def _tables(self, key: str) -> list[dict[str, Any]]:
        rules = self._data.get(key, [])
        if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
            raise self._error(f"write each {key} as [[{key}]]", (key,))
        if len(rules) > MAX_RULES:
            raise self._error(f"{len(rules)} rules, at most {MAX_RULES} are read", (key,))
        return rules

    def _secret(self, number: int, data: Mapping[str, Any]) -> SecretRule:
        place: Path = ("secret", number)
        self._check_keys(data, _SECRET, place)
        action = data.get("action", "mask")
        if action not in list(SecretAction):
            known = ", ".join(SecretAction)
            raise self._error(f"action is one of {known}, not {action!r}", (*place, "action"))
        found = SecretRule(
            SecretAction(action),
            self._line(place),
            self._text(data, "name", place) or f"secret {number + 1}",
            self._text(data, "reason", place),
            paths=self._globs(data, "paths", place),
            fields=self._globs(data, "fields", place),
            kinds=self._globs(data, "kinds", place),
            patterns=self._texts(data, "patterns", place),
        )
        try:
            found.find("", "x")
        except Exception as error:  # the engine's own class is imported only where it is used
            raise self._error(f"patterns: {error}", (*place, "patterns")) from None
        return found

    def _rule(self, number: int, data: Mapping[str, Any]) -> Rule:
        place: Path = ("rule", number)
        self._check_keys(data, _RULE, place)
        rules = self._data["rule"]
        line = self._rules[number] if len(self._rules) == len(rules) else self._line(place)
        if "action" not in data:
            raise self._error(f"the rule has no action, one of {', '.join(_ACTIONS)}", place)
        return Rule(
            action=self._action(data["action"], (*place, "action")),
            line=line,
            name=self._text(data, "name", place) or f"rule {number + 1}",
            reason=self._text(data, "reason", place),
            paths=self._globs(data, "paths", place),
            tools=self._globs(data, "tools", place),
            clients=self._globs(data, "clients", place),
            principals=self._globs(data, "principals", place),
            more_than=self._sizes(data, place),
            fields=self._fields(data, place),
            schema=self._schema(data, place),
        )

    def _check_keys(self, data: Mapping[str, Any], known: tuple[str, ...], place: Path) -> None:
        for key in data:
            if key not in known:
                near = get_close_matches(key, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
                raise self._error(f"unknown key {key}", (*place, key), hint)

    def _action(self, value: Any, place: Path) -> Action:
        if not isinstance(value, str) or value not in _ACTIONS:
            near = get_close_matches(str(value), _ACTIONS, 1)
            hint = f"did you mean {near[0]}?" if near else None
            raise self._error(
                f"{place[-1]} is one of {', '.join(_ACTIONS)}, not {value!r}", place, hint
            )
        return Action(value)

    def _text(self, data: Mapping[str, Any], key: str, place: Path) -> str:
        value = data.get(key, "")
        if not isinstance(value, str) or not (value.isprintable()):
            raise self._error(f"{key} is a text on one line", (*place, key))
        return value

    def _texts(self, data: Mapping[str, Any], key: str, place: Path) -> tuple[str, ...]:
        if key not in data:
            return ()
        value = data[key]
        given = [value] if isinstance(value, str) else value
        if (
            not isinstance(given, list)
            or not given
            or not all(isinstance(each, str) and each for each in given)
        ):
            raise self._error(f"{key} is a list of texts, none of them empty", (*place, key))
        return tuple(given)

    def _globs(self, data: Mapping[str, Any], key: str, place: Path) -> tuple[str, ...]:
        found = self._texts(data, key, place)
        for pattern in found:
            try:
                plain = expand(pattern)
            except RedlineError as error:
                raise self._error(f"{key}: {error.message}", (*place, key)) from None
            if not plain or any(parse(each) is None for each in plain):
                raise self._error(
                    f"{key} has a glob with an open bracket or brace: {pattern}", (*place, key)
                )
            if key == "paths" and (".." in pattern.split("/") or pattern.startswith("./")):
                raise self._error(
                    f"paths has a glob with . or .. as a name, which matches nothing: {pattern}",
                    (*place, key),
                    "write it from the workspace, or as an absolute path",
                )
        return found

    def _sizes(self, data: Mapping[str, Any], place: Path) -> dict[str, int]:
        sizes = data.get("more_than", {})
        place = (*place, "more_than")
        if not isinstance(sizes, dict) or ("more_than" in data and not sizes):
            raise self._error("more_than is a table such as { lines = 200 }", place)
        self._check_keys(sizes, _MEASURES, place)
        for key, value in sizes.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise self._error(f"{key} is a whole number, 0 or more", (*place, key))
        return dict(sizes)

    def _fields(self, data: Mapping[str, Any], place: Path) -> tuple[FieldPattern, ...]:
        found = []
        for text in self._texts(data, "fields", place):
            try:
                found.append(FieldPattern.parse(text))
            except RedlineError as error:
                raise self._error(f"fields: {error.message}", (*place, "fields")) from None
        return tuple(found)

    def _schema(self, data: Mapping[str, Any], place: Path) -> str:
        value = self._text(data, "schema", place)
        if not value:
            return ""
        base = os.path.dirname(os.path.abspath(self._name))
        path = os.path.join(base, os.path.expanduser(value))
        if not os.path.isfile(path):
            raise self._error(f"there is no such schema file: {path}", (*place, "schema"))
        return os.path.realpath(path)

    def _duration(self, value: Any) -> float:
        found = _DURATION.fullmatch(value) if isinstance(value, str) else None
        if found is None or int(found[1]) == 0:
            raise self._error('expires is a time such as "24h", "30m" or "7d"', ("expires",))
        return int(found[1]) * _UNITS[found[2]]

    def _error(self, what: str, place: Path, hint: str | None = None) -> PolicyError:
        line = self._line(place)
        return PolicyError(
            f"{self._name}:{line}: {what}",
            hint=hint,
            details={"file": self._name, "line": line, "key": str(place[-1])},
        )

    def _line(self, place: Path) -> int:
        while place:
            try:
                return self._document.get(place).line
            except RedlineError:
                place = place[:-1]
        return 1
