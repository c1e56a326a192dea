"""Ways to say a change that are read over generated documents: names and values are drawn."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse
from tests.support import LONG

SEEDS = range(200 if LONG else 4)
SECTIONS = ["cache", "mailer", "gateway", "ledger", "scheduler"]
NUMBERS = ["retries", "workers", "depth", "budget", "quota"]
FLAGS = ["verbose", "strict", "sealed", "cached"]
NAMES = ["Otto", "Mira", "Pavel", "Ines", "Ravi", "Lena"]
VERBS = ["Prepare", "Finalize", "Overhaul", "Refit", "Discharge"]


@dataclass
class Drawn:
    """A document, the names drawn for it, and what they hold."""

    document: Any
    one: str
    two: str
    low: str
    high: str
    flag: str
    person: str
    size: int

    def after(self, change: Callable[[Any], None]) -> Any:
        """Return the document after a change to a copy of it."""
        changed = copy.deepcopy(self.document)
        change(changed)
        return changed


def draw(seed: int) -> Drawn:
    """Return a document with two sections of the same fields and a list of people."""
    dice = random.Random(seed)
    one, two = dice.sample(SECTIONS, 2)
    low, high = dice.sample(NUMBERS, 2)
    flag = dice.choice(FLAGS)
    names = dice.sample(NAMES, 3)

    def section(on: bool) -> dict[str, Any]:
        return {low: dice.randint(20, 90), high: dice.randint(20, 90), flag: on, "enabled": on}

    people = [
        {"name": name, "date": f"2025-0{n + 3}-1{n}", "time": f"1{n}:30", "paid": n == 1,
         "days": 7 * n, "depth9": {"grade": n}, "grade": n}
        for n, name in enumerate(names)
    ]  # fmt: skip
    document = {one: section(False), two: section(True), "people": people}
    return Drawn(document, one, two, low, high, flag, names[2], dice.randint(2, 9))


def set_in(*path: Any) -> Callable[[Any], None]:
    """Return a change that gives the place at a path its last item."""

    def change(document: Any) -> None:
        for key in path[:-2]:
            document = document[key]
        document[path[-2]] = path[-1]

    return change


def _shift(d: Drawn) -> Any:
    def change(document: Any) -> None:
        document[d.one][d.low] -= d.size
        document[d.two][d.low] += d.size

    return d.after(change)


def _switched(d: Drawn) -> Any:
    def change(document: Any) -> None:
        document[d.one].update({"enabled": True, d.low: 5, d.high: 6})

    return d.after(change)


def _rescheduled(d: Drawn) -> Any:
    return d.after(lambda doc: doc["people"][2].update({"date": "2025-11-20", "time": "08:15"}))


PHRASES: dict[str, tuple[Callable[[Drawn, str], str], Callable[[Drawn], Any]]] = {
    "an amount goes from one number to another": (
        lambda d, _: f"Transfer {d.size} from {d.one}.{d.low} to {d.two}.{d.low}.", _shift),
    "a field of two sections": (
        lambda d, _: f"transfer {d.size} {d.low} from {d.one} to {d.two}", _shift),
    "what a verb means is in brackets": (
        lambda d, _: f"Rebalance {d.one} and {d.two} (decrease {d.one}.{d.low} by {d.size}, "
        f"increase {d.two}.{d.low} by {d.size}).", _shift),
    "a switch with its settings": (
        lambda d, _: f"Enable {d.one} with {d.low} 5 and {d.high} 6.", _switched),
    "a day and an hour": (
        lambda d, _: f"Reschedule {d.person} to 2025-11-20 at 08:15.", _rescheduled),
    "an unknown verb before a colon": (
        lambda d, verb: f"{verb} the {d.one}: set {d.low} to 5, {d.high} to 6 and enabled to true.",
        _switched),
    "a field in brackets": (
        lambda d, verb: f"{verb} {d.person} (grade 8).",
        lambda d: d.after(set_in("people", 2, "grade", 8))),
    "what stays is said with its value": (
        lambda d, _: f"Set {d.one}.{d.low} to 5; {d.two}.{d.low} stays at "
        f"{d.document[d.two][d.low]}.", lambda d: d.after(set_in(d.one, d.low, 5))),
    "what is kept is said with its state": (
        lambda d, _: f"Set {d.one}.{d.low} to 5. Keep {d.two}.{d.flag} enabled.",
        lambda d: d.after(set_in(d.one, d.low, 5))),
    "a sentence that names nothing": (
        lambda d, _: f"Set {d.one}.{d.low} to 5; somebody asked for it yesterday.",
        lambda d: d.after(set_in(d.one, d.low, 5))),
    "a condition speaks of what is beside it": (
        lambda d, _: "set grade to 9 where days is 2 weeks",
        lambda d: d.after(set_in("people", 2, "grade", 9))),
    "two fields of one record": (
        lambda d, _: f"Set date and time to null for {d.person}.",
        lambda d: d.after(lambda doc: doc["people"][2].update({"date": None, "time": None}))),
    "one that is not so yet": (
        lambda d, _: "Set paid to true for every person that is not paid yet.",
        lambda d: d.after(lambda doc: [p.update({"paid": True}) for p in doc["people"]])),
    "a path in brackets and quotes": (
        lambda d, _: f'set {d.one}["{d.low}"] to 5',
        lambda d: d.after(set_in(d.one, d.low, 5))),
    "a fraction without its zero": (
        lambda d, _: f"set {d.one}.{d.low} to .5", lambda d: d.after(set_in(d.one, d.low, 0.5))),
}  # fmt: skip


def result(document: Any, proposal: Proposal) -> Any:
    """Return the document as the proposal leaves it."""
    return json.loads(dumps(apply_operations(parse(json.dumps(document)), proposal.operations)))


@pytest.mark.requirement("json-exactness")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("phrase", PHRASES)
def test_the_phrase_is_read_over_any_document(phrase: str, seed: int) -> None:
    drawn = draw(seed)
    say, expect = PHRASES[phrase]
    sentence = say(drawn, VERBS[seed % len(VERBS)])
    proposal = propose(parse(json.dumps(drawn.document)), sentence)
    assert proposal.status == "success", f"{sentence}: {proposal.message}"
    assert result(drawn.document, proposal) == expect(drawn), sentence


LEDGER = {
    "lead": "Nora", "status": "draft", "paid": False, "project": "Atlas",
    "tls": {"verify_peer": True, "days": 7, "level": 1}, "zip": {"level": 5},
    "allow": [{"port": 22, "from": "10.0.0.0/8"}, {"port": 443, "from": "any"}],
    "plans": [{"title": "One", "due": "2025-01-01", "cost": 5, "mails": ["a@b.example"]},
              {"title": "Two", "due": None, "cost": 6, "mails": []}],
    "jobs": {"env": {"CI": "1"}, "steps": [{"name": "build"}, {"name": "test"}]},
}  # fmt: skip


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    "instruction",
    [
        "mark as paid",  # the status beside the flag may be meant
        "allow port 22 from any",  # another rule may be meant
        "allow port 8080 from any",
        "copy the env of the jobs to every step",  # no step becomes the env
        "add mail x@y.example to Nora",  # Nora is what a field holds, not the document
        "also send mails to x@y.example",  # the one that is there stays
        "rename the project to Borealis",  # its name or its key
    ],
)
def test_what_may_be_meant_otherwise_is_left_to_the_caller(instruction: str) -> None:
    proposal = propose(parse(json.dumps(LEDGER)), instruction)
    assert proposal.status == "ambiguous", (proposal.message, proposal.operations)


@pytest.mark.requirement("json-no-wrong-change")
@pytest.mark.parametrize(
    ("instruction", "path", "value"),
    [
        ("set level to 3 where days is 1 week", ("tls", "level"), 3),
        ("set cost to 0 for plans without a due date", ("plans", 1, "cost"), 0),
        ("add an env var LOG with value 5", ("jobs", "env", "LOG"), 5),
    ],
)
def test_only_what_the_words_speak_of_changes(
    instruction: str, path: tuple[Any, ...], value: object
) -> None:
    wanted = copy.deepcopy(LEDGER)
    set_in(*path, value)(wanted)
    proposal = propose(parse(json.dumps(LEDGER)), instruction)
    assert result(LEDGER, proposal) == wanted, proposal.message


@pytest.mark.requirement("json-questions")
@pytest.mark.parametrize(
    ("instruction", "status"),
    [
        ("Who is the lead?", "no_changes"),
        ("How much does the first plan cost?", "no_changes"),
        ("What about setting cost to 3?", "ambiguous"),
        ("Could you set status to done?", "success"),
    ],
)
def test_a_question_changes_nothing(instruction: str, status: str) -> None:
    assert propose(parse(json.dumps(LEDGER)), instruction).status == status


@pytest.mark.requirement("json-parts")
def test_what_the_parts_do_together_is_one_candidate() -> None:
    text = "zorb the tls level to 4, and set zip.level to 6"
    proposal = propose(parse(json.dumps(LEDGER)), text)
    assert proposal.status == "ambiguous"
    first = {("/".join(o.path), str(o.value)) for o in proposal.candidates[0].operations}
    assert first == {("tls/level", "Num('4')"), ("zip/level", "Num('6')")}
    assert "zorb" in proposal.candidates[0].unexplained


@pytest.mark.requirement("json-parts")
def test_parts_remove_nothing_while_words_are_left() -> None:
    text = "remove zip, and zorb the tls level to 4"
    proposal = propose(parse(json.dumps(LEDGER)), text)
    assert proposal.status == "ambiguous"
    assert all(o.op != "remove" for c in proposal.candidates for o in c.operations)
