"""Every suggestion, sent back, does what it says: judged by a reader that shares no code with us.

The documents and sentences are generated: keys that need escapes, maps and lists of records, null,
nested lists; sentences of all kinds that are wrong, vague or half said.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse
from tests.instruct.papers import FOLDER, cases
from tests.support import LONG

KEYS = (
    "port", "max size", "a.b", "x/y", "til~de", "host", "enabled", "level", "tags", "name", "note",
    "retries", "on", "to", "items", "Größe", "price", "set", "equals=sign", "status", "@type",
)  # fmt: skip
NAMES = ("Ann Lee", "bob", "Käthe", "R-2", "10", "the box", "ann's", "lint", "web one", "P-4")
VALUES = ("5", "true", '"new text"', "blue", "2024-05-06", "null", "12.50", "two words", "5 apples")
TEMPLATES = (
    "Set {key} to {value}", "Set {key} of {name} to {value}", "Update {key}", "Change {name}",
    "Please adjust {key} for {name}: {value}", "Remove {key}", "Remove {name}", "Delete {key} now",
    "Enable {key} for {name}", "Turn off {key} everywhere", "Add {value} to {key}",
    "Increase {key} by {value} or so", "Rename {key} to {other}", "Move {name} first please",
    "Set {key} to {value} and florbily {other}", "{key} should really be {value}",
    "Set the {key} field of every item to {value} where {other} is {value}", "{key}: {value}",
    "Make {name} {value}", "Copy {key} to {other}", "Swap {key} and {other}", "Sort {key}",
    "Set {key} and {other} to {value}", "Insert {value} before {name} in {key}", "{key} {value}",
    "Convert {key} to a number", "Clear everything", "Set new.{key} to {value}",
    "Replace {other} with {value} in {key}", "Set {key} to {value} {other}", "Drop {name} now",
    "By setting {key} to {value} make {name} happy", "Bump {key}", "We need {key} at {value}",
    "Publish {name}", "Set {key} to {value} for {name} and {other}", "Append {name} to {key}",
)  # fmt: skip


def documents(pick: random.Random) -> dict[str, Any]:
    """Return a document with the same keys in several places."""

    def scalar() -> Any:
        return pick.choice((1, 2.50, True, False, None, "old", "", "5", "2024-01-01", "a b", -3))

    def plain(size: int) -> dict[str, Any]:
        return {key: scalar() for key in pick.sample(KEYS, size)}

    def record() -> dict[str, Any]:
        return {"name": pick.choice(NAMES), **plain(3)}

    found: dict[str, Any] = plain(4)
    found[pick.choice(("items", "users", "x/y"))] = [record() for _ in range(pick.randint(1, 3))]
    found[pick.choice(("jobs", "max size"))] = {n: plain(2) for n in pick.sample(NAMES, 2)}
    found[pick.choice(("tags", "a.b"))] = pick.sample(NAMES, pick.randint(0, 3))
    found["deep"] = {"er": {pick.choice(KEYS): scalar()}, "grid": [[1, 2], [3]]}
    return found


def sentences(count: int) -> Iterator[tuple[Any, str]]:
    """Yield documents and instructions, and those of the kept papers."""
    pick = random.Random(4)
    for _ in range(count):
        words = {"key": pick.choice(KEYS), "other": pick.choice(KEYS)}
        words |= {"name": pick.choice(NAMES), "value": pick.choice(VALUES)}
        yield documents(pick), pick.choice(TEMPLATES).format(**words)
    for paper in sorted(FOLDER.glob("*.json")):
        yield from ((case.document, case.instruction) for case in cases(paper))


# -- a reader of exact forms that shares no code with the engine


def place(document: Any, pointer: str) -> tuple[Any, Any]:
    parts = [p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:]]
    for part in parts[:-1]:
        document = document[int(part)] if isinstance(document, list) else document[part]
    last = parts[-1]
    return document, last if isinstance(document, dict) or last == "-" else int(last)


def put(document: Any, pointer: str, value: Any) -> None:
    holder, key = place(document, pointer)
    if isinstance(holder, list) and key == "-":
        holder.append(value)
    else:
        holder[key] = value


def patched(document: Any, steps: list[dict[str, Any]]) -> Any:
    for step in steps:
        if step["op"] == "replace":
            put(document, step["path"], step["value"])
            continue
        if step["op"] in ("move", "remove"):
            holder, key = place(document, step.get("from", step["path"]))
            step = {**step, "value": holder.pop(key)}
        if step["op"] in ("add", "move"):
            holder, key = place(document, step["path"])
            if isinstance(holder, list):
                holder.insert(len(holder) if key == "-" else key, step["value"])
            else:
                holder[key] = step["value"]
    return document


LINE = re.compile(r"(/\S+) (=|\+=|-=) (.+)")
SET = re.compile(r"Set (/\S+) to (.+)")
DELETE = re.compile(r"delete (/\S+)")
RENAME = re.compile(r"(/\S+) -> (\S+)")


def said(document: Any, text: str) -> Any:
    """Return the document that an exact form promises; None for a sentence."""
    after = copy.deepcopy(document)
    if text.startswith("["):
        return patched(after, json.loads(text))
    for line in text.split("\n"):
        if match := SET.fullmatch(line) or LINE.fullmatch(line):
            pointer, value = match[1], json.loads(match[match.re.groups])
            sign = match[2] if match.re is LINE else "="
            holder, key = place(after, pointer)
            old = None if sign == "=" else holder[key]
            put(
                after,
                pointer,
                value if old is None else old + value if sign == "+=" else old - value,
            )
        elif match := DELETE.fullmatch(line):
            holder, key = place(after, match[1])
            del holder[key]
        elif match := RENAME.fullmatch(line):
            holder, key = place(after, match[1])
            renamed = {match[2] if k == key else k: v for k, v in holder.items()}
            holder.clear()
            holder.update(renamed)
        else:
            return None
    return after


def result(document: Any, answer: Proposal) -> Any:
    return json.loads(dumps(apply_operations(parse(json.dumps(document)), answer.operations)))


@pytest.mark.requirement("json-suggestions-work")
def test_every_suggestion_does_what_it_says() -> None:
    exact = sentence = 0
    for document, instruction in sentences(20_000 if LONG else 1500):
        refused = propose(parse(json.dumps(document)), instruction)
        assert len(refused.suggestions) <= 3
        assert all(o.confidence == 1 for o in refused.operations)
        assert (
            refused.suggestions == ()
            or refused.suggestions[0] in refused.message
            or ("it can be read in" in refused.message)
        )
        for text in refused.suggestions:
            answer = propose(parse(json.dumps(document)), text)
            where = (document, instruction, text, answer.message)
            assert answer.status != "ambiguous", where
            assert not answer.suggestions, where
            promised = said(document, text)
            if promised is None:
                sentence += 1
                assert answer.status == "success", where
                continue
            exact += 1
            assert result(document, answer) == promised, where
    assert exact > sentence > 0


@pytest.mark.requirement("json-suggestions-work")
def test_an_element_is_suggested_as_the_text_that_it_becomes() -> None:
    document = parse('{"tags": ["ann\'s", "Ann Lee", "10"], "people": {"bob": {"a.b": true}}}')
    refused = propose(document, "Insert 5 apples before bob in tags")
    assert '/tags/- = "5"' in refused.suggestions


@pytest.mark.requirement("json-suggestions-work")
def test_for_a_null_the_exact_form_alone_is_suggested() -> None:
    document = parse('{"tasks": [{"id": 1, "who": "ann"}, {"id": 2, "who": null}]}')
    refused = propose(document, "Update the who of task 2")
    assert refused.suggestions
    assert not any(text.startswith("Set") for text in refused.suggestions)


@pytest.mark.requirement("json-suggestions-work")
def test_a_refusal_and_its_suggestions_take_a_hundred_tokens() -> None:
    """A token of such text is 2.9 characters or more (o200k, 297 refusals: at most 95)."""
    for document, instruction in sentences(300):
        refused = propose(parse(json.dumps(document)), instruction)
        if refused.status == "ambiguous":
            text = refused.message + "".join(refused.suggestions)
            assert len(text) <= 360, (instruction, refused)
