"""exec_command, write_stdin and kill_session, in process, in the sandbox this machine has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from redline.core.errors import (
    Cancelled,
    InvalidArgument,
    NotADirectory,
    OutsideRoots,
    PermissionRequired,
    SandboxUnavailable,
    SessionClosed,
    SessionNotFound,
    StaleBase,
)
from redline.core.ports.session_memory import Grant
from redline.settings import Settings
from redline.toolsets.call import Call
from redline.toolsets.coding_tools import commands as tools
from redline.toolsets.coding_tools.commands import digest_of_command
from redline.toolsets.tool import Client, Hints, Tool
from redline.wiring.workspace import Redline
from tests.adapters.processes.ground import Patience, require
from tests.support import need

OUTPUT_FIELDS = ("truncated_by", "output_lines", "output_bytes", "dropped_bytes", "omitted_bytes")


class Desk:
    """Calls the handlers as the server would."""

    def __init__(self, workspace: Path, state: Path, sandbox: str = "safe") -> None:
        self.runtime = Redline(
            Settings(workspace=str(workspace), state_dir=str(state), sandbox=sandbox)
        )

    def call(self, name: str, client: Client | None = None, **arguments: Any) -> Call:
        tool = Tool(name, name, "", {}, "", Hints())
        return Call(
            tool=tool,
            arguments=arguments,
            runtime=self.runtime,  # type: ignore[arg-type]
            client=client or Client(name="test"),
            cancel=Patience(),
            progress=lambda *_: None,
        )

    def use(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = getattr(tools, name)(self.call(name, **arguments))
        assert not result.is_error
        assert orjson.loads(result.content[0]["text"]) == result.structured
        return dict(result.structured)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    require("bubblewrap")
    (tmp_path / "ws").mkdir()
    made = Desk(tmp_path / "ws", tmp_path / "state")
    yield made
    made.runtime.close()


@pytest.mark.requirement("coding-exec-output")
def test_a_finished_command_answers_every_field(desk: Desk) -> None:
    got = desk.use("exec_command", cmd="echo out; echo err >&2; exit 3", yield_time_ms=20000)
    assert got["ok"] is True
    assert (got["status"], got["exit_code"], got["signal"]) == ("exited", 3, None)
    assert (got["stdout"], got["stderr"]) == ("out\n", "err\n")
    assert got["timed_out"] is False
    assert got["truncated"] is False
    assert got["elapsed_ms"] >= 0
    assert got["session_id"]
    for stream in ("stdout", "stderr"):
        assert got[f"{stream}_truncated"] is False
        assert [got[f"{stream}_{field}"] for field in OUTPUT_FIELDS] == [None, 1, 4, 0, 0]
    assert set(got["sandbox"]) == {"fs", "net", "pids", "memory"}


@pytest.mark.requirement("coding-exec-session")
def test_only_a_running_command_leaves_a_session(desk: Desk) -> None:
    got = desk.use("exec_command", cmd="true", yield_time_ms=20000)
    with pytest.raises(SessionNotFound):
        desk.use("write_stdin", session_id=got["session_id"])


@pytest.mark.requirement("coding-exec-signal")
def test_a_death_by_signal_is_a_negative_exit_code(desk: Desk) -> None:
    got = desk.use("exec_command", cmd="kill -KILL $$", yield_time_ms=20000)
    assert (got["status"], got["exit_code"], got["signal"]) == ("exited", -9, "SIGKILL")


@pytest.mark.requirement("coding-exec-timeout")
def test_a_time_out_is_an_ok_answer_even_when_the_call_waits_longer(desk: Desk) -> None:
    got = desk.use("exec_command", cmd="echo a; sleep 600", timeout_ms=300, yield_time_ms=30000)
    assert (got["ok"], got["status"], got["timed_out"]) == (True, "timeout", True)
    assert (got["exit_code"], got["signal"]) == (-15, "SIGTERM")
    assert got["stdout"] == "a\n"


@pytest.mark.requirement("coding-exec-session")
def test_a_session_takes_input_and_gives_only_what_is_new(desk: Desk) -> None:
    started = desk.use("exec_command", cmd="python3 -i -q 2>&1", tty=True, yield_time_ms=20000)
    assert started["status"] == "running"
    session = started["session_id"]
    seen = ""
    while "42" not in seen.replace("6*7", ""):
        got = desk.use("write_stdin", session_id=session, chars="print(6*7)\n", yield_time_ms=5000)
        seen += got["stdout"]
    assert got["status"] == "running"
    assert "elapsed_ms" not in got
    ended = desk.use("kill_session", session_id=session)
    assert (ended["killed"], ended["status"]) == (True, "terminated")
    with pytest.raises(SessionNotFound):
        desk.use("kill_session", session_id=session)


@pytest.mark.requirement("coding-exec-tty")
def test_tty_is_a_real_terminal_of_the_asked_size(desk: Desk) -> None:
    line = "test -t 0 && test -t 1 && stty size"
    got = desk.use("exec_command", cmd=line, tty=True, rows=33, cols=111, yield_time_ms=20000)
    text = got["stdout"]
    while got["status"] == "running":
        got = desk.use("write_stdin", session_id=got["session_id"], yield_time_ms=20000)
        text += got["stdout"]
    assert "33 111" in text


@pytest.mark.requirement("coding-exec-stdin")
def test_stdin_is_written_and_closed(desk: Desk) -> None:
    got = desk.use("exec_command", cmd="cat; echo end", stdin="typed\n", yield_time_ms=20000)
    assert got["stdout"] == "typed\nend\n"
    assert desk.use("exec_command", cmd="cat", yield_time_ms=20000)["stdout"] == ""


@pytest.mark.requirement("coding-exec-session")
def test_an_ended_session_stays_readable_until_it_is_collected(desk: Desk) -> None:
    started = desk.use("exec_command", cmd="read x; echo got-it", tty=True, yield_time_ms=0)
    session = started["session_id"]
    got = desk.use("write_stdin", session_id=session, chars="go\n", yield_time_ms=20000)
    while got["status"] == "running":
        got = desk.use("write_stdin", session_id=session, yield_time_ms=20000)
    assert (got["status"], got["exit_code"]) == ("exited", 0)
    assert desk.use("write_stdin", session_id=session) == got
    with pytest.raises(SessionClosed):
        desk.use("write_stdin", session_id=session, chars="more")
    collected = desk.use("kill_session", session_id=session)
    assert (collected["killed"], collected["status"]) == (False, "exited")


@pytest.mark.requirement("coding-exec-once")
@pytest.mark.parametrize("tty", [False, True])
def test_a_poll_after_an_unseen_end_gives_nothing_twice(desk: Desk, tty: bool) -> None:
    line = "echo last; until test -e go; do sleep 0.01; done"
    got = desk.use("exec_command", cmd=line, tty=tty, yield_time_ms=300)
    given = got["stdout"]
    while "\n" not in given:
        given += desk.use("write_stdin", session_id=got["session_id"])["stdout"]
    assert (got["status"], given.split()) == ("running", ["last"])
    Path(desk.runtime.workspace.roots[0].path, "go").touch()
    desk.runtime.commands.get(got["session_id"], desk.call("").owner).wait(20)
    ended = desk.use("write_stdin", session_id=got["session_id"])
    assert (ended["status"], ended["stdout"]) == ("exited", "")
    assert desk.use("kill_session", session_id=got["session_id"])["stdout"] == ""


@pytest.mark.requirement("coding-exec-caps")
def test_long_output_keeps_its_end_and_a_piece_of_its_start(desk: Desk) -> None:
    got = desk.use("exec_command", cmd="seq 1 5000", max_output_bytes=1000, yield_time_ms=20000)
    assert got["stdout"].endswith("\n4999\n5000\n")
    assert len(got["stdout"]) <= 1000
    assert (got["truncated"], got["stdout_truncated_by"]) == (True, "bytes")
    assert got["stdout_head"].startswith("1\n2\n3\n")
    more = desk.use("write_stdin", session_id=got["session_id"], max_output_bytes=1048576)
    assert more["stdout_truncated_by"] == "lines"
    assert more["stdout_output_lines"] == 2000
    assert more["stdout"].startswith("3001\n")


@pytest.mark.requirement("coding-exec-caps")
def test_a_last_line_that_is_too_long_keeps_its_end(desk: Desk) -> None:
    got = desk.use(
        "exec_command", cmd="yes ab | head -c 5000 | tr -d '\\n'", max_output_bytes=128,
        yield_time_ms=20000,
    )  # fmt: skip
    assert len(got["stdout"]) == 128
    assert got["stdout_truncated"] is True


@pytest.mark.requirement("coding-exec-caps")
def test_output_beyond_the_buffer_is_counted_as_dropped(desk: Desk) -> None:
    got = desk.use("exec_command", cmd="yes x | head -c 3000000", yield_time_ms=30000)
    assert got["stdout_dropped_bytes"] == got["stdout_omitted_bytes"] > 1_500_000
    assert got["truncated"] is True


@pytest.mark.requirement("coding-exec-environment")
def test_the_environment_is_an_allow_list(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERY_PRIVATE", "hunter2")
    got = desk.use("exec_command", cmd="env", env={"MINE": "1"}, yield_time_ms=20000)
    env = dict(line.split("=", 1) for line in got["stdout"].splitlines())
    assert "VERY_PRIVATE" not in env
    assert env["MINE"] == "1"
    workspace = desk.runtime.workspace.roots[0].path
    for name in ("HOME", "TMPDIR"):
        assert not env[name].startswith(workspace)
        probe = desk.use("exec_command", cmd=f"touch ${name}/x && ls ${name}", yield_time_ms=20000)
        assert "x" in probe["stdout"].split(), probe


@pytest.mark.requirement("coding-exec-gate-refusal")
def test_a_refused_line_names_the_permission_and_runs_nothing(desk: Desk) -> None:
    with pytest.raises(PermissionRequired) as refused:
        desk.use("exec_command", cmd="touch made; curl example.org")
    assert refused.value.permission == "network"
    assert "request_permissions" in refused.value.text
    assert not Path(desk.runtime.workspace.roots[0].path, "made").exists()


@pytest.mark.requirement("coding-exec-gate-refusal")
def test_a_link_that_leads_out_is_refused(desk: Desk) -> None:
    Path(desk.runtime.workspace.roots[0].path, "way-out").symlink_to("/etc/hostname")
    with pytest.raises(PermissionRequired) as refused:
        desk.use("exec_command", cmd="cat way-out")
    assert refused.value.permission == "filesystem_escape"


@pytest.mark.requirement("coding-exec-gate-refusal")
def test_a_grant_lets_the_next_matching_call_through_once(desk: Desk) -> None:
    owner = desk.call("exec_command").owner
    digest = digest_of_command({"cmd": "echo $(echo in)"})
    grant = Grant("g", owner, "exec_command", "shell_expansion", "once", 2e10, digest)
    desk.runtime.grants.add(grant)
    got = desk.use("exec_command", cmd="echo $(echo in)", yield_time_ms=20000)
    assert got["stdout"] == "in\n"
    with pytest.raises(PermissionRequired):
        desk.use("exec_command", cmd="echo $(echo in)")


@pytest.mark.requirement("coding-exec-workdir")
def test_workdir_must_be_a_directory_inside(desk: Desk) -> None:
    root = Path(desk.runtime.workspace.roots[0].path)
    (root / "sub").mkdir()
    (root / "file").write_text("x")
    got = desk.use("exec_command", cmd="pwd", workdir="sub", yield_time_ms=20000)
    assert got["stdout"].strip() == str(root / "sub")
    with pytest.raises(NotADirectory):
        desk.use("exec_command", cmd="pwd", workdir="file")
    with pytest.raises(OutsideRoots):
        desk.use("exec_command", cmd="pwd", workdir="..")


def test_a_line_or_variable_nothing_can_run_is_an_argument_error(desk: Desk) -> None:
    with pytest.raises(InvalidArgument):
        desk.use("exec_command", cmd="a\0b")
    with pytest.raises(InvalidArgument):
        desk.use("exec_command", cmd="a", env={"A B": "1"})
    with pytest.raises(InvalidArgument):
        desk.use("exec_command", cmd="a" * 140_000)


@pytest.mark.requirement("coding-exec-owner")
def test_a_session_belongs_to_who_started_it(desk: Desk) -> None:
    started = desk.use("exec_command", cmd="sleep 600", yield_time_ms=0)
    stranger = Client(name="other", connection="elsewhere")
    for name in ("write_stdin", "kill_session"):
        with pytest.raises(SessionNotFound):
            getattr(tools, name)(desk.call(name, stranger, session_id=started["session_id"]))
    desk.use("kill_session", session_id=started["session_id"], signal="KILL")


@pytest.mark.requirement("coding-exec-cancel")
def test_cancelling_the_call_kills_the_command(desk: Desk) -> None:
    call = desk.call("exec_command", cmd="sleep 600", yield_time_ms=30000)
    assert isinstance(call.cancel, Patience)
    from threading import Timer

    Timer(0.2, call.cancel.cancel).start()
    with pytest.raises(Cancelled):
        tools.exec_command(call)


def _needs_dry_runs(desk: Desk) -> None:
    try:
        desk.use("exec_command", cmd="true", dry_run=True, yield_time_ms=20000)
    except SandboxUnavailable as refused:
        need(False, f"dry runs of commands ({refused.message})")


DRY = "sed -i s/one/two/ a.txt; rm b.txt; mkdir d; echo new > d/n; rm -r old; ln -s a.txt l"


@pytest.mark.requirement("coding-exec-dry-run")
def test_a_dry_run_shows_the_diff_and_changes_nothing(desk: Desk) -> None:
    _needs_dry_runs(desk)
    root = Path(desk.runtime.workspace.roots[0].path)
    (root / "a.txt").write_text("one\n")
    (root / "b.txt").write_text("gone\n")
    (root / "old").mkdir()
    (root / "old" / "deep").write_text("deep\n")
    before = sorted(str(p) for p in root.rglob("*"))
    got = desk.use("exec_command", cmd=DRY, dry_run=True, yield_time_ms=20000)
    assert (got["exit_code"], got["stderr"], got["dry_run"]) == (0, "", True)
    assert "-one\n+two\n" in got["diff"]
    assert "-gone\n" in got["diff"]
    assert "+new\n" in got["diff"]
    assert "-deep\n" in got["diff"]
    assert {(f["path"], f["operation"]) for f in got["affected_files"]} == {
        ("a.txt", "update"),
        ("b.txt", "delete"),
        ("d", "add"),
        ("d/n", "add"),
        ("old", "delete"),
        ("old/deep", "delete"),
        ("l", "add"),
    }
    assert "change_id" not in got
    assert sorted(str(p) for p in root.rglob("*")) == before
    assert (root / "a.txt").read_text() == "one\n"


@pytest.mark.requirement("coding-exec-dry-run")
def test_a_dry_run_is_applied_by_a_second_call_as_one_change(desk: Desk) -> None:
    _needs_dry_runs(desk)
    root = Path(desk.runtime.workspace.roots[0].path)
    (root / "a.txt").write_text("one\n")
    line = "echo 1 >> count; sed -i s/one/two/ a.txt"
    dry = desk.use("exec_command", cmd=line, dry_run=True, yield_time_ms=20000)
    with pytest.raises(InvalidArgument):
        desk.use("exec_command", cmd="other", apply=dry["session_id"])
    made = desk.use("exec_command", cmd=line, apply=dry["session_id"])
    assert (made["status"], made["dry_run"]) == ("applied", False)
    assert (root / "a.txt").read_text() == "two\n"
    assert (root / "count").read_text() == "1\n"
    desk.runtime.editor.undo(made["change_id"], desk.call("undo_change").origin())
    assert (root / "a.txt").read_text() == "one\n"
    assert not (root / "count").exists()
    with pytest.raises(SessionNotFound):
        desk.use("exec_command", cmd=line, apply=dry["session_id"])


@pytest.mark.requirement("coding-exec-dry-run")
def test_a_dropped_or_foreign_dry_run_cannot_be_applied(desk: Desk) -> None:
    _needs_dry_runs(desk)
    dry = desk.use("exec_command", cmd="touch x", dry_run=True, yield_time_ms=20000)
    stranger = Client(name="other", connection="elsewhere")
    call = desk.call("exec_command", stranger, cmd="touch x", apply=dry["session_id"])
    with pytest.raises(SessionNotFound):
        tools.exec_command(call)
    desk.use("kill_session", session_id=dry["session_id"])
    with pytest.raises(SessionNotFound):
        desk.use("exec_command", cmd="touch x", apply=dry["session_id"])


@pytest.mark.requirement("coding-exec-dry-run")
def test_a_dry_run_meets_a_later_edit_as_a_conflict(desk: Desk) -> None:
    _needs_dry_runs(desk)
    path = Path(desk.runtime.workspace.roots[0].path, "a.txt")
    path.write_text("one\n")
    dry = desk.use("exec_command", cmd="rm a.txt", dry_run=True, yield_time_ms=20000)
    path.write_text("edited meanwhile\n")
    with pytest.raises(StaleBase):
        desk.use("exec_command", cmd="rm a.txt", apply=dry["session_id"])
    assert path.read_text() == "edited meanwhile\n"


@pytest.mark.requirement("coding-exec-dry-run")
def test_where_no_namespaces_can_be_had_a_dry_run_is_refused(desk: Desk) -> None:
    desk.runtime._processes._backend = "landlock"  # bubblewrap would make them
    desk.runtime._processes._helper.offer()["namespaces"] = False
    with pytest.raises(SandboxUnavailable) as refused:
        desk.use("exec_command", cmd="touch x", dry_run=True)
    assert "without dry_run" in refused.value.text
