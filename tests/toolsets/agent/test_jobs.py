"""Every job of the other toolsets is done with this one, as its page says."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from redline.core.text_limits import MAX_SHOWN
from redline.server.calls.catalog import load_toolsets
from tests.support import REPO
from tests.toolsets.agent.conftest import PROJECT, Desk, text_of

_ROW = re.compile(r"\| (\w+) `([\w.]+)`[^|]* \| (.+) \| `(.+)` \|")
_CALL = re.compile(r"`(\w+) (\{.*?\})`")
PAGE = (REPO / "docs" / "tools" / "_agent.md").read_text("utf-8")
ROWS = [found.groups() for line in PAGE.splitlines() if (found := _ROW.fullmatch(line))]


@pytest.mark.requirement("agent-does-every-job")
def test_the_table_has_every_tool_of_the_other_toolsets() -> None:
    wanted = {(each.name, tool.name) for each in load_toolsets(["all"]) for tool in each.tools}
    assert {(toolset, tool) for toolset, tool, _, _ in ROWS} == wanted


@pytest.mark.requirement("agent-does-every-job")
@pytest.mark.parametrize(
    ("calls", "outcome"), [row[2:] for row in ROWS], ids=[f"{row[0]}-{row[1]}" for row in ROWS]
)
def test_the_calls_of_a_row_do_what_it_says(desk: Desk, calls: str, outcome: str) -> None:
    known: dict[str, str] = {}
    result: dict[str, Any] = {}
    steps = _CALL.findall(calls)
    assert steps
    for tool, arguments in steps:
        filled = arguments
        for name in ("session", "id", "version"):
            filled = filled.replace(f'"${name}"', json.dumps(known.get(name)))
        result = desk.call(tool, **json.loads(filled))
        structured = result["structuredContent"]
        first = (structured.get("files") or [{}])[0]
        known |= {k: v for k, v in (structured | first).items() if isinstance(v, str)}
    assert outcome in text_of(result)
    assert result["isError"] == ("had no network" in outcome)


@pytest.mark.requirement("agent-run-shell")
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("echo $(printf in)`printf side` ${none:-word} $((20 + 3))", "inside word 23"),
        ("python3 -c 'print(20 + 3)'", "23"),
        ("sh -c 'exit 0' && echo done", "done"),
    ],
)
def test_a_command_may_use_all_of_the_shell(desk: Desk, command: str, printed: str) -> None:
    assert printed in text_of(desk.call("run", command=command))


@pytest.mark.requirement("agent-run-everyday")
def test_everyday_lines_run(desk: Desk, tmp_path: Path) -> None:
    """Each line ends with exit 0 and prints what it should; none is refused for its words."""
    shutil.copytree(desk.root / ".git", tmp_path / "git")
    lines = tomllib.loads((Path(__file__).parent / "everyday.toml").read_text())["line"]
    assert len(lines) >= 74
    wrong = []
    for each in lines:
        desk.reset()
        shutil.rmtree(desk.root / ".git")
        shutil.copytree(tmp_path / "git", desk.root / ".git")
        result = desk.call("run", command=each["run"])
        said = text_of(result)
        if result["isError"] != each.get("fails", False) or each.get("says", "") not in said:
            wrong.append((each["run"], said))
    assert not wrong


@pytest.mark.requirement("agent-run-everyday")
def test_a_server_that_one_run_starts_is_reached_by_the_next(desk: Desk) -> None:
    line = "python3 -m http.server 8124 --bind 127.0.0.1"
    started = desk.call("run", command=line, wait=0)["structuredContent"]["session"]
    ask = "until curl -sf http://localhost:8124/a.txt; do sleep 0.1; done"
    assert desk.text("run", command=ask, timeout=30) == "one\ntwo\nthree"
    desk.text("session", session=started, stop=True)


@pytest.mark.requirement("agent-run-everyday")
def test_a_commit_of_one_run_is_there_for_the_person_and_the_next_run(desk: Desk) -> None:
    desk.text("run", command="git checkout -q -b told && git add -A && git commit -qm 'Told'")
    assert desk.text("run", command="git log -1 --format=%s") == "Told"
    said = desk.call("run", command="git config core.hooksPath x")
    assert "may not write the configuration" in text_of(said)


@pytest.mark.requirement("agent-run-git-line")
def test_what_git_did_is_one_line_of_the_history_that_undo_passes_over(desk: Desk) -> None:
    desk.reset()
    desk.text("run", command="git switch -qc lined && git add -A && git commit -qm 'Base' || true")
    desk.text("edit", edits=[{"path": "a.txt", "old": "two", "new": "2"}])
    desk.text("run", command="git commit -qam 'Two' && git stash list")
    listed = desk.text("changes", max=2).splitlines()
    name = desk.text("run", command="git rev-parse --short=7 HEAD")
    assert listed[0].endswith(f"run git: commit {name} on lined")
    assert "edit edit a.txt" in listed[1]
    assert "nothing to take back in what git did" in desk.failure("undo", id=listed[0].split()[0])
    desk.text("undo")
    assert (desk.root / "a.txt").read_text() == PROJECT["a.txt"]
    desk.text("run", command="git stash -q")
    assert desk.text("changes", max=1).split("\n")[0].endswith("edit a.txt (git: stashed)")
    assert (desk.root / "a.txt").read_text() != PROJECT["a.txt"]
    desk.text("undo")
    assert (desk.root / "a.txt").read_text() == PROJECT["a.txt"]


@pytest.mark.requirement("agent-run-everyday")
def test_what_a_line_removes_can_be_brought_back(desk: Desk) -> None:
    said = desk.text("run", command="rm -rf src")
    assert "deleted src/app.py" in said
    assert not (desk.root / "src").exists()
    desk.text("undo")
    assert (desk.root / "src" / "app.py").exists()


@pytest.mark.requirement("agent-run-ends")
def test_output_keeps_its_beginning_and_its_end(desk: Desk) -> None:
    line = "echo first error; seq 1 40000; echo the end"
    said = desk.text("run", command=line)
    assert said.startswith("first error\n1\n2\n")
    assert "\n40000\nthe end\nnote: all output is kept by its lines" in said
    assert re.search(r"\n\[\.\.\. \d+ bytes left out \.\.\.\]\n", said)


@pytest.mark.requirement("agent-run-recall")
def test_the_rest_of_long_output_is_asked_for_by_its_lines(desk: Desk) -> None:
    said = desk.text("run", command="echo first; seq 2 40000; echo problem >&2; echo the end")
    session = json.loads(said.rpartition("session {")[2].partition("}")[0].join("{}"))
    assert session.pop("lines") == "1-400"
    middle = desk.text("session", **session, lines="20000-20002")
    assert middle == "[lines 20000-20002/40002]\n20000\n20001\n20002"
    assert desk.text("session", **session, offset=30_000, limit=1).endswith("\n30000")
    ends = desk.text("session", **session, lines="-3")
    assert "problem" in ends
    assert "the end" in ends
    assert "There are only 40002 lines" in desk.failure("session", **session, lines="50000-")


@pytest.mark.requirement("agent-run-recall")
def test_lines_that_were_not_kept_are_said_to_be_lost_and_the_others_have_their_numbers(
    desk: Desk,
) -> None:
    said = desk.text("run", command="seq 1 400000")
    session = json.loads(said.rpartition("session {")[2].partition("}")[0].join("{}"))["session"]
    assert desk.text("session", session=session, lines="7-8").splitlines()[1:] == ["7", "8"]
    tail = desk.text("session", session=session, lines="399990-399991")
    assert tail.splitlines()[1:] == ["399990", "399991"]
    lost = desk.failure("session", session=session, lines="100000-100010")
    assert "were not kept" in lost
    kept_from = int(re.search(r"and (\d+)-400000 are", lost)[1])  # type: ignore[index]
    first = desk.text("session", session=session, lines=f"{kept_from}-{kept_from}")
    assert first.splitlines()[1:] == [str(kept_from)]


@pytest.mark.requirement("agent-run-recall")
def test_the_lines_of_a_running_command_are_shown_again_and_what_is_new_is_still_told(
    desk: Desk,
) -> None:
    started = desk.call("run", command="echo one; echo two; cat", wait=1, tty=True)
    session = started["structuredContent"]["session"]
    assert desk.text("session", session=session, lines="1-1").splitlines()[1].strip() == "one"
    assert "typed" in desk.text("session", session=session, input="typed\n")
    desk.text("session", session=session, stop=True)


@pytest.mark.requirement("agent-true-reports")
def test_a_command_names_what_it_changed(desk: Desk) -> None:
    desk.write({"README.md": "one\n"})
    said = text_of(desk.call("run", command="echo two >> README.md; echo a > made.txt"))
    assert "edited README.md (+1 -0)" in said
    assert "created made.txt (+1)" in said
    assert re.search(r"^change \w+$", said, re.MULTILINE)


@pytest.mark.requirement("agent-run-bash")
def test_bash_runs_the_line(desk: Desk) -> None:
    assert desk.text("run", command="printf '%s ' {a,b}; echo ${BASH_VERSION:+bash}") == "a b bash"


@pytest.mark.requirement("agent-run-everyday")
def test_a_process_that_ends_with_its_line_is_answered_with_how_it_goes_on(desk: Desk) -> None:
    said = desk.text("run", command="sleep 60 &")
    assert 'run alone, without "&" and with {"wait": 0}' in said


@pytest.mark.requirement("agent-run-ends")
def test_the_output_and_the_errors_together_fit_into_what_clients_show(desk: Desk) -> None:
    said = desk.text("run", command="seq 1 20000; seq 20001 40000 >&2; echo done >&2")
    assert len(said.encode()) < MAX_SHOWN + 1_000
    assert said.startswith("1\n2\n")
    assert "\n20000\n[stderr]\n20001\n" in said
    assert "\n40000\ndone\n" in said
