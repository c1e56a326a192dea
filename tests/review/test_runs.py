"""Every run of a command in the timeline: how it ended, what held it, filtered and paged."""

from __future__ import annotations

import re
import sqlite3

import pytest

from redline.adapters.command_runs import SqliteRuns
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, CommandRun, RunEnd, RunQuery
from redline.core.ports.history import Origin
from tests.review.person import Person
from tests.support import need_program


class NoCancel:
    cancelled = False

    def check(self) -> None: ...

    def on_cancel(self, action: object) -> None: ...


def run(person: Person, line: str, *, dry: bool = False, session: str = "s1") -> str | None:
    """Have an agent run a command; the id of what it changed."""
    need_program("bwrap")
    command = Command(line, WorkspacePath(0, ()), timeout=60, overlay=dry)
    origin = Origin("run", "agent 1", "", f"ran {line}", session)
    return person.bench.app.commands.run(command, origin, NoCancel(), 1000).change


def note(person: Person, line: str, when: float, code: int = 0, **more: str) -> int:
    """Note a run that was never made."""
    who = {"tool": "run", "client": "agent 1", "principal": "", "session": "s1", **more}
    noted = CommandRun(when, line=line, cwd=".", sandbox="safe; network none", **who)
    number = person.bench.app.runs.begin(noted)
    person.bench.app.runs.end(number, RunEnd("exited", code, "", 0.1, ""))
    return number


def rows(page: str) -> list[str]:
    return re.findall(r'data-id="([^"]+)"', page)


@pytest.mark.requirement("web-runs")
def test_every_run_is_in_the_timeline_with_its_exit_code_and_sandbox(person: Person) -> None:
    person.sign_in()
    run(person, "true")
    run(person, "exit 3")
    change = run(person, "echo hello > made.txt")
    run(person, "echo more > not.txt", dry=True)
    assert change
    page = person.see("/")
    listed = rows(page)
    assert listed == ["run-4", change, "run-2", "run-1"]
    assert page.count(">exit 0<") == 3
    assert ">exit 3<" in page
    assert "on a copy" in page
    assert "network none" in page
    assert (person.root / "not.txt").exists() is False
    shown = person.see(f"/change/{change}")
    for text in ("echo hello &gt; made.txt", "exit 0", "network none", "/run/3"):
        assert text in shown
    shown = person.see("/run/2")
    for text in ("exit 3", "Sandbox", "network none", "agent 1"):
        assert text in shown


@pytest.mark.requirement("web-runs")
def test_runs_are_filtered_like_changes(person: Person) -> None:
    person.sign_in()
    change = person.edit(("a.txt", "x\n"), session="s9")
    note(person, "make test", 1000.0, code=2)
    note(person, "ls -la", 2000.0, session="s2", client="codex 3")
    assert rows(person.see("/?show=changes")) == [change]
    assert rows(person.see("/?show=commands")) == ["run-2", "run-1"]
    assert rows(person.see("/?show=failed")) == ["run-1"]
    assert rows(person.see("/?session=s2")) == ["run-2"]
    assert rows(person.see("/?client=codex")) == ["run-2"]
    assert rows(person.see("/?q=make+TEST")) == ["run-1"]
    assert rows(person.see("/?path=a.txt")) == [change]
    assert rows(person.see("/?tool=run")) == ["run-2", "run-1"]
    assert rows(person.see("/?q=nothing+like+it")) == []


@pytest.mark.requirement("web-runs")
@pytest.mark.parametrize("filters", ["", "q=x&", "show=commands&"])
def test_pages_of_changes_and_runs_leave_nothing_out_and_repeat_nothing(
    person: Person, filters: str
) -> None:
    person.sign_in()
    ids = []
    for number in range(60):
        made = person.edit((f"x{number % 5}.txt", f"{number}\n"))
        moment = person.bench.history.get(made).time
        ids.append(made)
        ids += [f"run-{note(person, 'x', moment)}" for _ in range(number % 3)]
    if filters.startswith("show"):
        ids = [each for each in ids if each.startswith("run-")]
    seen: list[str] = []
    cursor = ""
    while True:
        page = person.see(f"/?{filters}before={cursor}")
        seen += rows(page)
        found = re.search(r'before=([^"&]+)" rel="next"', page)
        if found is None:
            break
        cursor = found[1]
    assert sorted(seen) == sorted(ids)
    assert len(set(seen)) == len(seen)


@pytest.mark.requirement("web-runs")
def test_what_a_gone_server_ran_is_lost_not_running(person: Person) -> None:
    person.sign_in()
    runs = person.bench.app.runs
    runs.begin(CommandRun(1.0, "run", "agent 1", "", "s1", "sleep 100", ".", "safe"))
    assert [each.status for each in runs.list(RunQuery())] == ["running"]
    assert ">running<" in person.see("/")
    path = person.root.parent / "state" / "runs.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("UPDATE runs SET process = '999999999@1'")
    db.close()
    assert ">lost<" in person.see("/")


@pytest.mark.requirement("web-runs")
def test_old_runs_make_room_for_new_ones(person: Person) -> None:
    runs = SqliteRuns(str(person.root.parent / "state"), max_kept=100)
    for number in range(400):
        runs.begin(CommandRun(float(number), "run", "c", "", "s", "true", ".", "safe"))
    kept = runs.list(RunQuery(limit=1000))
    runs.close()
    assert [each.number for each in kept] == list(range(400, 300, -1))


@pytest.mark.requirement("web-runs")
def test_a_list_that_cannot_be_written_keeps_no_command_from_running(person: Person) -> None:
    (person.root.parent / "state" / "runs.sqlite").mkdir(parents=True)
    assert run(person, "echo x > a.txt")
    assert (person.root / "a.txt").read_text() == "x\n"


def test_only_numbers_of_runs_are_answered(person: Person) -> None:
    person.sign_in()
    for number in ("x", "7", "-1", "9" * 30):
        person.see(f"/run/{number}", 404)
