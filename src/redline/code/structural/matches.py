"""Find the places that a rule matches, and build what replaces them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from redline.code.structural.template import Extract, expand, indent_at
from redline.core.errors import InvalidPattern

Rule = Mapping[str, Any]
_MAX_MATCHES = 20_000


class StructuralMatch(NamedTuple):
    """A place in str offsets, its line from 1, and its replacement (None in a search)."""

    start: int
    end: int
    line: int
    replacement: str | None


def find_matches(text: str, grammar: str, rule: Rule, fix: str | None) -> list[StructuralMatch]:
    """Return the places that *rule* matches, in order, outer ones before those inside.

    With *fix* the inner ones are left out, as they are replaced with the outer. *rule* is an
    ast-grep rule with `rule` and `constraints`; InvalidPattern if it is malformed.
    """
    return list(_matches(text, grammar, rule, fix))


def _matches(text: str, grammar: str, rule: Rule, fix: str | None) -> Iterator[StructuralMatch]:
    end = 0
    for count, node in enumerate(_nodes(text, grammar, rule)):
        if count >= _MAX_MATCHES:
            raise InvalidPattern(f"The pattern matches more than {_MAX_MATCHES} places of a file")
        span = node.range()
        first, last = span.start.index, span.end.index
        if fix is None:
            yield StructuralMatch(first, last, span.start.line + 1, None)
        elif first >= end:
            new = expand(
                fix, lambda *name, at=node: _extract(text, at, *name), indent_at(text, first)
            )
            yield StructuralMatch(first, last, span.start.line + 1, new)
            end = last


def _nodes(text: str, grammar: str, rule: Rule) -> list[Any]:
    from ast_grep_py import SgRoot

    return find_nodes(SgRoot(text, grammar).root(), rule)


def find_nodes(root: Any, rule: Rule) -> list[Any]:
    """Return the nodes beneath *root* that *rule* matches; InvalidPattern if it is malformed."""
    try:
        found: list[Any] = root.find_all(dict(rule))
    except MemoryError:
        raise
    except Exception as error:  # ast-grep raises plain exceptions for a malformed rule
        raise InvalidPattern(
            f"ast-grep cannot use this rule: {_reason(str(error))}",
            hint="a pattern is code with $A for one node and $$$ARGS for several",
        ) from None
    return found


def _reason(message: str) -> str:
    """Return the last cause that ast-grep gives, without its stack."""
    causes = message.partition("\n\nStack backtrace")[0].splitlines()
    reasons = [line.strip().lstrip("0123456789: ") for line in causes if line.strip()]
    return "; ".join(reasons[-3:])


def _extract(text: str, node: Any, name: str, is_many: bool) -> Extract | None:
    if is_many:
        nodes = node.get_multiple_matches(name)
        if not nodes:
            return None
        start, end = nodes[0].range().start.index, nodes[-1].range().end.index
    else:
        found = node.get_match(name)
        if found is None:
            return None
        start, end = found.range().start.index, found.range().end.index
    return Extract(text[start:end], indent_at(text, start))
