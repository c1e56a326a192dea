"""The page of a session: one combined diff, and what is taken back of it."""

from __future__ import annotations

import re
import subprocess

import pytest

from redline.core.changes import ChangeSet
from redline.core.ports.commands import CommandRun, RunEnd
from redline.core.ports.history import PROMPT, HistoryQuery, Origin
from redline.core.ports.review import Decision, HeldChange, HeldState, PermissionQuestion
from redline.review.page.pages import ReviewPages
from redline.wiring.command_line import open_committer
from tests.review.person import Person

pytestmark = pytest.mark.requirement("web-session")

LINES = [f"line {n}\n" for n in range(1, 61)]


def prompt(person: Person, words: str, session: str = "s1") -> None:
    origin = Origin(PROMPT, "agent", summary=words, session=session)
    person.bench.editor.note_prompt(origin)


def with_lines(**changed: str) -> str:
    lines = list(LINES)
    for name, text in changed.items():
        lines[int(name[1:]) - 1] = f"{text}\n"
    return "".join(lines)


@pytest.fixture
def worked(person: Person) -> Person:
    """A session of two prompts, and a person who wrote into the same file between them."""
    person.edit(("a", "".join(LINES)), session="before", client="other 1")
    prompt(person, "Change three and thirty")
    person.edit(("a", with_lines(_3="three")))
    person.edit(("a", with_lines(_3="3", _30="thirty")), ("new", "n\n"))
    person.edit(
        ("a", with_lines(_3="3", _30="thirty", _45="by hand")), session="w", client="review page"
    )
    prompt(person, "And the last one")
    person.edit(("a", with_lines(_3="3", _30="thirty", _45="by hand", _60="sixty")))
    person.sign_in()
    return person


def test_the_session_is_one_diff_without_what_others_wrote(worked: Person) -> None:
    page = worked.see("/session/s1")
    assert "<h1>Change three and thirty</h1>" in page
    assert "<q>And the last one</q>" in page
    assert len(re.findall(r'class="h" id="h\d+"', page)) == 4
    shown = re.sub(r"<[^>]+>", "", page)
    assert "three\n" not in shown
    assert "by hand" not in [line.strip() for line in re.findall(r'class="a".*', page)]
    assert worked.see("/").count('href="/session/s1"') >= 1
    patch = worked.send("GET", "/session/s1/rows?file=0&from=0")
    assert patch.status == 200


def test_hunks_files_turns_and_the_session_are_taken_back(worked: Person) -> None:
    worked.act("/undo", id="session/s1", only="1")
    assert (worked.root / "a").read_text() == with_lines(_30="thirty", _45="by hand", _60="sixty")
    page = worked.see("/session/s1")
    assert 'class="h gone" id="h1"' in page
    worked.act("/undo", id="session/s1", path="new")
    assert not (worked.root / "new").exists()
    worked.act("/undo", turn="@turn", back="session/s1")
    assert (worked.root / "a").read_text() == with_lines(_30="thirty", _45="by hand")
    worked.act("/undo", id="session/s1", all="1")
    assert (worked.root / "a").read_text() == with_lines(_45="by hand")
    assert "Everything that this session changed was undone" in worked.see("/session/s1")


def test_every_hunk_is_undone_one_by_one(worked: Person) -> None:
    for number in (4, 3, 2, 1):
        worked.act("/undo", id="session/s1", only=str(number))
    assert (worked.root / "a").read_text() == with_lines(_45="by hand")
    assert not (worked.root / "new").exists()


def test_what_is_in_the_way_is_shown_and_the_rest_is_undone(worked: Person) -> None:
    text = (worked.root / "a").read_text().replace("thirty\n", "mine\n")
    worked.edit(("a", text), session="w", client="review page")
    blocked = worked.act("/undo", 409, id="session/s1", path="a").body.decode()
    assert "Undo the rest, keep these lines" in blocked
    worked.act("/merge", id="session/s1", path="a", choice="keep")
    assert (worked.root / "a").read_text() == with_lines(_30="mine", _45="by hand")


def test_a_session_in_the_way_of_which_something_stands_is_undone_but_for_that(
    worked: Person,
) -> None:
    text = (worked.root / "a").read_text().replace("thirty\n", "mine\n")
    worked.edit(("a", text), session="w", client="review page")
    blocked = worked.act("/undo", 409, id="session/s1", all="1").body.decode()
    assert "Undo the rest, keep these lines" in blocked
    worked.act("/merge", id="session/s1", whole="1", choice="keep")
    assert (worked.root / "a").read_text() == with_lines(_30="mine", _45="by hand")
    assert not (worked.root / "new").exists()


def test_a_file_of_several_changes_that_was_taken_back_is_in_nobodys_way(person: Person) -> None:
    for text in ("1\n", "2\n"):
        person.edit(("made", text))
    person.edit(("other", "x\n"))
    person.sign_in()
    person.act("/undo", id="session/s1", path="made")
    person.act("/undo", id="session/s1", all="1")
    assert not any(person.root.iterdir())


