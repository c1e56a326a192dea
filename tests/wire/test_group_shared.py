"""What a client notices is the same at every server: sessions, questions, permissions, limits."""

from __future__ import annotations

import http.client
import json
import queue
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.review.person import shown_in
from tests.wire.group import PATIENCE, Group, Session, changes, group_of, write
from tests.wire.many import Site

pytestmark = pytest.mark.redis
YES = {"action": "accept", "content": {"decision": "allow"}}
# A file that is changed only with a person's consent, and a command that needs a permission.
PATCH = "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch"
COMMAND = "echo $(echo ran) > made.txt"


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    with group_of(tmp_path) as found:
        found.make("red")
        yield found


class Asked:
    """A call of a session whose stream asks a question; what comes is read by a thread."""

    def __init__(self, session: Session, site: Site, tool: str, **arguments: Any) -> None:
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._seen: list[str] = []

        def read() -> None:
            try:
                for line in session.stream(site, tool, **arguments):
                    self._lines.put(line)
            except (OSError, http.client.HTTPException):
                pass  # its server was killed
            self._lines.put("")

        threading.Thread(target=read, daemon=True).start()

    def next(self) -> dict[str, Any]:
        """The next message; empty when the stream has ended."""
        while line := self._lines.get(timeout=PATIENCE):
            self._seen.append(line)
            text = line.removeprefix("data: ").strip()
            if text.startswith("{"):
                message: dict[str, Any] = json.loads(text)
                return message
        return {}


def answer(session: Session, site: Site, question: dict[str, Any]) -> None:
    message = {"jsonrpc": "2.0", "id": question["id"], "result": YES}
    body = json.dumps(message).encode()
    status, _, data = site.client.fetch("POST", session.path, body, session.headers)
    assert status == 202, data


@pytest.mark.requirement("group-shared-sessions", "group-shared-questions")
def test_a_session_and_its_questions_are_at_home_at_every_server(group: Group) -> None:
    a, b = group.start(), group.start()
    session = Session(a, "red", elicitation={})
    assert session.call(b, "read_file", path=str(group.base / "ws" / "red" / "x"))[0] == 200
    asked = Asked(session, a, "apply_patch", patch=PATCH)
    question = asked.next()
    assert question["method"] == "elicitation/create"
    answer(session, b, question)
    result = asked.next()
    assert not result["result"].get("isError"), result
    assert (group.base / "ws" / "red" / ".vscode" / "tasks.json").exists()
    headers = {**session.headers, "Authorization": "Bearer token-of-bob"}
    ping = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "ping"}).encode()
    assert b.client.fetch("POST", session.path, ping, headers)[0] == 404, "not bob's session"
    level = session.send(a, "logging/setLevel", {"level": "debug"})
    assert level[0] == 200
    group.kill(a)
    status, heard = session.call(b, "list_changes")
    assert status == 200
    assert "notifications/message" in heard, "the level of the log was kept"
    assert b.client.fetch("DELETE", session.path, None, session.headers)[0] == 200
    c = group.start()
    group.kill(b)
    assert c.client.fetch("POST", session.path, ping, session.headers)[0] == 404, "ended for all"


@pytest.mark.requirement("group-shared-questions", "group-shared-grants")
def test_a_question_outlives_the_server_that_asked_it(group: Group) -> None:
    a, b = group.start(), group.start()
    session = Session(a, "red", elicitation={})
    wanted = {"tool_name": "exec_command", "permission": "shell_expansion", "reason": "a test",
              "arguments": {"cmd": COMMAND}}  # fmt: skip
    asked = Asked(session, a, "request_permissions", **wanted)
    question = asked.next()
    assert question["method"] == "elicitation/create", question
    group.kill(a)
    assert asked.next() == {}, "the connection is cut"
    answer(session, b, question)
    # Made again, the call finds the answer; nobody is asked twice.
    status, granted = session.call(b, "request_permissions", **wanted)
    assert status == 200
    assert granted["result"]["structuredContent"]["status"] == "granted", granted
    # The permission outlives its server too.
    c = group.start()
    group.kill(b)
    status, ran = session.call(c, "exec_command", cmd=COMMAND)
    assert not ran["result"].get("isError"), ran
    assert (group.base / "ws" / "red" / "made.txt").read_text() == "ran\n"
    again = session.call(c, "exec_command", cmd=COMMAND)[1]
    assert again["result"]["isError"], "it was for one call"


@pytest.mark.requirement("group-shared-questions")
def test_the_state_of_a_question_opens_at_another_server_once(group: Group) -> None:
    a, b = group.start(), group.start()
    wanted = {"name": "apply_patch", "arguments": {"patch": PATCH}}
    asked = a.ask("ana", "red", "tools/call", able=True, **wanted)[1]["result"]
    (key,) = asked["inputRequests"]
    given = {"requestState": asked["requestState"], "inputResponses": {key: YES}}
    stolen = b.ask("bob", "red", "tools/call", able=True, **wanted, **given)[1]
    assert "requestState" in stolen["error"]["message"]
    group.kill(a)
    done = b.ask("ana", "red", "tools/call", able=True, **wanted, **given)[1]
    assert not done["result"].get("isError"), done
    c = group.start()
    group.kill(b)
    twice = c.ask("ana", "red", "tools/call", able=True, **wanted, **given)[1]
    assert "requestState" in twice["error"]["message"]
    made = [each for each in changes(c, "red") if each["kind"] == "change"]
    assert len(made) == 1


@pytest.mark.requirement("group-shared-questions", "group-takeover")
def test_previews_and_held_changes_go_on_after_a_takeover(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rule]]\nname = "look"\npaths = ["kept/**"]\naction = "ask"\n')
    with group_of(tmp_path, "--policy", str(policy)) as group:
        group.make("red")
        a, b = group.start(), group.start()
        document = {"document": {"count": 1}, "instruction": "set count to 2"}
        shown = a.call("ana", "red", "json_editor_preview", **document)["structuredContent"]
        held = write(a, "red", "kept/a.txt", "one\n")
        assert held["isError"]
        group.kill(a)
        applied = b.call("ana", "red", "json_editor_apply", session_id=shown["session_id"])
        assert not applied["isError"], applied
        cookie = b.sign_in("ana")
        found = re.search(r"/held/(\w+)", b.get(cookie, "/w/red/held")[1])
        assert found is not None
        where = f"/w/red/held/{found[1]}"
        (fingerprint,) = shown_in(b.get(cookie, where)[1])["shown"]
        assert b.post(cookie, f"{where}/approve", shown=fingerprint)[0] == 303
        assert (group.base / "ws" / "red" / "kept" / "a.txt").read_text() == "one\n"


@pytest.mark.requirement("group-shared-limits")
def test_requests_of_a_person_are_counted_over_two_servers(group: Group) -> None:
    a, b = group.start("--rate-limit", "0.01"), group.start("--rate-limit", "0.01")
    group.make("blue")
    assert a.ask("ana", "red", "tools/list")[0] == 200
    assert b.ask("ana", "blue", "tools/list")[0] == 429, "another workspace, at another server"
    assert b.ask("bob", "blue", "tools/list")[0] == 200
