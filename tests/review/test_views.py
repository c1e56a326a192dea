"""What the page shows, read as a browser without scripts reads it."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from PIL import Image

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, Rename
from redline.core.ports.history import Origin
from redline.review.page.diffs.standalone import write_page
from tests.review.person import Person

TWENTY = [f"line {n}\n" for n in range(1, 41)]


def texts(page: str) -> str:
    """The page without tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def ids(page: str) -> list[str]:
    return re.findall(r'data-id="(\w+)"', page)


@pytest.mark.requirement("web-activity")
def test_the_timeline_says_who_did_what_to_which_files(person: Person) -> None:
    person.sign_in()
    person.edit(("a.txt", "one\ntwo\n"), summary="begin", client="claude-code 2", session="s1")
    person.edit(("a.txt", "one\n2\n"), client="claude-code 2", session="s1")
    latest = person.edit(("b.txt", "x\n"), tool="write_file", client="codex 1", session="s2",
                         principal="oauth:me")  # fmt: skip
    page = person.see("/")
    assert ids(page)[0] == latest
    shown = texts(page)
    for words in ("Claude Code", "Codex", "oauth:me", "begin", "write_file", "+2"):
        assert words in shown, words
    assert page.count('class="who"') == 2


@pytest.mark.requirement("agent-run-git-line")
def test_what_git_did_is_a_line_of_the_timeline(person: Person) -> None:
    person.sign_in()
    origin = Origin("run", "claude-code 2", summary="git: commit abc1234 on main", session="s1")
    made = person.bench.editor.note_git(origin).id
    change = Change(person.bench.at("a.txt"), ABSENT, FileState.of(b"x"))
    both = person.bench.editor.record(
        ChangeSet((change,)), Origin("run", summary="ran it"), notes=("git: stashed",)
    )
    page = person.see("/")
    assert ids(page) == [both.id, made]
    assert "No file changed git: commit abc1234 on main" in texts(page)
    assert "ran it, git: stashed" in texts(page)
    page = person.see(f"/change/{made}")
    assert re.search(r"<h1[^>]*>git: commit abc1234 on main", page)
    assert "/undo" not in page


@pytest.mark.requirement("web-filters")
def test_the_timeline_is_filtered_and_searched(person: Person) -> None:
    person.sign_in()
    one = person.edit(("a.txt", "1\n"), client="claude-code 2", summary="Add the Parser")
    two = person.edit(("b.txt", "1\n"), tool="write_file", client="codex 1", session="s2",
                      principal="me")  # fmt: skip
    for query, found in (
        ("path=a.txt", one),
        ("client=codex", two),
        ("person=me", two),
        ("tool=write_file", two),
        ("session=s2", two),
        ("q=parser+add", one),
        ("q=B.TXT", two),
        ("since=1h&q=codex", two),
    ):
        assert ids(person.see(f"/?{query}")) == [found], query
    assert ids(person.see("/?until=2020-01-01")) == []
    assert "Nothing matches" in person.see("/?q=nothing-like-it")


@pytest.mark.requirement("web-pages-by-cursor")
def test_older_changes_are_reached_by_links_alone(person: Person) -> None:
    person.sign_in()
    made = [person.edit(("a.txt", f"{n}\n")) for n in range(112)]
    seen: list[str] = []
    where: str | None = "/"
    while where:
        page = person.see(where)
        seen += ids(page)
        found = re.search(r'href="([^"]+)" rel="next"', page)
        where = found[1].replace("&amp;", "&") if found else None
    assert seen == made[::-1]
    answer = person.send("GET", f"/rows?newer={made[-4]}")
    assert ids(answer.body.decode()) == made[:-4:-1]
    answer = person.send("GET", f"/rows?before={made[60]}")
    assert ids(answer.body.decode()) == made[59:9:-1]
    assert dict(answer.headers)["X-Next"] == made[10]