def test_a_connection_leads_to_its_clients_session(person: Person) -> None:
    person.edit(("a", "one\n"), session="hook", client="claude-code")
    origin = Origin(PROMPT, "claude-code", summary="Go on", session="hook")
    person.bench.editor.note_prompt(origin)
    person.edit(("a", "two\n"), session="connection", client="claude-code 2.1", hook_session="hook")
    person.sign_in()
    assert "<h1>Go on</h1>" in person.see("/session/connection")
    person.act("/undo", session="hook")
    assert not (person.root / "a").exists()


def test_a_session_that_nobody_knows_is_not_found(person: Person) -> None:
    person.sign_in()
    assert "No session has this name" in person.see("/session/nobody", 404)


@pytest.mark.requirement("web-who-is-here")
def test_the_activity_shows_who_is_at_work(worked: Person) -> None:
    page = worked.see("/")
    work = page[page.index('class="at-work"') :]
    assert work.index('href="/session/s1"') < work.index("<q>And the last one</q>")


@pytest.mark.requirement("web-activity-list")
def test_the_list_folds_edits_of_one_file_and_says_the_prompt(worked: Person) -> None:
    folder = "src/one/two/three/four/five/six/seven"
    (worked.root / folder).mkdir(parents=True)
    for number in range(3):
        worked.edit((f"{folder}/long-name.txt", f"{number}\n"))
    page = worked.see("/")
    newest = page[page.index('class="timeline"') : page.index("earlier edits of this file")]
    assert "2 earlier edits of this file" in page
    assert newest.count('class="op ') == 1
    shown = re.sub(r"<[^>]+>", "", newest)
    assert "src/\u2026/seven/long-name.txt" in shown
    assert "And the last one" in shown
    assert "just now" in shown
    assert page.count('data-id="') == len(worked.bench.app.history.list(HistoryQuery()))


@pytest.mark.requirement("web-activity-list")
def test_filters_offer_what_exists_and_empty_lists_help(person: Person) -> None:
    person.sign_in()
    assert "redline hooks install" in person.see("/")
    person.edit(("a", "1\n"), client="codex-mcp-client 0.1", tool="set")
    page = person.see("/")
    for name, value in (("client", "codex-mcp-client"), ("tool", "set")):
        offered = page[page.index(f'id="known-{name}"') :]
        assert f'<option value="{value}">' in offered[: offered.index("</datalist>")]
    assert "Show everything" in person.see("/?tool=nothing")


def test_a_session_at_work_is_drawn_before_it_is_opened(worked: Person) -> None:
    worked.see("/")
    (thread,) = worked.pages._site.warming
    thread.join()
    known = worked.pages._site.loaded["session/s1"]
    worked.see("/session/s1")
    assert worked.pages._site.loaded["session/s1"].files is known.files


def test_the_files_are_listed_by_folder(person: Person) -> None:
    (person.root / "src" / "deep").mkdir(parents=True)
    person.edit(("top", "1\n"), ("src/a", "1\n"), ("src/b", "1\n"), ("src/deep/c", "1\n"))
    person.sign_in()
    page = person.see("/session/s1")
    listed = re.sub(r"<[^>]+>", " ", page[page.index("4 files") : page.index('class="files-of"')])
    words = [word for word in listed.split() if word[0] in "tsabc"]
    assert words == ["src/", "a", "b", "src/deep/", "c", "top"]


