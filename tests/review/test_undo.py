"""Taking back on the page: hunks, files, changes, sessions, and what is in the way."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from redline.core.changes import ChangeSet
from tests.engine.bench import ORIGIN
from tests.history.model import Model, Refused, Step, in_reverse
from tests.review.person import Person

FORTY = [f"line {n}\n" for n in range(1, 61)]


@pytest.mark.requirement("web-undo")
def test_a_hunk_a_file_a_change_and_a_session_are_taken_back(person: Person) -> None:
    person.sign_in()
    person.edit(("a", "".join(FORTY)), ("b", "x\n"))
    lines = list(FORTY)
    lines[2], lines[30] = "three\n", "thirty-one\n"
    change = person.edit(("a", "".join(lines)), ("b", "y\n"), session="agent")
    person.act("/undo", id=change, only="2")
    lines[30] = FORTY[30]
    assert (person.root / "a").read_text() == "".join(lines)
    page = person.see(f"/change/{change}")
    assert "Partly undone by" in page
    assert 'class="h gone" id="h2"' in page
    assert 'aria-label="Undo hunk 1 of a"' in page
    assert 'aria-label="Undo hunk 2 of a"' not in page
    person.act("/undo", id=change, path="b")
    assert (person.root / "b").read_text() == "x\n"
    person.act("/undo", id=change, hunk=["1"])
    assert (person.root / "a").read_text() == "".join(FORTY)
    for n in range(3):
        person.edit((f"new{n}", "n\n"), session="agent")
    person.act("/undo", session="agent")
    assert sorted(path.name for path in person.root.iterdir()) == ["a", "b"]


def test_an_undone_change_can_be_redone(person: Person) -> None:
    person.sign_in()
    change = person.edit(("a", "x\n"))
    where = dict(person.act("/undo", id=change, all="1").headers)["Location"]
    assert ">Redo<" in person.see(where)
    assert not (person.root / "a").exists()
    page = person.see(f"/change/{change}")
    assert "Redo change" in page
    assert "Undo hunk" not in page
    person.act("/redo", id=change)
    assert (person.root / "a").read_text() == "x\n"


def test_an_undo_without_a_selection_changes_nothing(person: Person) -> None:
    person.sign_in()
    change = person.edit(("a", "x\n"))
    assert b"No hunk is selected" in person.act("/undo", 400, id=change).body
    assert (person.root / "a").exists()


@pytest.mark.requirement("web-undo-blocked")
@pytest.mark.parametrize(
    ("choice", "expected"), [("restore", ["line 5\n"]), ("keep", ["five, by hand\n"])]
)
def test_a_blocked_undo_shows_three_versions_and_merges_as_the_person_chooses(
    person: Person, choice: str, expected: list[str]
) -> None:
    person.sign_in()
    person.edit(("a", "".join(FORTY)))
    lines = list(FORTY)
    lines[4], lines[40] = "five\n", "forty-one\n"
    change = person.edit(("a", "".join(lines)))
    lines[4] = "five, by hand\n"
    (person.root / "a").write_text("".join(lines))
    page = person.act("/undo", 409, id=change, all="1").body.decode()
    for shown in ("line 5", "five", "five, by hand", "Before the change", "Now in the file"):
        assert shown in page
    assert (person.root / "a").read_text() == "".join(lines)
    person.act("/merge", id=change, whole="1", choice=choice)
    wanted = list(FORTY)
    wanted[4:5] = expected
    assert (person.root / "a").read_text() == "".join(wanted)


def test_guarded_files_are_taken_back_only_after_a_second_look(person: Person) -> None:
    person.sign_in()
    (person.root / ".vscode").mkdir()
    (person.root / ".vscode" / "tasks.json").write_text("{}\n")
    path = ".vscode/tasks.json"
    step = person.bench.write(path, '{"a": 1}\n')
    (person.root / path).write_text('{"a": 1}\n')
    change = person.bench.editor.record(ChangeSet((step,)), ORIGIN).id
    page = person.act("/undo", 409, id=change, all="1").body.decode()
    assert "guarded" in page
    assert (person.root / path).read_text() == '{"a": 1}\n'
    person.act("/undo", id=change, whole="1", allow_guarded="1")
    assert (person.root / path).read_text() == "{}\n"


def test_the_page_goes_back_to_a_checkpoint(person: Person) -> None:
    person.sign_in()
    person.edit(("a", "1\n"))
    person.act("/checkpoint", name="before the agent")
    page = person.see("/checkpoints")
    assert "before the agent" in page
    person.edit(("a", "2\n"))
    person.edit(("b", "2\n"))
    mark = person.bench.history.marks()[0]
    person.act("/rewind", to=mark.id)
    assert (person.root / "a").read_text() == "1\n"
    assert not (person.root / "b").exists()


# -- beside the model of tests/history -----------------------------------------------------------


def _edit_apart(model: Model, rng: random.Random) -> list[Step]:
    """Edit a file at several places, so far apart that each is a hunk; a step for each."""
    size = len(model.files[0].alive or ())
    steps = []
    for start in range(size - 12, 5, -14):
        if rng.random() < 0.3:
            continue
        removed, added = rng.choice([(0, 1), (1, 0), (1, 2), (2, 2), (3, 1)])
        steps.append(model.edit(0, start, start + removed, added))
    return steps[::-1]  # from top to bottom, as hunks are numbered


def _taking_back(steps: list[Step], chosen: list[int], after: frozenset[int]) -> Step:
    """The step that has only the chosen edits, so that its inverse takes back these alone."""
    before = after
    for number in chosen:
        step = steps[number]
        assert step.before is not None
        assert step.after is not None
        before = before - (step.after - step.before) | (step.before - step.after)
    return Step(0, before, after)


@pytest.mark.requirement("web-undo-model")
@pytest.mark.parametrize("start", [0, 10])
def test_any_hunks_taken_back_leave_the_bytes_of_the_model(tmp_path: Path, start: int) -> None:
    outcomes = set()
    for number in range(start, start + 10):
        top = tmp_path / str(number)
        top.mkdir()
        person = Person(top)
        try:
            outcomes.add(_compare_with_model(person, random.Random(number)))
        finally:
            person.close()
    assert outcomes == {"undone", "blocked"}


def _compare_with_model(person: Person, rng: random.Random) -> str:
    person.sign_in()
    model, file = Model(), person.root / "a"
    model.create((None, "a"), 90)
    person.edit(("a", "".join(model.contents()["a"])))
    steps: list[Step] = []
    while len(steps) < 2:
        steps = _edit_apart(model, rng)
        if len(steps) < 2:
            person.edit(("a", "".join(model.contents()["a"])))
    change = person.edit(("a", "".join(model.contents()["a"])))
    after = model.files[0].alive
    assert after is not None
    outcome = ""
    for _ in range(3):
        size = len(model.files[0].alive or ())
        if rng.random() < 0.7:  # a person works on
            at = rng.randrange(size)
            model.edit(0, at, min(size, at + rng.choice([0, 1, 2])), 1)
            file.write_text("".join(model.contents()["a"]))
        chosen = sorted(rng.sample(range(len(steps)), rng.randint(1, len(steps))))
        form = {"id": change, "hunk": [n + 1 for n in chosen]}
        try:
            model.carry_out(in_reverse([_taking_back(steps, chosen, after)]))
        except Refused:
            assert person.send("POST", "/undo", form).status == 409
            outcome = "blocked"
        else:
            answer = person.send("POST", "/undo", form)
            assert answer.status == 303, answer.body.decode()
            outcome = outcome or "undone"
        assert file.read_text() == "".join(model.contents()["a"])
    return outcome