@pytest.mark.requirement("web-escapes")
def test_nothing_from_the_workspace_or_a_client_is_markup(person: Person) -> None:
    evil = "<img src=x onerror=alert(1)>\"'&\u202e\x1b[31m"
    person.sign_in()
    change = person.edit(
        ("<b>.txt", f"{evil}\n"), client=evil, summary=evil, session=evil, principal=evil, tool=evil
    )
    name = "path=%3Cb%3E.txt"
    views = [f"/change/{change}", f"/change/{change}?view=split", f"/export?id={change}"]
    for where in [*views, "/", f"/blame?{name}", f"/file?{name}", "/?q=%22%3E%3Cscript%3E"]:
        page = person.see(where)
        for raw in ("<img src=x", "<b>.txt", "\u202e", "\x1b", "><script>"):
            assert raw not in page, (where, raw)
    assert "\\u202e" in person.see(f"/change/{change}")


@pytest.mark.requirement("web-diff")
def test_a_change_is_shown_with_words_marked_and_hunks_numbered_as_undo_counts(
    person: Person,
) -> None:
    person.sign_in()
    person.edit(("a.txt", "".join(TWENTY)), ("b.txt", "x = 1\n"))
    lines = list(TWENTY)
    lines[2], lines[30] = "line three\n", "line 31 and more\n"
    change = person.edit(("a.txt", "".join(lines)), ("b.txt", "x = 2\n"))
    page = person.see(f"/change/{change}")
    assert re.findall(r'id="h(\d)"', page) == ["1", "2", "3"]
    assert "<mark>three</mark>" in page
    assert "unchanged lines" in page
    split = person.see(f"/change/{change}?view=split")
    assert "diff split" in split
    assert split.count("<mark>") == page.count("<mark>")
    fold = re.search(r'class="fold" href="([^"]+)"', page)
    assert fold is not None
    assert "line 12" in texts(person.see(fold[1].replace("&amp;", "&")))


@pytest.mark.requirement("web-diff")
def test_line_ends_that_all_lines_share_are_not_shown(person: Person) -> None:
    person.sign_in()
    person.edit(("w.txt", b"one\r\ntwo\r\nlast"), ("m.txt", b"one\ntwo\n"))
    change = person.edit(("w.txt", b"one\r\n2\r\nlast"), ("m.txt", b"one\r\ntwo\n"))
    page = person.see(f"/change/{change}")
    assert page.count("u000d") == 1
    undone = person.edit(("w.txt", b"one\r\ntwo\r\nlast"))
    assert "u000d" not in person.see(f"/change/{undone}")


@pytest.mark.requirement("web-activity")
def test_what_another_program_did_is_not_an_unknown_client(person: Person) -> None:
    person.sign_in()
    person.edit(("a.txt", "one\n"), tool="outside", client="", session="", principal="me")
    assert "Other programs" in texts(person.see("/"))


def test_renames_modes_binaries_and_generated_files_are_shown_as_such(person: Person) -> None:
    person.sign_in()
    person.edit(("a.txt", "x\n"), ("p.bin", b"\0\1"))
    picture = BytesIO()
    Image.new("RGB", (3, 2)).save(picture, "PNG")
    bench = person.bench
    step = bench.write("run.sh", "x\n", 0o644)
    bench.commit(step)
    moved = bench.commit(bench.move("a.txt", "b.txt"), bench.write("run.sh", "x\n", 0o755)).id
    page = texts(person.see(f"/change/{moved}"))
    assert "renamed" in page
    assert "mode 644" in page
    change = person.edit(
        ("p.bin", picture.getvalue()), ("package-lock.json", "{}\n" * 30), ("c.txt", "y\n")
    )
    page = person.see(f"/change/{change}")
    assert "3 × 2" in page
    assert "generated" in page
    assert 'href="/change/' in page
    image = person.send("GET", f"/change/{change}/image?file=0&side=new")
    assert dict(image.headers)["Content-Type"] == "image/png"
    assert person.send("GET", f"/change/{change}/image?file=2&side=new").status == 404