@pytest.mark.requirement("web-session-handed-on")
def test_a_session_is_exported_as_a_patch_and_committed_alone(person: Person) -> None:
    git(person, "init", "-q", "-b", "main")
    (person.root / "a").write_text("".join(LINES))
    git(person, "add", ".")
    git(person, "commit", "-qm", "first")
    prompt(person, "Change three")
    person.edit(("a", with_lines(_3="x")))
    person.edit(("a", with_lines(_3="x", _45="by hand")), session="w", client="review page")
    person.edit(("a", with_lines(_3="three", _45="by hand")), ("new", "n\n"))
    committer = lambda: open_committer(str(person.root))  # noqa: E731
    person.pages.close()
    person.pages = ReviewPages(person.bench.app, person.access, committer)
    person.sign_in()
    page = person.see("/session/s1")
    assert re.search(r'href="/export\?id=session[^"]*">Commit this session<', page)
    assert ">Export as a patch<" in page
    assert "Commit" in person.see("/export?id=session/s1")
    patch = person.act("/export", 200, id="session/s1", how="patch").body
    done = subprocess.run(
        ["git", "apply", "--cached", "-"], input=patch, cwd=person.root, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert git(person, "show", ":a") == with_lines(_3="three")
    git(person, "reset", "-q")
    person.act("/export", id="session/s1", how="commit", message="Say three")
    assert git(person, "show", "HEAD:a") == with_lines(_3="three")
    assert git(person, "show", "HEAD:new") == "n\n"
    assert git(person, "log", "-1", "--format=%s") == "Say three\n"
    assert (person.root / "a").read_text() == with_lines(_3="three", _45="by hand")


def git(person: Person, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=person.root, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.requirement("web-comments")
def test_a_comment_on_the_session_goes_to_the_change_that_has_the_line(worked: Person) -> None:
    for side, line in (("new", 30), ("old", 60), ("new", 3)):
        worked.act(
            "/comment", id="session/s1", step="0", side=side, line=str(line), text=f"At {line}?"
        )
    by_hand = {"id": "session/s1", "step": "0", "side": "new", "line": "600", "text": "?"}
    assert "no such line" in worked.act("/comment", 400, **by_hand).body.decode()
    made = worked.bench.app.comments.list()
    assert [(each.session, each.line, each.quote) for each in made] == [
        ("s1", 30, "thirty"),
        ("s1", 60, "line 60"),
        ("s1", 3, "3"),
    ]
    page = worked.see("/session/s1")
    assert [page.count(f"At {line}?") for line in (30, 60, 3)] == [1, 1, 1]
    assert 'id="c-new"' in worked.see("/session/s1?comment=0:new:30")


def test_turns_say_their_files_and_lines(worked: Person) -> None:
    page = re.sub(r"<[^>]+>", " ", worked.see("/session/s1"))
    assert re.search(r"Change three and thirty\s+just now\s*, 2 changes: a, new", page)
    assert re.search(r"And the last one\s+just now\s*, 1 change: a\s+\+1\s+−1\s+Undo turn", page)


def test_turns_of_a_long_session_come_when_they_are_opened(worked: Person) -> None:
    for number in range(61):
        worked.edit(("b", f"{number}\n"))
    page = worked.see("/session/s1")
    assert "Undo turn" not in page
    assert 'data-src="/session/s1/turns"' in page
    assert worked.see("/session/s1/turns").count(">Undo turn<") == 2
    worked.see(f"/change/{worked.bench.history.list(HistoryQuery())[0].id}/turns", 404)


@pytest.mark.requirement("web-session-story")
def test_commands_show_what_they_printed_and_questions_what_was_answered(worked: Person) -> None:
    app = worked.bench.app
    noted = CommandRun(1.0, "run", "agent 1", "", "s1", "make test", ".", "safe")
    printed = (
        "".join(f"row {n}\n" for n in range(9)) + "STRIPE_KEY=sk_live_4eC39HqLyjWDarjtT1zdp7dc"
    )
    number = app.runs.begin(noted)
    app.runs.end(number, RunEnd("exited", 2, "", 0.1, "", printed))
    held = HeldChange("f" * 12, 1.0, 9e9, Origin("edit", "agent 1", session="s1"), ChangeSet(), ())
    app.held.hold(held)
    app.held.decide(held.id, Decision(HeldState.REFUSED, "Ana", 2.0, "not today"))
    app.questions.ask(
        PermissionQuestion("0" * 12, 1.0, 9e9, "run", "agent 1", "", "s1", "may it?\nls")
    )
    page = worked.see("/session/s1")
    assert "1 command, 1 failed" in page
    shown = page[page.index('class="printed"') :]
    assert shown.startswith(
        'class="printed">row 0\nrow 1\nrow 2\n\u2026\nrow 7\nrow 8\nSTRIPE_KEY=«'
    )
    assert "2 questions" in page
    text = re.sub(r"<[^>]+>", " ", page)
    assert re.search(r"Change\s+refused by Ana: not today", text)
    assert re.search(r"ls\s+waits for you", text)
    assert "row 4" in worked.see(f"/run/{number}")
    assert "sk_live" not in worked.see(f"/run/{number}")


@pytest.mark.requirement("web-activity-list")
def test_an_approval_is_shown_with_what_it_approved(person: Person) -> None:
    person.sign_in()
    made = person.edit(("a", "1\n"), summary="edit_file a")
    other = Origin("held", "review", "Ana", "refused ffff00000000 (b)")
    note = person.bench.app.editor.note_grant
    kept = note(other)
    hidden = note(Origin("held", "review", "Ana", "approved 00000000ffff (a)"))
    origin = Origin("edit", "agent 1", session="s1")
    held = HeldChange("00000000ffff", 1.0, 9e9, origin, ChangeSet(), ())
    person.bench.app.held.hold(held)
    person.bench.app.held.decide(held.id, Decision(HeldState.APPROVED, "Ana", 2.0, "", made))
    page = person.see("/")
    assert "approved by Ana" in page
    assert "edit_file a" not in re.sub(r"<[^>]+>", "", page)
    assert f'data-id="{kept.id}"' in page
    assert f'data-id="{hidden.id}"' not in page
    assert "<h3>Ana</h3>" in page
