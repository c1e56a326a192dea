"""An independent judge of policies: written from the documentation, shares no code with Redline.

It sees two pictures of a workspace, before and after a change, and says what should have happened.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import yaml

Picture = dict[str, bytes | None]  # None is a directory
ORDER = ("allow", "ask", "deny")


@dataclass(frozen=True)
class Asked:
    """Who asks, by which tool."""

    tool: str
    client: str
    principal: str = ""


def glob_to_regex(glob: str) -> re.Pattern[str]:
    out, at = "", 0
    if glob.endswith("/"):
        glob += "**"
    while at < len(glob):
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            out, at = out + "(?:.*/)?", at + 3
        elif glob.startswith("/**", at) and at + 3 == len(glob):
            out, at = out + "(?:/.*)?", at + 3
        elif glob[at] == "*":
            stars = len(glob[at:]) - len(glob[at:].lstrip("*"))
            out, at = out + (".*" if stars > 1 else "[^/]*"), at + stars
        elif glob[at] == "?":
            out, at = out + "[^/]", at + 1
        else:
            out, at = out + re.escape(glob[at]), at + 1
    return re.compile(out, re.IGNORECASE | re.DOTALL)


def path_matches(globs: list[str], path: str) -> bool:
    for glob in globs:
        subject = path if "/" in glob or "**" in glob else path.rpartition("/")[2]
        if glob_to_regex(glob).fullmatch(subject):
            return True
    return False


def leaves(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    if isinstance(value, dict) and value:
        found: dict[tuple[str, ...], str] = {}
        for key, inner in value.items():
            found |= leaves(inner, (*path, str(key)))
        return found
    if isinstance(value, list) and value:
        found = {}
        for at, inner in enumerate(value):
            found |= leaves(inner, (*path, str(at)))
        return found
    return {path: f"{type(value)}{value!r}"}


class Unparsed(Exception):
    """The document does not parse."""


def parse(path: str, data: bytes | None) -> dict[tuple[str, ...], str]:
    if data is None:
        return {}
    try:
        if path.endswith(".json"):
            return leaves(json.loads(data))
        return leaves(yaml.safe_load(data))
    except (ValueError, yaml.YAMLError):
        raise Unparsed from None


def field_matches(pattern: str, path: tuple[str, ...]) -> bool:
    steps = [step for step in re.split(r"\.|\[(.*?)\]", pattern) if step]
    text = "".join(f"/{step}" for step in path) + "/"
    regex = ""
    for step in steps:
        if step == "**":
            regex += "(?:/[^/]+)*"
        else:
            regex += "/[^/]+" if step == "*" else "/" + re.escape(step)
    return re.match(regex + "/", text) is not None


def sizes(before: Picture, after: Picture) -> dict[str, int]:
    changed = [path for path in {*before, *after} if before.get(path, 0) != after.get(path, 0)]
    lines = written = 0
    for path in changed:
        old = Counter((before.get(path) or b"").splitlines(keepends=True))
        new = Counter((after.get(path) or b"").splitlines(keepends=True))
        lines += sum((old - new).values()) + sum((new - old).values())
        written += len(after.get(path) or b"")
    return {"files": len(changed), "lines": lines, "bytes": written}


def candidates(policy: dict[str, Any], path: str, asked: Asked, size: dict[str, int]) -> list[Any]:
    found = []
    for rule in policy.get("rule", []):
        if "paths" in rule and not path_matches(rule["paths"], path):
            continue
        if "paths" not in rule and "fields" in rule and not path.endswith((".json", ".yaml")):
            continue
        if "tools" in rule and asked.tool not in rule["tools"]:
            continue
        if "clients" in rule and asked.client not in rule["clients"]:
            continue
        limits = rule.get("more_than", {})
        if limits and not any(size[key] > limit for key, limit in limits.items()):
            continue
        found.append(rule)
    return found


def verdict_of_path(
    policy: dict[str, Any], path: str, before: Picture, after: Picture, asked: Asked
) -> str:
    """What the policy says about one changed path."""
    rules = candidates(policy, path, asked, sizes(before, after))
    default = {"action": policy.get("default", "allow")}
    until = next((at for at, rule in enumerate(rules) if "fields" not in rule), None)
    if until is not None:
        rules, default = rules[:until], rules[until]
    if not rules:
        return str(default["action"])
    old, new = before.get(path), after.get(path)
    try:
        was, becomes = parse(path, old), parse(path, new)
    except Unparsed:
        found = [rule["action"] for rule in (*rules, default)]
        return str(max(found, key=ORDER.index))
    touched = {step for step in {*was, *becomes} if was.get(step) != becomes.get(step)}
    found = [default["action"]] if not touched else []
    for step in touched:
        for rule in (*rules, default):
            if "fields" not in rule or any(field_matches(f, step) for f in rule["fields"]):
                found.append(rule["action"])
                break
    return str(max(found, key=ORDER.index))


def changed_paths(before: Picture, after: Picture) -> list[str]:
    missing = object()
    return sorted(
        path for path in {*before, *after} if before.get(path, missing) != after.get(path, missing)
    )


def verdict(policy: dict[str, Any], before: Picture, after: Picture, asked: Asked) -> str:
    """What the policy says about a whole change."""
    found = [
        verdict_of_path(policy, path, before, after, asked) for path in changed_paths(before, after)
    ]
    return max(found, key=ORDER.index, default="allow")