@pytest.mark.requirement("web-large-diff")
def test_a_large_diff_comes_in_parts_and_each_page_stays_small(person: Person) -> None:
    person.sign_in()
    person.edit(("a.py", "".join(f"value_{n} = {n}\n" for n in range(5000))))
    new = "".join(f"value_{n} = {n + n % 2}\n" for n in range(5000))
    change = person.edit(("a.py", new))
    page = person.see(f"/change/{change}")
    script = person.send("GET", "/assets/review.js").body
    style = person.send("GET", "/assets/review.css").body
    assert len(page) + len(script) + len(style) <= 100 * 1024
    rows = page.count("<tr")
    while more := re.search(r'class="load"|href="([^"]+)" class="load"', page):
        assert more[1], page[-300:]
        answer = person.send("GET", more[1].replace("&amp;", "&"), x_redline="part")
        page = answer.body.decode()
        rows += page.count("<tr") - 1
    assert rows > 5000


@pytest.mark.requirement("web-file-views")
def test_a_file_has_a_history_and_blame(person: Person) -> None:
    person.sign_in()
    one = person.edit(("a.txt", "one\ntwo\n"))
    two = person.edit(("a.txt", "one\n2\n"))
    other = person.edit(("b.txt", "b\n"))
    page = person.see("/file?path=a.txt")
    assert ids(page) == [two, one]
    page = person.see("/blame?path=a.txt")
    assert page.index(one) < page.index(">one<") < page.index(two) < page.index(">2<")
    assert other not in page
    assert person.send("GET", "/blame?path=../../etc/passwd").status in (403, 404, 409)


@pytest.mark.requirement("web-file-views")
def test_the_history_of_a_file_has_no_renames_of_others(person: Person) -> None:
    person.sign_in()
    one = person.edit(("a.txt", "one\n"))
    person.edit(("old.txt", "x\n"))
    rename = Rename(person.bench.at("old.txt"), person.bench.at("new.txt"))
    moved = person.bench.editor.commit(ChangeSet((rename,)), Origin("move"))
    assert ids(person.see("/file?path=a.txt")) == [one]
    assert ids(person.see("/file?path=new.txt"))[0] == moved.id


@pytest.mark.requirement("engine-long-lines")
def test_a_changed_long_line_is_shown_around_what_changed(person: Person) -> None:
    person.sign_in()
    line = "".join(f"a{n}=f({n});" for n in range(4000))
    person.edit(("min.js", line))
    change = person.edit(("min.js", line.replace("f(2500)", "g(2500)")))
    page = re.sub(r"</?i\b[^>]*>", "", person.see(f"/change/{change}"))  # without its colours
    assert page.count("<mark>f</mark>") == page.count("<mark>g</mark>") == 1
    assert "a100=" not in page
    assert "a3900=" not in page


def test_what_does_not_exist_is_said_plainly(person: Person) -> None:
    person.sign_in()
    for where in ("/nowhere", "/change/zzzz", "/change", "/assets/secret", "/file?path=none"):
        assert person.send("GET", where).status in (200, 404), where
    assert person.send("GET", "/change/x/rows?file=a").status in (400, 404)


@pytest.mark.requirement("web-export")
def test_changes_are_exported_as_a_patch(person: Person) -> None:
    person.sign_in()
    one = person.edit(("a.txt", "one\n"))
    two = person.edit(("a.txt", "two\n"))
    assert one in person.see(f"/export?id={one}&id={two}")
    patch = person.act("/export", 200, id=[two, one], how="patch").body.decode()
    assert "+two" in patch
    assert "one" not in patch


def test_one_change_is_written_as_a_file_that_loads_nothing(person: Person) -> None:
    picture = BytesIO()
    Image.new("RGB", (3, 2)).save(picture, "PNG")
    person.edit(("a.py", "x = 1\n"))
    change = person.edit(("a.py", "x = '<&>'\n"), ("p.png", picture.getvalue()))
    page = write_page(person.bench.app, person.bench.history.get(change))
    assert "&lt;&amp;&gt;" in page
    assert "data:image/png;base64," in page
    assert not re.search(r"<script|<link|href=|src=\"(?!data:)|url\(", page)


def test_an_empty_history_and_a_grant_have_pages_too(person: Person) -> None:
    person.sign_in()
    assert "Nothing has changed yet" in person.see("/")
    person.bench.editor.note_grant(Origin("exec_command", "a 1", "", "network: curl"))
    assert "Permission given" in person.see("/")
    made = person.bench.editor.record(ChangeSet(), Origin("x"))
    assert made.id == ""
