"""edit_file to the letter: what it writes, what it refuses with a call that works, what it says."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.toolsets.files.conftest import Desk

PYTHON = "def f(x):\n    for y in x:\n        a(y)\n        b(y)\n    c()\n"


def printed_call(message: str) -> dict[str, str]:
    """The edit that a refusal prints."""
    call: dict[str, str] = json.loads(message[message.index('{"oldText"') :])
    return call


def refusal(desk: Desk, path: Path, *edits: dict[str, Any]) -> str:
    """The message of edits that must be refused; the file stays as it is."""
    before = path.read_bytes()
    code, message = desk.error("edit_file", path=path, edits=list(edits))
    assert path.read_bytes() == before
    assert code == -32603
    return message


@pytest.mark.requirement("files-edit-to-the-letter")
@pytest.mark.parametrize("name", ["a.txt", "a.py", "a.js", "a.md"])
def test_an_exact_and_unique_text_is_replaced_to_the_letter(desk: Desk, name: str) -> None:
    path = desk.file(name, PYTHON)
    old, new = "b(y)\n    c()", "b(y)\n        d(y)\n    c()\n\n\ndef g():\n    e()"
    assert desk.edit(path, old, new) == f"Successfully edited {path}"
    assert path.read_text() == PYTHON.replace(old, new)


@pytest.mark.requirement("files-edit-hanging-line")
def test_a_line_that_comes_back_elsewhere_is_refused_and_the_printed_call_works(desk: Desk) -> None:
    path = desk.file("a.py", PYTHON)
    edit = {"oldText": "a(y)\n        b(y)\n", "newText": "z(y)\na(y)\n        b(y)\n"}
    message = refusal(desk, path, edit)
    assert "not found" not in message
    call = printed_call(message)
    desk.call("edit_file", path=path, edits=[call])
    assert path.read_text() == PYTHON.replace("        a(y)", "        z(y)\n        a(y)")


@pytest.mark.requirement("files-edit-shift-parses")
@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        # The further lines count from the margin of the quotation.
        ("c()\n", "if z:\n    c()\n", "    if z:\n        c()\n"),
        # The first line brings the indentation that the old text leaves out.
        ("a(y)\n", "        d(y)\n        e(y)\n", "        d(y)\n        e(y)\n"),
        # Whole lines, the new ones without the file's margin.
        ("        a(y)\n", "d(y)\n", "        d(y)\n"),
        # A line goes, and what was before it would indent the next one.
        ("b(y)\n", "", ""),
    ],
)
def test_an_edit_that_breaks_the_file_where_one_shift_would_not_is_refused(
    desk: Desk, old: str, new: str, after: str
) -> None:
    path = desk.file("a.py", PYTHON)
    message = refusal(desk, path, {"oldText": old, "newText": new})
    assert "would not after this edit" in message
    call = printed_call(message)
    assert desk.text("edit_file", path=path, edits=[call]) == f"Successfully edited {path}"
    line = next(line for line in PYTHON.splitlines(keepends=True) if old in line)
    assert path.read_text() == PYTHON.replace(line, after)
    ast.parse(path.read_text())


@pytest.mark.requirement("files-edit-shift-parses")
def test_a_shift_that_tears_the_old_lines_apart_is_not_offered(desk: Desk) -> None:
    path = desk.file("a.py", "def f():\n    # one\n    # two\n    g()\n")
    old = "# one\n    # two\n    g()\n"
    edit = {"oldText": old, "newText": "if z:\n        # one\n        # two\n    g()\n"}
    first, second = desk.texts("edit_file", path=path, edits=[edit])
    assert first == f"Successfully edited {path}"
    assert "no longer does" in second


@pytest.mark.requirement("files-edit-shift-parses")
def test_of_several_edits_the_one_that_breaks_the_file_is_named(desk: Desk) -> None:
    path = desk.file("a.py", PYTHON)
    good = {"oldText": "def f(x)", "newText": "def f(x, z)"}
    bad = {"oldText": "c()\n", "newText": "if z:\n    c()\n"}
    message = refusal(desk, path, good, bad)
    call = printed_call(message)
    assert call == {"oldText": "    c()\n", "newText": "    if z:\n        c()\n"}
    desk.call("edit_file", path=path, edits=[good, call])


@pytest.mark.requirement("files-edit-shift-parses")
def test_yaml_that_one_shift_keeps_readable_is_refused(desk: Desk) -> None:
    path = desk.file("a.yaml", "a:\n  b:\n    c: 1\n    d: 2\n")
    message = refusal(desk, path, {"oldText": "c: 1\n", "newText": "c:\n  - 1\n"})
    assert "would not after this edit" in message


@pytest.mark.requirement("files-edit-broken-note", "files-answer-notes")
def test_an_edit_after_which_the_file_no_longer_parses_says_so_in_one_line(desk: Desk) -> None:
    path = desk.file("a.py", PYTHON)
    edits = [{"oldText": "c()", "newText": "c("}]
    first, second = desk.texts("edit_file", path=path, edits=edits)
    assert first == f"Successfully edited {path}"
    assert second.startswith("note: the file parsed before this edit and no longer does: line ")
    assert desk.edit(path, "def f(x)", "def f(x, y)") == f"Successfully edited {path}"
    assert desk.edit(path, "c(", "c()") == f"Successfully edited {path}"


@pytest.mark.requirement("files-edit-broken-note")
def test_a_preview_and_edit_files_say_so_too(desk: Desk) -> None:
    path = desk.file("a.json", '{"a": 1}\n')
    edits = [{"oldText": "1}", "newText": "1,, 2"}]
    blocks = desk.call("edit_file", path=path, edits=edits, dryRun=True)["content"]
    assert blocks[-1]["text"].startswith("note: the file parsed before")
    for compact in (False, True):
        path.write_text('{"a": 1}\n')
        done = desk.text("edit_files", paths=[str(path)], edits=edits, compact=compact)
        assert "parsed before this edit and no longer does" in done


@pytest.mark.requirement("files-edit-broken-note")
@pytest.mark.parametrize(
    ("name", "text", "old", "new", "told"),
    [
        ("a.toml", "a = 1\n", "1", "[1", "Invalid TOML at line 2"),
        ("a.yaml", "a: 1\nb: 2\n", "a: 1", "a: [1", "Invalid YAML at line "),
        ("a.json", '{"a": 1}\n', "1}", "1", "Invalid JSON at line "),
        ("a.go", "package a\n\nfunc f() {}\n", "{}", "{", "line 3: "),
    ],
)
def test_every_format_is_read_by_its_own_parser(
    desk: Desk, name: str, text: str, old: str, new: str, told: str
) -> None:
    path = desk.file(name, text)
    edits = [{"oldText": old, "newText": new}]
    assert f"no longer does: {told}" in desk.texts("edit_file", path=path, edits=edits)[1]
    assert path.read_text() == text.replace(old, new)


@pytest.mark.requirement("files-edit-every-occurrence", "files-edit-open-end-unique")
def test_every_occurrence_counts_and_an_open_end_is_guarded(desk: Desk) -> None:
    path = desk.file("a", "size = 1\nsize = 10\n")
    message = refusal(desk, path, {"oldText": "size = 1", "newText": "size = 2"})
    assert "found 2 occurrences" in message
    assert path.read_text() == "size = 1\nsize = 10\n"
    path.write_text("    return\n        return")
    message = refusal(desk, path, {"oldText": "      return\n", "newText": "z()\n"})
    assert "found 2 whitespace-normalized matches" in message
    path.write_text("go()  \nstop()\ngo()")
    message = refusal(desk, path, {"oldText": "go()\n", "newText": "run()\n"})
    assert "found 2 whitespace-normalized matches" in message


@pytest.mark.requirement("files-edit-blank-lines", "files-edit-elision")
def test_blank_lines_may_differ_in_number_and_dots_may_stand_for_lines(desk: Desk) -> None:
    path = desk.file("a.py", "import a\n\n\ndef f():\n    b()\n    c()\n    return 1\n")
    desk.edit(path, "import a\n\ndef f():\n", "import a\n\ndef g():\n")
    desk.edit(path, "def g():\n    ...\n    return 1\n", "def g():\n    ...\n    return 2\n")
    assert path.read_text() == "import a\n\n\ndef g():\n    b()\n    c()\n    return 2\n"
    message = refusal(desk, path, {"oldText": "def g():\n    ...\n    d()\n", "newText": "x\n"})
    assert "leaves lines out" in message


@pytest.mark.requirement("files-edit-some-in-place")
def test_of_several_edits_one_that_is_in_place_is_named_and_skipped(desk: Desk) -> None:
    path = desk.file("a.py", "import json\nimport os\n\nrun()\n")
    made = {"oldText": "import json\n", "newText": "import json\nimport os\n"}
    fresh = {"oldText": "run()", "newText": "run(os)"}
    assert desk.texts("edit_file", path=path, edits=[made, fresh]) == [
        f"Successfully edited {path}",
        "note: edits[0] is already in place at line 1 and was skipped",
    ]
    assert path.read_text() == "import json\nimport os\n\nrun(os)\n"


@pytest.mark.requirement("files-edit-some-in-place")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("host='b'", "host='a'"),
        ("port=81", "port=8080"),
        ("strict=False", "strict=True"),
        ("parse(data)", "parse(data, strict=True)"),
    ],
)
def test_a_part_of_a_line_that_is_in_place_is_named_and_skipped(
    desk: Desk, old: str, new: str
) -> None:
    text = "import os\nserve(port=8080, host='a')\nparse(data, strict=True)\nrun()\n"
    path = desk.file("a.py", text)
    made, fresh = {"oldText": old, "newText": new}, {"oldText": "run()", "newText": "run(os)"}
    done = desk.texts("edit_file", path=path, edits=[made, fresh])[-1]
    line = text[: text.index(new)].count("\n") + 1
    assert done == f"note: edits[0] is already in place at line {line} and was skipped"
    assert path.read_text() == text.replace("run()", "run(os)")


@pytest.mark.requirement("files-edit-some-in-place")
@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("'1.1'", "'1.2'", "no word of the old text"),
        ("retries", "attempts", "no word of the old text"),
        ("port=81", "port=80", "80 goes on in the file"),
        ("host='b'", "host='a'", "the old host may have been the other one"),
    ],
)
def test_a_short_text_that_may_be_there_by_chance_excuses_no_misquoted_one(
    desk: Desk, old: str, new: str, why: str
) -> None:
    text = "V = '1.2'\nattempts = 3\nserve(port=8080, host='a')\nother(host='c')\nrun()\n"
    path = desk.file("a.py", text)
    fresh = {"oldText": "run()", "newText": "run(os)"}
    assert "oldText not found" in refusal(desk, path, {"oldText": old, "newText": new}, fresh), why


@pytest.mark.requirement("files-edit-some-in-place")
def test_new_text_at_another_place_excuses_no_misquoted_one(desk: Desk) -> None:
    kind, many = '  "kind": {\n    "type": "string"', ',\n    "enum": [\n      "a"\n    ]\n  },\n'
    path = desk.file("a", f"{kind}{many}\nother\n{kind}\n  }},\nrun()\n")
    misquoted = {"oldText": kind + many.replace("enum", "emun"), "newText": f"{kind}\n  }},\n"}
    refusal(desk, path, misquoted, {"oldText": "run()", "newText": "go()"})


@pytest.mark.requirement("files-edit-some-in-place")
def test_text_that_another_edit_of_the_call_wrote_excuses_no_misquoted_one(desk: Desk) -> None:
    path = desk.file("a", "first line here\nsecond line\n")
    new = "first line there\n"
    good = {"oldText": "first line here\n", "newText": new}
    refusal(desk, path, good, {"oldText": "frist line here\n", "newText": new})
    desk.call("edit_file", path=path, edits=[good, good])
    assert path.read_text() == "first line there\nsecond line\n"


@pytest.mark.requirement("files-edit-some-in-place")
def test_a_short_line_that_may_be_there_by_chance_is_not_skipped(desk: Desk) -> None:
    path = desk.file("a.py", "    Log,\nrun()\n")
    misquoted = {"oldText": "    7Async,\n", "newText": "    Log,\n"}
    message = refusal(desk, path, misquoted, {"oldText": "run()", "newText": "go()"})
    assert message.startswith(
        'oldText not found: "    7Async,". The new text is already in place at line 1; '
        "nothing was changed"
    )


@pytest.mark.requirement("files-edit-some-in-place")
def test_a_blank_line_that_is_there_anyway_shows_no_edit_that_adds_one(desk: Desk) -> None:
    path = desk.file("a.js", "  return ret;\n};\n\nrun()\n")
    space = {"oldText": "  return ret;\n};\n", "newText": "  return ret;\n};\n\n"}
    message = refusal(desk, path, space, {"oldText": "run()", "newText": "go()"})
    assert message.startswith("The new text is already in place at line 1; nothing was changed")


@pytest.mark.requirement("files-edit-already-said")
def test_edits_that_are_all_in_place_are_refused_with_just_that(desk: Desk) -> None:
    path = desk.file("a", "import json\nimport os\n")
    edit = {"oldText": "import json\n", "newText": "import json\nimport os\n"}
    for edits in ([edit], [edit, edit]):
        message = refusal(desk, path, *edits)
        assert message.startswith("The new text is already in place at line 1; nothing was changed")
    gone = {"oldText": "import sys\n", "newText": "import os\n"}
    assert refusal(desk, path, gone).startswith(
        'oldText not found: "import sys". The new text is already in place at line 2'
    )


def test_edits_that_change_nothing_say_so(desk: Desk) -> None:
    path = desk.file("a", "one\ntwo\n")
    same = {"oldText": "one", "newText": "one"}
    note = "note: the edits change nothing"
    told = desk.texts("edit_file", path=path, edits=[same])
    assert told == [f"Successfully edited {path}", note]
    assert desk.text("edit_file", path=path, edits=[same], dryRun=True) == "(no changes)"
    there, back = {"oldText": "one", "newText": "1"}, {"oldText": "1", "newText": "one"}
    assert desk.texts("edit_file", path=path, edits=[there, back])[-1] == note
    assert path.read_text() == "one\ntwo\n"


@pytest.mark.requirement("files-edit-already-said")
def test_a_short_replacement_inside_a_line_is_not_second_guessed(desk: Desk) -> None:
    path = desk.file("a", "x = foobar\n")
    desk.edit(path, "foo", "foobar")
    assert path.read_text() == "x = foobarbar\n"
    assert "oldText not found" in refusal(desk, path, {"oldText": "qux", "newText": "x"})
