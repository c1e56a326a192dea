"""What a person says about secrets: rules of the policy file, each `[[secret]]` a table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from typing import Any

from redline.core.records import dataclass
from redline.search.globs import matcher, selects
from redline.secrets.find import FoundSecret

_VALUE = r"""["'`]?\]?[ \t]{0,8}(?:=>|:=|=|:|>)[ \t]{0,8}\\?["'`]?([^\s"'`,;<>\[\]{}\\«»]{3,})"""
_LINE_VALUE = (
    r"""(?m)^[ \t-]*["']?[\w.-]{1,80}["']?[ \t]*[=:][ \t]*["']?([^\s"'`,;\[\]{}\\«»]{4,})"""
)


class SecretAction(StrEnum):
    """What becomes of a secret, from the mildest to the strictest."""

    ALLOW = "allow"
    ASK = "ask"
    MASK = "mask"
    DENY = "deny"


_ORDER = list(SecretAction)


def strictest(actions: Iterable[SecretAction | None]) -> SecretAction:
    """Return the strictest of *actions*, of which at least one is given."""
    return max((each for each in actions if each is not None), key=_ORDER.index)


@dataclass(frozen=True)
class SecretRule:
    """One rule; it is about a value where every condition that it has holds.

    `paths` are globs of files, `fields` and `kinds` globs of names of values and of kinds of rules.
    Unless it allows, it also says what is a secret: what a pattern of `patterns` matches, the
    values of `fields`, and with `paths` alone every value in these files. `line` is where it begins
    in the policy file.
    """

    action: SecretAction
    line: int
    name: str
    reason: str = ""
    paths: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def is_about(self, path: str) -> bool:
        """Return whether this is about the file *path*; a text of unknown origin has none."""
        if not self.paths:
            return True
        return bool(path) and selects([f"{p}**" if p.endswith("/") else p for p in self.paths])(
            path
        )

    def covers(self, found: FoundSecret, path: str) -> bool:
        """Return whether this decides about a secret that was found in a file."""
        if not self.is_about(path):
            return False
        if self.kinds and not matcher(self.kinds)(found.kind):
            return False
        if self.patterns and found.kind != f"rule {self.name}":
            return False
        if not self.fields or found.kind == f"rule {self.name}":
            return True
        is_named = matcher(self.fields)
        return is_named(found.name) or is_named(re.split(r"[.]", found.name)[-1])

    @cached_property
    def _detectors(self) -> tuple[Any, ...]:
        """Patterns in RE2's syntax, which take time in proportion to the text."""
        if self.action is SecretAction.ALLOW or self.kinds:
            return ()
        import re2

        found = list(self.patterns)
        for field in self.fields:
            name = re.escape(field).replace(r"\*", r"[\w.-]*").replace(r"\?", r"[\w.-]")
            found.append(rf"(?i)(?:^|[^\w.-])(?P<name>{name}){_VALUE}")
        if self.paths and not found:
            found.append(_LINE_VALUE)
        return tuple(re2.compile(each) for each in found)

    def find(self, text: str, path: str) -> list[FoundSecret]:
        """Return what is a secret by this rule alone."""
        if not self._detectors or not self.is_about(path):
            return []
        found = []
        for detector in self._detectors:
            for match in detector.finditer(text):
                group = match.re.groups
                start, end = match.span(group)
                is_named = "name" in match.re.groupindex
                name = match.group("name") if is_named else self.name.replace(" ", "_")
                near = match.start(match.re.groupindex["name"]) if is_named else -1
                if end - start >= 3:
                    found.append(FoundSecret(start, end, f"rule {self.name}", name, near))
        return found
