"""What others do to a session's work is told once, and a refusal says what became of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.noise.seat import Seat
from redline.core.paths import Access
from redline.core.ports.history import Direction, Origin
from redline.plan.file_ops import plan_write
from redline.services.history.revert import Wish
from redline.toolsets.call import session_of
from redline.toolsets.tool import Client

TWO = "".join(f"line {number}\n" for number in range(30))


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    """A client at a workspace of its own."""
    seat = Seat(tmp_path)
    seat.write({"a.txt": "one\ntwo\nthree\n", "long.txt": TWO, "src/app.py": "x = 1\n"})
    yield seat
    seat.close()


def edit(seat: Seat, path: str, *pairs: tuple[str, str], by: str = "me") -> str:
    """Edit a file; the id of the change."""
    edits = [{"old": old, "new": new} for old, new in pairs]
    text, failed = seat.call("edit", {"path": path, "edits": edits}, by)
    assert not failed, text
    found = re.search(r"^change (\w+)$", text, re.MULTILINE)
    assert found is not None
    return found[1]


def say(seat: Seat, by: str = "me") -> str:
    """What is added to an answer that has nothing to do with it."""
    text, failed = seat.call("find", {"globs": ["nothing"]}, by)
    assert not failed
    return text.removeprefix("(nothing found)").strip()


def record_outside(seat: Seat, name: str, text: str) -> str:
    """Record that another program wrote a file, as the recorder does; the id of that."""
    path = seat.redline.workspace.resolve(name, Access.READ)
    change_set = plan_write(seat.redline.tree, path, name, text.encode())
    seat.write({name: text})
    return seat.redline.editor.record(change_set, Origin("outside", principal="someone")).id


@pytest.mark.requirement("agent-told-of-undone-work")
def test_an_undone_change_is_told_once_with_the_next_answer(seat: Seat) -> None:
    made = edit(seat, "a.txt", ("two", "2"))
    assert say(seat) == ""
    seat.act(Wish(Direction.UNDO, id=made))
    said = say(seat)
    assert re.fullmatch(
        rf"note: a person undid your change {made} \(a.txt\) at \d\d:\d\dZ", said
    ), said
    assert say(seat) == ""
    seat.act(Wish(Direction.REDO, id=made))
    assert f"note: a person redid your change {made} (a.txt)" in say(seat)


@pytest.mark.requirement("agent-told-of-undone-work")
def test_a_hunk_that_was_taken_back_is_told_as_a_part(seat: Seat) -> None:
    made = edit(seat, "long.txt", ("line 2\n", "second\n"), ("line 25\n", "late\n"))
    seat.act(Wish(Direction.UNDO, id=made, hunks=(1,)))
    assert f"note: a person undid a part of your change {made} (long.txt)" in say(seat)


@pytest.mark.requirement("agent-told-of-undone-work")
def test_what_was_undone_and_redone_between_two_calls_is_not_told(seat: Seat) -> None:
    made = edit(seat, "a.txt", ("two", "2"))
    undone = seat.act(Wish(Direction.UNDO, id=made))
    seat.act(Wish(Direction.REDO, id=undone))
    assert say(seat) == ""


@pytest.mark.requirement("agent-told-of-undone-work")
def test_only_the_session_whose_work_it_was_is_told_of_an_undo(seat: Seat) -> None:
    assert say(seat, "other") == ""
    made = edit(seat, "a.txt", ("two", "2"))
    seat.act(Wish(Direction.UNDO, id=made))
    assert say(seat, "other") == ""
    assert made in say(seat)
    mine = edit(seat, "a.txt", ("two", "II"))
    assert seat.call("undo", {"id": mine})[1] is False
    assert say(seat) == ""


@pytest.mark.requirement("agent-told-of-changed-files")
def test_a_file_that_another_changed_is_told_to_who_read_or_edited_it(seat: Seat) -> None:
    seat.call("read", {"path": "a.txt"})
    edit(seat, "src/app.py", ("1", "2"))
    assert say(seat, "stranger") == ""
    outside = record_outside(seat, "a.txt", "one\nTWO\nthree\n")
    other = edit(seat, "src/app.py", ("2", "3"), by="stranger")
    record_outside(seat, "new.txt", "never seen\n")
    said = say(seat).splitlines()
    assert len(said) == 2
    assert said[0].startswith("note: another program changed a.txt at ")
    assert said[0].endswith(f" ({outside}); read before you edit")
    assert said[1].startswith("note: agent changed src/app.py at ")
    assert f"({other})" in said[1]
    assert say(seat) == ""
    assert say(seat, "stranger") == ""


@pytest.mark.requirement("agent-told-of-changed-files")
def test_what_the_call_itself_shows_is_not_told(seat: Seat) -> None:
    seat.call("read", {"path": "a.txt"})
    record_outside(seat, "a.txt", "new\n")
    text, _ = seat.call("read", {"path": "a.txt"})
    assert "note:" not in text
    record_outside(seat, "a.txt", "newer\n")
    record_outside(seat, "a.txt", "new\n")
    assert say(seat) == ""


@pytest.mark.requirement("agent-told-of-changed-files")
def test_many_changes_are_told_in_a_few_lines(seat: Seat) -> None:
    names = [f"f{number}.txt" for number in range(12)]
    seat.write(dict.fromkeys(names, "old\n"))
    seat.call("read", {"paths": names})
    for name in names:
        record_outside(seat, name, "new\n")
    said = say(seat).splitlines()
    assert len(said) == 6
    assert said[-1] == "note: 7 more of the kind; changes lists them"


@pytest.mark.requirement("agent-told-of-undone-work")
def test_asking_for_news_reads_nothing_where_nothing_is_new(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(seat, "a.txt", ("two", "2"))
    assert say(seat) == ""
    reads: list[int] = []
    real = os.pread
    monkeypatch.setattr(os, "pread", lambda *given: (reads.append(1), real(*given))[1])
    assert seat.redline.history.take_arrivals(session_of(Client("agent", connection="me"))) == []
    assert not reads
    edit(seat, "a.txt", ("one", "1"), by="other")
    assert (
        len(seat.redline.history.take_arrivals(session_of(Client("agent", connection="me")))) == 1
    )
    assert reads


@pytest.mark.requirement("agent-refusals-know-the-history")
def test_a_refused_edit_says_that_its_text_was_undone(seat: Seat) -> None:
    made = edit(seat, "a.txt", ("two", "second line"))
    undone = seat.act(Wish(Direction.UNDO, id=made))
    text, failed = seat.call(
        "edit", {"path": "a.txt", "edits": [{"old": "second line", "new": "2"}]}
    )
    assert failed
    assert text.startswith("NO_MATCH: ")
    told = (
        rf"; this text was yours \({made}\) and was undone by a person at \d\d:\d\dZ \({undone}\)"
    )
    assert re.search(told, text), text


@pytest.mark.requirement("agent-refusals-know-the-history")
def test_a_refused_edit_says_that_its_text_was_replaced(seat: Seat) -> None:
    made = edit(seat, "a.txt", ("two", "second line"))
    record_outside(seat, "a.txt", "one\nsomething else\nthree\n")
    call = {"path": "a.txt", "edits": [{"old": "second line", "new": "2"}]}
    assert (
        f"this text was yours ({made}) and was replaced by another program"
        in (seat.call("edit", call)[0])
    )
    mine = edit(seat, "a.txt", ("three", "3"))
    text, _ = seat.call("edit", {"path": "a.txt", "edits": [{"old": "three", "new": "4"}]})
    assert "this text was in the file and was replaced by you at" in text
    assert f"({mine})" in text
    text, _ = seat.call("edit", {"path": "a.txt", "edits": [{"old": "never here", "new": "4"}]})
    assert "this text" not in text


@pytest.mark.requirement("agent-refusals-know-the-history")
def test_stale_says_what_changed_and_prints_the_call_that_works(seat: Seat) -> None:
    shown, _ = seat.call("read", {"path": "a.txt"})
    version = re.search(r"@[0-9a-f]{8}", shown)
    assert version is not None
    outside = record_outside(seat, "a.txt", "one\nTWO\nthree\n")
    item = {"old": "three", "new": "3"}
    text, failed = seat.call("edit", {"path": "a.txt", "edits": [{**item, "version": version[0]}]})
    assert failed
    assert text.startswith(
        "STALE: File changed since it was read: a.txt; line 2 was `two` and is `TWO`;"
        " last changed by another program at "
    )
    assert f"({outside})" in text
    again = re.search(r'pass edits\[0\]: \{"version": "(@\w{8})"\}', text)
    assert again is not None
    text, failed = seat.call("edit", {"path": "a.txt", "edits": [{**item, "version": again[1]}]})
    assert not failed, text
    text, _ = seat.call("write", {"path": "a.txt", "content": "mine\n", "version": version[0]})
    assert text.startswith("STALE: ")
    assert "pass" not in text
    assert "hint: read the file again" in text


@pytest.mark.requirement("agent-similar-names")
def test_a_path_that_is_not_there_names_similar_ones(seat: Seat) -> None:
    seat.write({"src/deep/settings.py": "S = 1\n", "src/util.py": "", "lib/util.py": ""})
    for tool, more in (
        ("read", {}),
        ("find", {}),
        ("edit", {"edits": [{"old": "S", "new": "T"}]}),
        ("delete", {}),
        ("move", {"to": "x.py"}),
        ("context", {}),
        ("get", {"key": "a"}),
    ):
        text, failed = seat.call(tool, {"path": "settings.py", **more})
        assert failed
        assert 'hint: pass {"path": "src/deep/settings.py"}' in text, (tool, text)
    text, _ = seat.call("read", {"path": "src/deep/setings.py:1"})
    assert 'hint: pass {"path": "src/deep/settings.py:1"}' in text
    text, _ = seat.call("read", {"path": "core/util.py"})
    assert "hint: similar: " in text
    assert "src/util.py" in text
    assert "lib/util.py" in text
    text, _ = seat.call("read", {"paths": ["a.txt", "Settings.py"]})
    assert "hint: did you mean src/deep/settings.py?" in text
    text, _ = seat.call("read", {"path": "nothing/like/it.rs"})
    assert "hint: find with a glob shows what there is" in text
    edits = [
        {"path": "a.txt", "old": "one", "new": "1"},
        {"path": "lib/app.py", "old": "x", "new": "y"},
    ]
    text, _ = seat.call("edit", {"edits": edits})
    assert "src/app.py" not in seat.call("delete", {"path": "ap.py"})[0]
    assert 'hint: pass edits[1]: {"path": "src/app.py"}' in text


@pytest.mark.requirement("agent-similar-names")
def test_a_symbol_that_is_not_there_names_similar_ones(seat: Seat) -> None:
    seat.write({"src/shop.py": "class Basket:\n    def total(self):\n        return 1\n"})
    text, _ = seat.call("read", {"path": "src/shop.py", "symbol": "Baskt"})
    assert 'hint: pass {"symbol": "Basket"}' in text
    text, _ = seat.call("rename", {"symbol": "Basket.totals", "to": "total_sum"})
    assert text.startswith("NO_VALUE: ")
    assert 'hint: pass {"symbol": "Basket.total"}' in text


@pytest.mark.requirement("agent-search-as-text")
def test_a_pattern_that_was_searched_as_text_is_answered_with_the_argument(seat: Seat) -> None:
    for query in (r"x\s*=", "x.*=", r"x \= 1|y", "(?:x)", r"\bx\b", "[a-z] ="):
        text, _ = seat.call("search", {"query": query})
        assert text == '(no match) searched as text; for a regex pass {"regex": true}', query
    for query in ("nowhere", "f(a, b)", "a[0]", "a.b", "x => y", "$HOME"):
        assert seat.call("search", {"query": query})[0] == "(no match)", query


@pytest.mark.requirement("agent-new-files-parse")
def test_a_new_file_that_does_not_parse_is_noted_as_an_edited_one_is(seat: Seat) -> None:
    text, _ = seat.call("write", {"path": "bad.py", "content": "def f(:\n"})
    assert "note: the new file does not parse: line 1: " in text
    text, _ = seat.call("write", {"path": "bad.json", "content": '{"a": }'})
    assert "note: the new file does not parse: " in text
    text, _ = seat.call("write", {"path": "src/app.py", "content": "x = (\n"})
    assert "note: the file parsed before this edit and no longer does: " in text
    patch = "*** Begin Patch\n*** Add File: worse.py\n+def f(:\n*** End Patch"
    assert (
        "worse.py: the new file does not parse: " in seat.call("apply_patch", {"patch": patch})[0]
    )
    for name, content in (("good.py", "x = 1\n"), ("empty.py", ""), ("notes.txt", "def f(:\n")):
        assert "note:" not in seat.call("write", {"path": name, "content": content})[0]
