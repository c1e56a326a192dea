"""Questions about commands on the page: whole and exact, once, the first answer counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from redline.core.errors import HeldDecided, LimitReached
from redline.core.ports.history import HistoryQuery
from redline.core.ports.review import Decision, HeldState, PermissionQuestion
from redline.review.adapters.stores import SqliteQuestions
from tests.review.person import Person
from tests.support import need_program
from tests.wire.client import MODERN, Client, Json, connect

# Needs the permission `network` by its name, and none to run.
COMMAND = "curl --version; echo \u202e > made.txt"
TOOLS = {
    "execute_command": ("files", {"command": COMMAND}),
    "exec_command": ("coding", {"cmd": COMMAND, "yield_time_ms": 20_000}),
    "run": ("agent", {"command": COMMAND}),
}
ELICITS: Json = {"elicitation": {}}


@contextmanager
def agent(person: Person, toolset: str, **options: Any) -> Iterator[Client]:
    """An agent at the person's workspace."""
    need_program("bwrap")
    state = str(person.root.parent / "state")
    args = ["--tools", toolset, "--workspace", str(person.root), "--state-dir", state]
    with connect("stdio", args, **options) as client:
        yield client


def ask(client: Client, tool: str, **options: Any) -> Json:
    reply = client.call(tool, TOOLS[tool][1], **options)
    result: Json = reply.get("result") or {"isError": True, **reply["error"]}
    return result


def text_of(result: Json) -> str:
    return "\n".join(block.get("text", "") for block in result["content"])


def waiting(person: Person) -> list[str]:
    return re.findall(r'id="q-(\w+)"', person.see("/held"))


def decisions(person: Person) -> list[tuple[str, str]]:
    listed = person.bench.history.list(HistoryQuery(limit=20))
    found = [each.origin for each in listed if each.kind == "grant"]
    return [(origin.principal, origin.summary.split()[0]) for origin in found]


@pytest.mark.requirement("web-questions")
def test_a_command_is_allowed_on_the_page_for_one_call(person: Person) -> None:
    person.sign_in()
    tool = "exec_command"
    with agent(person, TOOLS[tool][0]) as client:
        refused = ask(client, tool)
        assert "redline review" in str(refused)
        assert not (person.root / "made.txt").exists()
        (question,) = waiting(person)
        page = person.see("/held")
        for shown in ("network", "curl --version; echo \\u202e &gt; made.txt", "redline-tests"):
            assert shown in page
        person.act(f"/question/{question}/allow")
        assert waiting(person) == []
        done = ask(client, tool)
        assert done["isError"] is False, done
        assert (person.root / "made.txt").exists()
        again = ask(client, tool)
        assert "permission required" in str(again)
        assert decisions(person) == [("the reviewer", "allowed")]
    assert "allowed" in person.see("/held")


@pytest.mark.requirement("web-questions")
def test_a_command_that_ran_without_the_network_is_given_it_on_the_page(person: Person) -> None:
    person.sign_in()
    with agent(person, "files") as client:
        first = ask(client, "execute_command")
        assert first["structuredContent"]["sandbox"]["net"] == "none"
        (question,) = waiting(person)
        person.act(f"/question/{question}/allow")
        second = ask(client, "execute_command")
        assert second["structuredContent"]["sandbox"]["net"] != "none"
        third = ask(client, "execute_command")
        assert third["structuredContent"]["sandbox"]["net"] == "none"
        assert decisions(person) == [("the reviewer", "allowed")]


@pytest.mark.requirement("web-accessible")
def test_questions_about_the_same_command_have_names_of_their_own(person: Person) -> None:
    person.sign_in()
    with agent(person, "files") as one, agent(person, "files") as other:
        for client in (one, other):
            ask(client, "execute_command")
        names = re.findall(
            r'class="file question" id="q-\w+" aria-label="(.*?)"', person.see("/held")
        )
    assert len(set(names)) == 2
    assert all("curl --version" in name for name in names)


@pytest.mark.requirement("web-questions")
def test_a_denial_reaches_the_agent_with_its_reason(person: Person) -> None:
    person.sign_in()
    with agent(person, "files,history") as client:
        ask(client, "execute_command")
        (question,) = waiting(person)
        person.act(f"/question/{question}/deny", reason="not <today>")
        other = client.call("list_changes", {})["result"]
        assert 'denied, by "the reviewer": "not <today>"' in text_of(other)
        assert "denied, by" not in text_of(client.call("list_changes", {})["result"])
        refused = ask(client, "execute_command")
        assert "Permission denied by the reviewer" in str(refused)
        assert "not <today>" in str(refused)
        assert decisions(person) == [("the reviewer", "denied")]
        person.act(f"/question/{question}/allow", 409)


@pytest.mark.requirement("web-questions")
def test_a_call_waits_for_the_page_as_long_as_its_client_wants(person: Person) -> None:
    person.sign_in()
    with agent(person, "files") as client:
        meta = {"redline/wait_seconds": 60}
        params = {"name": "execute_command", "arguments": TOOLS["execute_command"][1]}
        started = client.start("tools/call", {**params, "_meta": meta})
        while not (found := waiting(person)):
            assert client.process.poll() is None
        person.act(f"/question/{found[0]}/allow")
        assert client.finish(started, timeout=90)["result"]["isError"] is False


