"""Documents and sentences made at random, each with the only result the sentence can mean.

A sentence of which nothing certain follows has no result: acting on it is wrong.
"""

from __future__ import annotations

import json
import random
from typing import Any

from tests.instruct.generator_documents import (
    CITIES,
    FIRST,
    GROUPS,
    REMARKS,
    Made,
    change_copy,
    new_document,
    set_in_records,
)
from tests.instruct.generator_steps import STEP_RULES


def _whole_value(pick: random.Random) -> Made:
    """A whole value of a field is meant, though it is part of titles too."""
    kind, document = new_document(pick)
    group, value = pick.choice(GROUPS[:4]), pick.randint(100, 999)
    chosen = [i for i, r in enumerate(document[kind]) if r["group"] == group]
    form = pick.choice(
        [f"Set the score of all {group} {kind} to {value}",
         f"Set score to {value} for all {group} {kind}",
         f"set the score to {value} for all {kind} in {group}"]
    )  # fmt: skip
    return Made("whole", document, form, set_in_records(document, kind, chosen, "score", value))


def _removed_by_part(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    record = pick.choice(document[kind])
    part = pick.choice([*record["name"].split(), record["title"].split()[1]])
    verb = pick.choice(["Remove", "Delete", "Drop", "Get rid of"])
    return Made("part", document, f"{verb} {part}", None)


def _removed_by_name(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place = pick.randrange(5)
    record = document[kind][place]
    one = kind.removesuffix("s")
    form = pick.choice(
        [f"Remove {record['name']}", f"Delete the {one} named {record['name']}",
         f"Remove the {one} with id {record['id']}", f"delete {one} {record['id']}"]
    )  # fmt: skip
    return Made("name", document, form, change_copy(document, lambda after: after[kind].pop(place)))


def _scoped_path(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, other, value = pick.randrange(5), pick.randrange(5), pick.randint(100, 999)
    name = document[kind][other]["name"]
    sentence = f"Set {kind}[{place}].score to {value} {pick.choice(['for', 'of', 'on'])} {name}"
    result = set_in_records(document, kind, [place], "score", value) if place == other else None
    return Made("path", document, sentence, result)


def _remark(pick: random.Random) -> Made:
    _, document = new_document(pick)
    word = pick.choice(["debug", "warn", "error"])
    if pick.random() < 0.3:
        sentence = f"Set the level to {word} because it is too noisy"
    else:
        sentence = f"Set the level to {word} {pick.choice(REMARKS)}"
    return Made("remark", document, sentence, change_copy(document, lambda a: a.update(level=word)))


def _dotted(pick: random.Random) -> Made:
    _, document = new_document(pick)

    def change(after: Any) -> None:
        after["server"] = {("number" if k == "port" else k): v for k, v in after["server"].items()}

    target = pick.choice(["server.number", "backup.number", "level.number", "number"])
    same = target in ("server.number", "number")
    sentence = f"Rename server.port to {target}"
    return Made("dotted", document, sentence, change_copy(document, change) if same else None)


def _several(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    key = pick.choice(["score", "limit", "port", "host", "debug"])
    value = {"host": "c.local", "debug": "true"}.get(key, str(pick.randint(100, 999)))
    del kind
    return Made("several", document, f"Set the {key} to {value}", None)


def _condition(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    bound, value = pick.randint(1, 90), pick.randint(100, 999)
    over = pick.random() < 0.5
    chosen = [i for i, r in enumerate(document[kind]) if (r["score"] > bound) is over and
              r["score"] != bound]  # fmt: skip
    op = pick.choice(["over", "above", "greater than"]) if over else pick.choice(["under", "below"])
    form = pick.choice(
        [f"Set limit to {value} for all {kind} with score {op} {bound}",
         f"set the limit of every {kind.removesuffix('s')} whose score is {op} {bound} to {value}",
         f"Set limit to {value} where score is {op} {bound}"]
    )  # fmt: skip
    return Made("condition", document, form, set_in_records(document, kind, chosen, "limit", value))


def _flagged(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    value, on = pick.randint(100, 999), pick.random() < 0.5
    chosen = [i for i, r in enumerate(document[kind]) if r["active"] is on]
    word = "active" if on else "inactive"
    form = pick.choice(
        [f"Set the limit of all {word} {kind} to {value}",
         f"Set limit to {value} for every {word} {kind.removesuffix('s')}"]
    )  # fmt: skip
    return Made("flag", document, form, set_in_records(document, kind, chosen, "limit", value))


def _gapped(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    one, two = pick.sample(range(5), 2)
    a, b = document[kind][one]["name"], document[kind][two]["name"]
    x, y = pick.randint(100, 999), pick.randint(100, 999)

    def change(after: Any) -> None:
        after[kind][one]["score"] = x
        after[kind][two]["score"] = y

    form = pick.choice(
        [f"Set {a}'s score to {x} and {b}'s to {y}",
         f"Set {a}'s score to {x} and {b}'s score to {y}",
         f"set the score of {a} to {x} and of {b} to {y}"]
    )  # fmt: skip
    return Made("gap", document, form, change_copy(document, change))


def _shared_scope(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place = pick.randrange(5)
    x, y = pick.randint(100, 999), pick.randint(100, 999)
    name = document[kind][place]["name"]

    def change(after: Any) -> None:
        after[kind][place].update(score=x, limit=y)

    form = pick.choice(
        [f"Set score to {x} and limit to {y} for {name}",
         f"For {name}, set score to {x} and limit to {y}",
         f"Set {name}'s score to {x} and limit to {y}"]
    )  # fmt: skip
    return Made("shared", document, form, change_copy(document, change))


def _except(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)
    name = document[kind][place]["name"]
    chosen = [i for i in range(5) if i != place]
    form = f"Set the score of all {kind} except {name} to {value}"
    return Made("except", document, form, set_in_records(document, kind, chosen, "score", value))


def _tagged(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place = pick.randrange(5)
    record = document[kind][place]
    tag = pick.choice(["red", "blue", "green", "new"])
    adds = pick.random() < 0.5

    def change(after: Any) -> None:
        tags = after[kind][place]["tags"]
        if adds and tag not in tags:
            tags.append(tag)
        elif not adds and tag in tags:
            tags.remove(tag)

    verb = (f"Add {tag} to", f"Remove {tag} from")[not adds]
    return Made("tags", document, f"{verb} {record['name']}'s tags", change_copy(document, change))


def _odd_word(pick: random.Random) -> Made:
    """A word that says nothing here is put somewhere into a sentence without free text."""
    made = pick.choice([_condition, _flagged, _except, _shared_scope, _whole_value])(pick)
    words = made.sentence.split(" ")
    place = pick.randrange(1, len(words) + 1)
    words.insert(place, pick.choice(["zorb", "European", "quarterly"]))
    return Made("odd", made.document, " ".join(words), None)


def _protected(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    value = pick.randint(100, 999)
    place, other = pick.randrange(5), pick.randrange(5)
    name, kept = document[kind][place]["name"], document[kind][other]["name"]
    sentence = f"Set {name}'s score to {value} but don't touch {kept}"
    result = None if place == other else set_in_records(document, kind, [place], "score", value)
    return Made("protected", document, sentence, result)


def _new_record(pick: random.Random) -> Made:
    """A record from a list of its fields."""
    kind, document = new_document(pick)
    one, place = kind.removesuffix("s"), len(document[kind])
    record = {
        "id": 100 + place,
        "name": f"{pick.choice(FIRST)} Newman",
        "group": pick.choice(GROUPS[:4]),
        "score": pick.randint(1, 90),
        "active": pick.random() < 0.5,
        "tags": [],
    }
    said = ", ".join(f"{key} {json.dumps(record[key])}" for key in ("id", "name", "group", "score"))
    state = json.dumps(record["active"])
    form = pick.choice(
        [f"Add one more {one} with {said}, active {state} and an empty tags array.",
         f"Append a new object to `{kind}` with the fields {said}, active = {state} and tags = [].",
         f"Add a new entry to `{kind}`: {said}, active set to {state} and no tags."]
    )  # fmt: skip
    return Made("record", document, form, change_copy(document, lambda a: a[kind].append(record)))


def _copied(pick: random.Random) -> Made:
    _, document = new_document(pick)
    section = pick.choice(["server", "backup"])
    port = document[section]["port"]
    form = pick.choice(
        [f"Copy `{section}.port` to `{section}.adminPort`.",
         f"Copy the value of `{section}.port` into a new key `adminPort` under `{section}`.",
         f"Add `{section}.adminPort` with the same value as `{section}.port`.",
         f"Copy /{section}/port to /{section}/adminPort"]
    )  # fmt: skip
    result = change_copy(document, lambda after: after[section].update(adminPort=port))
    return Made("copy", document, form, result)


def _pointer(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)
    path = f"/{kind}/{place}/score"
    form = pick.choice(
        [f"Set {path} to {value}.", f"Replace the value at {path} with {value}.",
         f"Update the value at JSON Pointer `{path}` to {value}.", f"{path} = {value}",
         f"Set `{kind}[{place - 5}].score` to {value}."]
    )  # fmt: skip
    return Made("pointer", document, form, set_in_records(document, kind, [place], "score", value))


def _moved_path(pick: random.Random) -> Made:
    _, document = new_document(pick)
    taken = pick.random() < 0.3
    key = "host" if taken else "keeper"

    def change(after: Any) -> None:
        after["server"]["keeper"] = after.pop("owner")

    form = pick.choice(
        [f"Move /owner to /server/{key}.", f"Move `owner` to `server.{key}`.",
         f"Move `owner` into `server` as `{key}`."]
    )  # fmt: skip
    return Made("move", document, form, None if taken else change_copy(document, change))


def _steps(pick: random.Random) -> Made:
    _, document = new_document(pick)
    port, word = pick.randint(1000, 9000), pick.choice(["debug", "warn", "error"])

    def change(after: Any) -> None:
        after["server"]["port"] = port
        after["level"] = word
        del after["backup"]["debug"]

    one, two = f"set `server.port` to {port}", f'set `level` to "{word}"'
    three = "remove `backup.debug`"
    form = pick.choice(
        [f"First {one}, then {two}, and finally {three}.",
         f"Step 1: {one}. Step 2: {two}. Step 3: {three}.",
         f"1) {one}; 2) {two}; 3) {three}."]
    )  # fmt: skip
    return Made("steps", document, form, change_copy(document, change))


def _rest_stays(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)
    name = document[kind][place]["name"]
    rest = pick.choice(
        [f". Do not change the other {kind}.", "; leave everything else as it is.",
         ", keep all other fields unchanged.", ". Only this value should change.",
         f" and leave the other {kind} alone.", ". Nothing else should change."]
    )  # fmt: skip
    sentence = f"Set the score of {name} to {value}{rest}"
    return Made("rest", document, sentence, set_in_records(document, kind, [place], "score", value))


def _only_there(pick: random.Random) -> Made:
    _, document = new_document(pick)
    section, port = pick.choice(["server", "backup"]), pick.randint(1000, 9000)
    form = pick.choice(
        [f"Set `port` to {port} in the `{section}` object only.",
         f"Only in `{section}`, set the port to {port}.",
         f"Set the port to {port} for {section} only"]
    )  # fmt: skip
    return Made(
        "only", document, form, change_copy(document, lambda a: a[section].update(port=port))
    )


def _if_so(pick: random.Random) -> Made:
    _, document = new_document(pick)
    section, state = pick.choice(["server", "backup"]), pick.random() < 0.5
    said, other = json.dumps(state), json.dumps(not state)
    sentence = f"If `{section}.debug` is {said}, set it to {other}."

    def change(after: Any) -> None:
        if after[section]["debug"] is state:
            after[section]["debug"] = not state

    return Made("if", document, sentence, change_copy(document, change))


def _merged(pick: random.Random) -> Made:
    _, document = new_document(pick)
    section, port = pick.choice(["server", "backup"]), pick.randint(1000, 9000)
    new = {"port": port, "region": "north"}
    sentence = f"Merge {json.dumps(new)} into `{section}`."
    return Made(
        "merge", document, sentence, change_copy(document, lambda a: a[section].update(new))
    )


def _one_of_group(pick: random.Random) -> Made:
    """One is spoken of: where several fit, nothing follows."""
    kind, document = new_document(pick)
    one, value = kind.removesuffix("s"), pick.randint(100, 999)
    group = pick.choice([record["group"] for record in document[kind]])
    chosen = [i for i, r in enumerate(document[kind]) if r["group"] == group]
    form = pick.choice(
        [f"Set the limit of the {one} whose group is {group} to {value}",
         f'Set `limit` to {value} for the {one} with group "{group}".',
         f"Set limit to {value} for the {one} in {group}"]
    )  # fmt: skip
    result = set_in_records(document, kind, chosen, "limit", value) if len(chosen) == 1 else None
    return Made("one", document, form, result)


def _with_tag(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    tag, value = pick.choice(["red", "blue", "green", "new"]), pick.randint(100, 999)
    chosen = [i for i, r in enumerate(document[kind]) if tag in r["tags"]]
    sentence = f'Set the limit of every {kind.removesuffix("s")} with the tag "{tag}" to {value}.'
    return Made("tag", document, sentence, set_in_records(document, kind, chosen, "limit", value))


def _too_small(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    bound = pick.randint(10, 80)
    chosen = [i for i, r in enumerate(document[kind]) if r["score"] < bound]
    sentence = f"Change every score below {bound} to {bound}."
    return Made("sized", document, sentence, set_in_records(document, kind, chosen, "score", bound))


def _unknown_too(pick: random.Random) -> Made:
    """What is to be removed is not there: doing the rest of it silently is wrong."""
    _, document = new_document(pick)
    word = pick.choice(["debug", "warn", "error"])
    return Made("absent", document, f'Remove Otto Zimmer and set the level to "{word}".', None)


def _member_added(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place = pick.randrange(5)
    name, word = document[kind][place]["name"], pick.choice(["late", "early", "soon"])
    form = pick.choice(
        [f'Add the field `note` with the value "{word}" to {name} only.',
         f'Add `note: "{word}"` to {name}.',
         f'Add a key `note` set to "{word}" to the {kind.removesuffix("s")} named {name}.']
    )  # fmt: skip
    return Made("member", document, form, set_in_records(document, kind, [place], "note", word))


def _stated(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place = pick.randrange(5)
    record = document[kind][place]
    city = pick.choice(CITIES)
    form = pick.choice(
        [f"{record['name']} lives in {city}.", f"{record['name']} is based in {city} now."]
    )
    return Made("fact", document, form, set_in_records(document, kind, [place], "city", city))


RULES = (
    _whole_value, _removed_by_part, _removed_by_name, _scoped_path, _remark, _dotted, _several,
    _condition, _flagged, _gapped, _shared_scope, _except, _tagged, _odd_word, _protected,
    _new_record, _copied, _pointer, _moved_path, _steps, _rest_stays, _only_there, _if_so, _merged,
    _one_of_group, _with_tag, _too_small, _unknown_too, _member_added, _stated,
    *STEP_RULES,
)  # fmt: skip


def made(seed: int) -> Made:
    """Return the sentence of number *seed*."""
    pick = random.Random(seed)
    return RULES[seed % len(RULES)](pick)


def plain(document: Any) -> str:
    """Return a document as text that can be compared."""
    return json.dumps(document)
