"""A policy: rules in order, of which the first that matches decides."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache

from redline.core.ports.history import Origin
from redline.core.ports.review import Action
from redline.core.records import dataclass, field
from redline.documents.formats import named_format
from redline.policy.field_patterns import FieldPattern
from redline.search.globs import expand, matcher, selects, split_base
from redline.secrets.rules import SecretRule

DAY = 86400.0
_MAX_PLACES = 1024
Test = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Size:
    """How large a change is: places touched, lines added and removed, bytes of new contents."""

    files: int = 0
    lines: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Rule:
    """One rule; it matches where every condition that it has matches.

    `paths`, `tools`, `clients` and `principals` are globs. `more_than` matches a change that is
    larger by any of its measures. `fields` match values inside a document. `schema`, an absolute
    file name, matches contents that are not valid by it. Without `paths` these two are about files
    whose names give a format: which values other text has is unknown. `line` is where
    the rule begins in the file.
    """

    action: Action
    line: int
    name: str
    reason: str = ""
    paths: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    principals: tuple[str, ...] = ()
    more_than: Mapping[str, int] = field(default_factory=dict)
    fields: tuple[FieldPattern, ...] = ()
    schema: str = ""

    @property
    def needs_document(self) -> bool:
        """Whether it asks about values, which only a document has."""
        return bool(self.fields or self.schema)

    @cached_property
    def _relative(self) -> Test | None:
        """A test of names from a root."""
        patterns = [_plain(p) for p in self.paths if not _is_absolute(p)]
        return selects(patterns) if patterns else None

    @cached_property
    def _absolute(self) -> Test | None:
        """A test of whole names, leading slash removed."""
        home = os.path.expanduser("~")
        patterns = [
            (home + p[1:] if p.startswith("~/") else p).replace(os.sep, "/").lstrip("/")
            for p in self.paths
            if _is_absolute(p)
        ]
        return matcher(tuple(patterns)) if patterns else None

    def matches_path(self, relative: Sequence[str], absolute: str) -> bool:
        """Return whether this is about a place, by its names from each root or its whole name."""
        if not self.paths:
            return not self.needs_document or named_format(absolute) is not None
        by_name, whole = self._relative, self._absolute
        if by_name is not None and any(by_name(name) for name in relative):
            return True
        return whole is not None and whole(absolute.replace(os.sep, "/").lstrip("/"))

    def may_match_at(self, relative: Sequence[str], absolute: str) -> bool:
        """Whether a pattern matches this place, or begins with the names of a place beneath it."""
        if not self.paths:
            return False
        if self.matches_path(relative, absolute):
            return True
        bases = [split_base(_plain(pattern))[0] for pattern in self.paths]
        return any(
            base.startswith(f"{name}/") or base == name
            for base in bases
            for name in (*relative, absolute)
        )

    def may_match_behind(self, relative: Sequence[str], absolute: str) -> bool:
        """Whether a link at this place could give a name that matches to what has none so far."""
        for pattern in self.paths:
            if _is_absolute(pattern):
                names: Sequence[str] = (absolute,)
                plain = os.path.expanduser(_plain(pattern))
            else:
                names, plain = relative, _plain(pattern)
            for each in expand(plain.replace(os.sep, "/").strip("/")):
                parts = each.split("/")
                if "/" in each and any(_leads_on(parts, n.strip("/").split("/")) for n in names):
                    return True
        return False

    def is_about_all_beneath(self, relative: Sequence[str]) -> bool:
        """Return whether this matches everything at and beneath a place, whatever it holds."""
        if self.needs_document or self.more_than:
            return False
        wholes = [f"{name}/".casefold() for name in self.whole_directories]
        names = [f"{name}/".casefold() for name in relative]
        return not self.paths or any(n.startswith(whole) for n in names for whole in wholes)

    @cached_property
    def whole_directories(self) -> tuple[str, ...]:
        """Names from a root of which this matches all that is beneath, as `gen/**` does."""
        found = (split_base(_plain(p)) for p in self.paths if not _is_absolute(p))
        return tuple(base for base, rest in found if base and rest == "**")

    def may_match_beneath(self, name: str) -> bool:
        """Whether this could match something beneath a directory; True where that is not plain."""
        inner = f"{name}/".casefold()  # globs do not tell upper from lower case
        for pattern in self.paths:
            base = f"{split_base(_plain(pattern))[0]}/".casefold()
            if _is_absolute(pattern) or base == "/":
                return True
            if base.startswith(inner) or inner.startswith(base):
                return True
        return not self.paths

    def matches_origin(self, origin: Origin) -> bool:
        """Return whether this is about what *origin* does."""
        if self.tools and not matcher(self.tools)(origin.tool):
            return False
        if self.clients:
            is_named = matcher(self.clients)
            name = origin.client.rpartition(" ")[0] or origin.client
            if not is_named(origin.client) and not is_named(name):
                return False
        return not self.principals or matcher(self.principals)(origin.principal)

    def matches_size(self, size: Size) -> bool:
        """Return whether the change is large enough for this rule."""
        return not self.more_than or any(
            getattr(size, measure) > limit for measure, limit in self.more_than.items()
        )


@dataclass(frozen=True)
class Policy:
    """Rules in order, and what happens where none matches; `name` is the file.

    `secrets` are rules of their own: which values a model sees.
    """

    rules: tuple[Rule, ...] = ()
    default: Action = Action.ALLOW
    expires: float = DAY
    name: str = ""
    secrets: tuple[SecretRule, ...] = ()

    @cached_property
    def _rules_by_place(self) -> Callable[[tuple[str, ...], str], tuple[Rule, ...]]:
        def find(relative: tuple[str, ...], absolute: str) -> tuple[Rule, ...]:
            return tuple(rule for rule in self.rules if rule.matches_path(relative, absolute))

        return lru_cache(_MAX_PLACES)(find)

    def rules_for(self, relative: tuple[str, ...], absolute: str) -> tuple[Rule, ...]:
        """Return the rules about a place, in order; what a policy says of a name never changes."""
        return self._rules_by_place(relative, absolute)

    def find_sealed(self, origin: Origin) -> list[str]:
        """Return directories, from a root, in which every change by *origin* is denied."""
        found: list[str] = []
        others: list[Rule] = []  # rules above that may decide otherwise
        for rule in self.rules:
            if not rule.matches_origin(origin):
                continue
            if rule.action is not Action.DENY:
                others.append(rule)
            elif not (rule.needs_document or rule.more_than):
                found += [
                    name
                    for name in rule.whole_directories
                    if not any(other.may_match_beneath(name) for other in others)
                ]
        return list(dict.fromkeys(found))

    @cached_property
    def has_contents(self) -> bool:
        """Whether any rule counts lines or bytes."""
        return any({"lines", "bytes"} & set(rule.more_than) for rule in self.rules)

    @cached_property
    def has_lines(self) -> bool:
        """Whether any rule counts lines."""
        return any("lines" in rule.more_than for rule in self.rules)

    @cached_property
    def allows_all(self) -> bool:
        """Whether nothing is ever held or denied."""
        return all(a is Action.ALLOW for a in (self.default, *(r.action for r in self.rules)))

    @cached_property
    def schemas(self) -> frozenset[str]:
        """The schema files that rules name."""
        return frozenset(rule.schema for rule in self.rules if rule.schema)


def _is_absolute(pattern: str) -> bool:
    return pattern.startswith("~/") or os.path.isabs(pattern)


def _leads_on(parts: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a pattern could match beneath *names* in another way than beneath any directory.

    What it matches from its beginning at any depth, it matches at the real place of a file too.
    """

    def skipping(found: set[int]) -> set[int]:
        for at in sorted(found):
            while at < len(parts) and parts[at] == "**":
                at += 1
                found.add(at)
        return found

    start = skipping({0})
    states = start
    for name in names:
        following: set[int] = set()
        for at in states:
            if at < len(parts) and "**" in parts[at]:
                following |= {at, at + 1} if parts[at] != "**" else {at}
            elif at < len(parts) and matcher((parts[at],))(name):
                following.add(at + 1)
        states = skipping(following)
    return any(at < len(parts) for at in states - start)


def _plain(pattern: str) -> str:
    """Return a pattern as the matcher takes it: `a/` is everything beneath a."""
    return f"{pattern}**" if pattern.endswith("/") else pattern
