"""Generated sentences of several steps, with remarks about the rest, brackets and contrasts."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.instruct.generator_documents import (
    CITIES,
    FIRST,
    GROUPS,
    Made,
    change_copy,
    new_document,
    set_in_records,
)

RESTS = (
    "; all other {kind} keep their {key}.", ". The other {kind} are not to be touched.",
    ". Leave the remaining {kind} as they are.", "; the rest of the document stays unchanged.",
    " and change nothing else.", ". Do not modify any other {one}.", ", and for no other {one}.",
)  # fmt: skip


def _rest_keeps(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)
    key = pick.choice(["score", "limit"])
    name = document[kind][place]["name"]
    rest = pick.choice(RESTS).format(kind=kind, one=kind.removesuffix("s"), key=key)
    sentence = f"Set `{key}` to {value} for {name}{rest}"
    return Made(
        "rest-keeps", document, sentence, set_in_records(document, kind, [place], key, value)
    )


def _rest_denied(pick: random.Random) -> Made:
    """What must stay is what the change is about: nothing certain follows."""
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)
    name = document[kind][place]["name"]
    form = pick.choice(
        [f"Set the score of every {kind.removesuffix('s')} to {value}; {name} stays as is.",
         f"Set {name}'s score to {value}. {name} must not be changed.",
         f"Set all scores to {value} but leave {name} alone."]
    )  # fmt: skip
    chosen = [i for i in range(5) if i != place]
    result = None if "must" in form else set_in_records(document, kind, chosen, "score", value)
    return Made("rest-denied", document, form, result)


def _lettered(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)
    record, port = document[kind][place], pick.randint(1000, 9000)
    marks = pick.choice([("(a)", "(b)", "(c)"), ("1)", "2)", "3)"), ("(1)", "(2)", "(3)")])

    def change(after: Any) -> None:
        after[kind][place]["score"] = value
        after["server"]["port"] = port
        del after["owner"]

    sentence = (
        f"Apply the following changes: {marks[0]} set the score of {record['name']} to {value}; "
        f"{marks[1]} set `server.port` to {port}; {marks[2]} remove `owner`."
    )
    return Made("lettered", document, sentence, change_copy(document, change))


def _stage(pick: random.Random) -> Made:
    _, document = new_document(pick)
    section, port = pick.choice(["server", "backup"]), pick.randint(1000, 9000)
    copied = pick.random() < 0.5

    def change(after: Any) -> None:
        if copied:
            after["mirror"] = {**after[section], "port": port}
        else:
            held = [("mirror" if key == section else key, value) for key, value in after.items()]
            after.clear()
            after.update(held)
            after["mirror"] = {**after["mirror"], "port": port}

    made = (
        f"Copy `{section}` to a new top-level key `mirror`" if copied
        else f"Rename `{section}` to `mirror`"
    )  # fmt: skip
    then = pick.choice(
        [f", then set mirror.port to {port}.", f" and set the port of `mirror` to {port}.",
         f". Then set `mirror.port` to {port}."]
    )  # fmt: skip
    return Made("stage", document, made + then, change_copy(document, change))


def _new_object(pick: random.Random) -> Made:
    _, document = new_document(pick)

    def change(after: Any) -> None:
        after["meta"] = {"keeper": after.pop("owner")}

    form = pick.choice(
        ["Move `owner` to `meta.keeper`, creating `meta` if it does not exist.",
         "Move `owner` into a new object `meta` under the key `keeper`.",
         "Relocate /owner into a new object `meta` as `keeper`."]
    )  # fmt: skip
    return Made("new-object", document, form, change_copy(document, change))


def _listed_fields(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, value, limit = pick.randrange(5), pick.randint(100, 999), pick.randint(100, 999)
    name, city = document[kind][place]["name"], pick.choice(CITIES)
    said = f'score {value}, limit {limit}, city "{city}"'
    signed = f'score: {value}, limit: {limit}, city: "{city}"'
    form = pick.choice(
        [f'Give "{name}" the following values: {said}.', f"Update {name}: {signed}",
         f"Set the following fields of {name}: {signed}"]
    )  # fmt: skip

    def change(after: Any) -> None:
        after[kind][place].update(score=value, limit=limit, city=city)

    return Made("listed", document, form, change_copy(document, change))


def _written_into(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)

    def change(after: Any) -> None:
        after["level"] = "warn"
        after[kind][place]["score"] = value

    verb = pick.choice(["Write", "Put", "Store"])
    sentence = f'{verb} "warn" into `level` and {value} into `{kind}[{place}].score`.'
    return Made("written", document, sentence, change_copy(document, change))


def _contrast(pick: random.Random) -> Made:
    """The old value says which place is meant, where just one place holds it."""
    kind, document = new_document(pick)
    place = pick.randrange(5)
    record = document[kind][place]
    city = pick.choice([c for c in CITIES if c != record["city"]])
    tells = pick.choice(["works in", "is now based in", "will be found in", "sits in"])
    named = pick.random() < 0.5
    sentence = f"{record['name']} {tells} {city} instead of {record['city']}."
    if not named:
        sentence = f"We {tells.replace('is', 'are').replace('s in', ' in')} {city} instead of Graz."
    result = set_in_records(document, kind, [place], "city", city) if named else None
    return Made("contrast", document, sentence, result)


def _bracketed(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, other = pick.randrange(5), pick.randrange(5)
    name, kept = document[kind][place]["name"], document[kind][other]["name"]
    value = pick.randint(100, 999)
    form = pick.choice(
        [f"Set {name}'s score to {value} (leave {kept} alone).",
         f"Set {name}'s score to {value} ({kept} stays as is)."]
    )  # fmt: skip
    result = None if place == other else set_in_records(document, kind, [place], "score", value)
    return Made("bracket", document, form, result)


def _made_record(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    one = kind.removesuffix("s")
    record = {
        "id": 105,
        "name": f"{pick.choice(FIRST)} Newman",
        "group": pick.choice(GROUPS[:4]),
        "score": pick.randint(1, 90),
    }
    said = ", ".join(f"{key} {json.dumps(value)}" for key, value in record.items())
    signed = ", ".join(f"{key} = {json.dumps(value)}" for key, value in record.items())
    first = pick.random() < 0.3
    where = "as the first element of" if first else "to"
    form = pick.choice(
        [f"Create a {one} object with {said}, and insert it {where} `{kind}`."]
        if first
        else [f"Create a {one} with {said} and append it to `{kind}`.",
              f"Add a {one} record: {signed}.", f"Append a {one} to `{kind}` using {said}.",
              f"Add to `{kind}`: {json.dumps(record)}"]
    )  # fmt: skip
    spot = 0 if first else 5
    result = change_copy(document, lambda after: after[kind].insert(spot, record))
    return Made("made-record", document, form, result)


def _jotted(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place = pick.randrange(5)
    record = document[kind][place]
    port = document["server"]["port"]
    form, change = pick.choice(
        [
            ("server port x2", lambda a: a["server"].update(port=port * 2)),
            ("server.port ==> 8123", lambda a: a["server"].update(port=8123)),
            (f"{record['name']}: tags += fresh", lambda a: a[kind][place]["tags"].append("fresh")),
            ("server debug on, level warn", lambda a: (a["server"].update(debug=True),
                                                       a.update(level="warn"))),
            ("server debug", None),
            ("tags += fresh", None),
        ]
    )  # fmt: skip
    result = change_copy(document, change) if change is not None else None
    return Made("jotted", document, form, result)


STEP_RULES = (
    _rest_keeps, _rest_denied, _lettered, _stage, _new_object, _listed_fields, _written_into,
    _contrast, _bracketed, _made_record, _jotted,
)  # fmt: skip
