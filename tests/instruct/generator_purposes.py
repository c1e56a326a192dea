"""Sentences that say why before they say how, and nouns and pronouns that add nothing."""

from __future__ import annotations

import random
from typing import Any

from tests.instruct.generator_documents import Made, change_copy, new_document, set_in_records

PURPOSES = ["Reprimand", "Onboard", "Sign off", "Reward", "Promote"]


def _explained(pick: random.Random) -> Made:
    """The record of the purpose is that of the changes."""
    kind, document = new_document(pick)
    place, value, limit = pick.randrange(5), pick.randint(100, 999), pick.randint(100, 999)
    record, verb = document[kind][place], pick.choice(PURPOSES)
    whom = f"the {kind.removesuffix('s')} with id {record['id']}"
    form = pick.choice(
        [f"{verb} {whom}: set `score` to {value} and `limit` to {limit}.",
         f"{verb} {whom}: set score to {value} and limit to {limit}."]
    )  # fmt: skip

    def change(after: Any) -> None:
        after[kind][place].update(score=value, limit=limit)

    return Made("explained", document, form, change_copy(document, change))


def _by_doing(pick: random.Random) -> Made:
    """`Silence the level by setting it`, alone or behind another change."""
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)
    name = document[kind][place]["name"]
    form = pick.choice(
        ['Set `server.port` to 80 and turn down `level` by setting it to "warn".',
         f'Set `server.port` to 80 and punish {name} by setting `score` to {value}.']
    )  # fmt: skip

    def change(after: Any) -> None:
        after["server"]["port"] = 80
        if "level" in form:
            after["level"] = "warn"
        else:
            after[kind][place]["score"] = value

    return Made("by-doing", document, form, change_copy(document, change))


def _elsewhere_explained(pick: random.Random) -> Made:
    """A heading without a verb may say where, a limit in the purpose when: nothing is certain."""
    _, document = new_document(pick)
    word = pick.choice(["debug", "warn", "error"])
    form = pick.choice(
        [f'European clusters: set `level` to "{word}".',
         f'Quieten the logs unless it is Friday: set `level` to "{word}".',
         f'Quieten the logs only at night: set `level` to "{word}".']
    )  # fmt: skip
    return Made("elsewhere", document, form, None)


def _towards(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place = pick.randrange(5)
    record = document[kind][place]
    goal = record["score"] + pick.choice([-20, -7, -1, 1, 7, 20])
    if pick.random() < 0.5:
        sentence = f'{pick.choice(["Raise", "Lower"])} the level to "warn".'
        return Made(
            "towards", document, sentence, change_copy(document, lambda a: a.update(level="warn"))
        )
    old = record["score"] if pick.random() < 0.7 else record["score"] + 1
    sentence = f"Increase the score of {record['name']} from {old} to {goal}."
    fits = old == record["score"] and goal > old
    after = set_in_records(document, kind, [place], "score", goal)
    return Made("towards", document, sentence, after if fits else None)


def _capped(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, goal = pick.randrange(5), pick.randint(100, 999)
    verb = pick.choice(["Cap", "Restrict", "Limit"])
    sentence = (
        f"{verb} the score of {document[kind][place]['name']} {pick.choice(['to', 'at'])} {goal}."
    )
    return Made(
        "capped", document, sentence, set_in_records(document, kind, [place], "score", goal)
    )


def _labelled(pick: random.Random) -> Made:
    """A noun behind an exact key; one that may be something else of it is asked about."""
    _, document = new_document(pick)
    other = pick.random() < 0.4
    noun = pick.choice(
        ["owner", "delay", "date", "price", "zorb"] if other else ["knob", "tier", "directive"]
    )
    sentence = f'Set the `level` {noun} to "warn".'
    after = change_copy(document, lambda a: a.update(level="warn"))
    return Made("labelled", document, sentence, None if other else after)


def _label_removed(pick: random.Random) -> Made:
    _, document = new_document(pick)
    sentence = f"{pick.choice(['Remove', 'Delete'])} the `level` {pick.choice(['tier', 'knob'])}."
    return Made("label-removed", document, sentence, None)


def _theirs(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    one, two = pick.sample(range(5), 2)
    value, limit = pick.randint(100, 999), pick.randint(100, 999)
    a, b = document[kind][one]["name"], document[kind][two]["name"]
    sentence = f"Set the score of {a} and {b} to {value} and set their limit to {limit}."

    def change(after: Any) -> None:
        for place in (one, two):
            after[kind][place].update(score=value, limit=limit)

    return Made("theirs", document, sentence, change_copy(document, change))


def _it_is_tested(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    old, new = pick.sample(["Sales", "Support", "Legal", "Finance"], 2)
    chosen = [i for i, r in enumerate(document[kind]) if r["group"] == old]
    sentence = f'For all {kind} whose `group` is "{old}", change it to "{new}".'
    return Made("tested", document, sentence, set_in_records(document, kind, chosen, "group", new))


def _renamed_and_set(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    place, value = pick.randrange(5), pick.randint(100, 999)
    if pick.random() < 0.3:
        name = document[kind][place]["name"]
        # the record, not its score
        sentence = f'Set the score of {name} to {value} and rename it to "Zed".'
        return Made("renamed-set", document, sentence, None)

    def change(after: Any) -> None:
        held = [("volume" if key == "level" else key, v) for key, v in after.items()]
        after.clear()
        after.update(held)
        after["volume"] = "warn"

    sentence = f'Rename `level` to `volume` and set {pick.choice(["it", "its value"])} to "warn".'
    return Made("renamed-set", document, sentence, change_copy(document, change))


def _scopes_of_groups(pick: random.Random) -> Made:
    kind, document = new_document(pick)
    one, two = pick.sample(range(5), 2)
    x, y, z = (pick.randint(1, 9) for _ in range(3))
    a, b = document[kind][one]["name"], document[kind][two]["name"]
    sentence = f"Increase score by {x} and limit by {y} for {a}, and increase limit by {z} for {b}."

    def change(after: Any) -> None:
        after[kind][one]["score"] += x
        after[kind][one]["limit"] += y
        after[kind][two]["limit"] += z

    return Made("groups", document, sentence, change_copy(document, change))


PURPOSE_RULES = (
    _explained, _by_doing, _elsewhere_explained, _towards, _capped, _labelled, _label_removed,
    _theirs, _it_is_tested, _renamed_and_set, _scopes_of_groups,
)  # fmt: skip


def made_for_a_purpose(seed: int) -> Made:
    """Return the sentence of number *seed*."""
    return PURPOSE_RULES[seed % len(PURPOSE_RULES)](random.Random(seed))