@pytest.mark.requirement("web-first-answer")
@pytest.mark.parametrize(("tool", "on_page"), [("run", "allow"), ("execute_command", "deny")])
def test_the_page_is_first_and_the_client_too_late(person: Person, tool: str, on_page: str) -> None:
    person.sign_in()
    chosen = "deny" if on_page == "allow" else "allow"

    def answer(request: Json) -> Json:
        assert "curl --version" in request["params"]["message"]
        (question,) = waiting(person)
        person.act(f"/question/{question}/{on_page}")
        return {"action": "accept", "content": {"decision": chosen}}

    with agent(person, TOOLS[tool][0], capabilities=ELICITS) as client:
        client.on_request = answer
        done = ask(client, tool)
        assert done["isError"] is (on_page == "deny"), done
        assert (person.root / "made.txt").exists() is (on_page == "allow")
        verb = "allowed" if on_page == "allow" else "denied"
        assert decisions(person) == [("the reviewer", verb)]


@pytest.mark.requirement("web-first-answer")
def test_the_client_is_first_and_the_page_too_late(person: Person) -> None:
    person.sign_in()
    seen: list[str] = []

    def answer(_: Json) -> Json:
        seen.extend(waiting(person))
        return {"action": "accept", "content": {"decision": "allow"}}

    with agent(person, "files", capabilities=ELICITS) as client:
        client.on_request = answer
        assert ask(client, "execute_command")["isError"] is False
        (question,) = seen
        person.act(f"/question/{question}/deny", 409)
        assert "allowed by the person at redline-tests" in person.see(f"/question/{question}")
        assert decisions(person) == [("", "network")]
        client.on_request = lambda _: {"action": "cancel"}
        assert "denied by the person" in str(ask(client, "execute_command"))
        assert waiting(person) == []


@pytest.mark.requirement("web-first-answer")
def test_the_page_closes_the_question_at_the_client(person: Person) -> None:
    """A client that never answers learns that it need not any more."""
    person.sign_in()
    with agent(person, "files", capabilities=ELICITS) as client:
        client.on_request = lambda _: _never()
        started = client.start(
            "tools/call",
            {"name": "execute_command", "arguments": TOOLS["execute_command"][1]},
        )
        while not (found := waiting(person)):
            assert client.process.poll() is None
        person.act(f"/question/{found[0]}/allow")
        assert client.finish(started, timeout=90)["result"]["isError"] is False
        methods = [each["method"] for each in client.notifications]
        assert "notifications/cancelled" in methods


def _never() -> Json:
    raise KeyError("this client does not answer")


@pytest.mark.requirement("web-first-answer")
def test_without_a_session_the_page_may_answer_between_two_calls(person: Person) -> None:
    person.sign_in()
    with agent(person, "files", protocol=MODERN, capabilities=ELICITS) as client:
        needed = ask(client, "execute_command")
        assert needed["resultType"] == "input_required"
        (key,) = needed["inputRequests"]
        (question,) = waiting(person)
        person.act(f"/question/{question}/allow")
        late = {key: {"action": "accept", "content": {"decision": "deny"}}}
        state = {"requestState": needed["requestState"], "inputResponses": late}
        assert ask(client, "execute_command", **state)["isError"] is False
        assert decisions(person) == [("the reviewer", "allowed")]


@pytest.mark.requirement("web-no-self-approval")
def test_what_an_agent_holds_answers_nothing(person: Person) -> None:
    now = 4e9
    asked = PermissionQuestion("ab12", 1.0, now, "run", "agent 1", "", "s1", "Allow?\nrm -rf x")
    person.bench.app.questions.ask(asked)
    for decision in ("allow", "deny"):
        where = f"/question/ab12/{decision}"
        assert person.send("POST", where, {}, is_authenticated=True).status == 403
        assert person.send("POST", where, {}).status == 401
    page = person.send("GET", "/question/ab12", is_authenticated=True)
    assert b"rm -rf x" in page.body
    assert b"Allow once" not in page.body
    assert person.bench.app.questions.get("ab12").decision is None


@pytest.mark.requirement("web-questions")
def test_questions_expire_and_are_limited(tmp_path: Path) -> None:
    now = [1000.0]
    store = SqliteQuestions(str(tmp_path), clock=lambda: now[0], max_waiting=8)

    def put(name: str) -> PermissionQuestion:
        asked = PermissionQuestion(name, now[0], now[0] + 60, "run", "c", "", "s", f"Allow {name}?")
        return store.ask(asked)

    first = put("a")
    assert put("a") == first
    put("b")
    with pytest.raises(LimitReached):
        put("c")
    now[0] += 61
    yes = Decision(HeldState.APPROVED, "me", now[0])
    with pytest.raises(HeldDecided):
        store.decide("a", yes, lambda _: None)
    assert put("a") != first
    store.decide("a", yes, lambda _: None)
    assert store.use("a")
    assert not store.use("a")
    put("c")
    store.decide("c", yes, lambda _: None)
    now[0] += 61
    assert not store.use("c")

    def fail(_: PermissionQuestion) -> None:
        raise OSError("the journal cannot be written")

    put("d")
    with pytest.raises(Exception, match="cannot be"):
        store.decide("d", yes, fail)
    assert store.get("d").decision is None
    store.close()
