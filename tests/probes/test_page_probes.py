"""Runs the probes of page.toml: who signs in at the page, what is approved, who is shut out."""

from __future__ import annotations

import html
import http.client
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState, LinkState
from redline.core.errors import LimitReached
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.core.ports.review import Action, HeldChange, Ruling
from redline.plan.file_ops import plan_write
from redline.policy.adapters.held_store import CLIENT_SHARE, MAX_WAITING, SESSION_SHARE
from tests.probes.frame import Probe, each, probes
from tests.review.browser import WAIT, PageServer, open_browser
from tests.review.person import HOST, KEY, Person, shown_in
from tests.wire.client import HttpClient, connect
from tests.wire.many import KIND, Site, write_people

PROBES = probes("page")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    found = Person(tmp_path)
    yield found
    found.close()


def hold(
    person: Person,
    content: bytes,
    held_id: str = "aabbccdd",
    session: str = "s1",
    client: str = "agent 1",
) -> None:
    """Have a rule hold a change of the file a."""
    app = person.bench.app
    place = app.workspace.resolve("a", Access.WRITE)
    keep(person, plan_write(app.tree, place, "a", content), held_id, session, client)


def keep(
    person: Person,
    change_set: ChangeSet,
    held_id: str = "aabbccdd",
    session: str = "s1",
    client: str = "agent 1",
) -> None:
    """Have a rule hold a change."""
    now = time.time()
    origin = Origin("write_file", client, "", "write a", session)
    rulings = (Ruling(Action.ASK, "a", "look first", 3, "it is important"),)
    held = HeldChange(held_id, now, now + 600, origin, change_set, rulings)
    person.bench.app.held.hold(held)


@pytest.mark.requirement("web-held-shown")
@each(PROBES, "unseen")
def test_what_was_not_shown_is_not_approved(probe: Probe, person: Person) -> None:
    (person.root / "a").write_text("one\n")
    lines = [f"line {number}\n" for number in range(1, probe["lines"])]
    hold(person, "".join([*lines, "the last line\n"]).encode())
    person.sign_in()
    shown = person.see("/held/aabbccdd")
    assert re.search(r'<button id="approve"[^>]* disabled>', shown)
    person.approve("aabbccdd", 409)
    parts = 0
    while "the last line" not in shown.partition("<table")[2]:
        more = re.findall(r'href="(/held/aabbccdd/rows[^"]+)"', shown)
        part = person.send("GET", more[-1].replace("&amp;", "&"), x_redline="part").body.decode()
        shown, parts = shown + part, parts + 1
    assert parts <= probe["parts"]
    person.act("/held/aabbccdd/approve", **shown_in(shown))
    assert (person.root / "a").read_text().endswith("the last line\n")


@pytest.mark.requirement("web-held-shown")
@each(PROBES, "unshowable")
def test_what_cannot_be_shown_is_said(probe: Probe, person: Person) -> None:
    (person.root / "a").write_text("one\n")
    content = (probe.get("content") or "x" * probe["length"] + "\n").encode()
    hold(person, content)
    person.sign_in()
    page = person.see("/held/aabbccdd")
    assert probe["says"] in page
    assert re.search(r'<input type="checkbox" name="unseen" value="0" required>', page)
    where = re.search(r'href="(/held/aabbccdd/content[^"]+side=new)"', page)
    assert where
    assert person.send("GET", where[1].replace("&amp;", "&")).body == content
    person.approve("aabbccdd", 409)
    assert (person.root / "a").read_text() == "one\n"
    person.approve("aabbccdd", unseen="0")
    assert (person.root / "a").read_bytes() == content


@pytest.mark.requirement("web-held-shown")
@each(PROBES, "kinds")
def test_what_kind_of_file_is_made_is_said(probe: Probe, person: Person) -> None:
    (person.root / "a").write_text("one\n")
    new = {
        "link": LinkState("/etc/passwd"),
        "dir": DirState(0o1777),
        "new": FileState.of(b"", 0o666),
    }
    steps = [Change(person.bench.at(name), ABSENT, state) for name, state in new.items()]
    closed = FileState.of(b"one\n", 0o644), FileState.of(b"one\n", 0o000)
    steps.append(Change(person.bench.at("a"), *closed))
    keep(person, ChangeSet(tuple(steps)))
    person.sign_in()
    parts = re.findall(r"<section.*?</section>", person.see("/held/aabbccdd"), re.DOTALL)
    shown = [" ".join(re.sub(r"<[^>]+>", " ", part).split()) for part in parts]
    assert shown[0].startswith("link create link to what the text names")
    assert shown[1:] == ["dir create directory mode 1777", "new create mode 666",
                         "a mode mode 644 \u2192 0"]  # fmt: skip


@pytest.mark.requirement("web-held-shown")
@each(PROBES, "hidden")
def test_characters_that_nobody_sees_are_shown(probe: Probe, person: Person) -> None:
    name, content = probe["name"], probe["content"]
    state = FileState.of(content.encode(), 0o644)
    keep(person, ChangeSet((Change(person.bench.at(name), ABSENT, state),)))
    person.sign_in()
    page = person.see("/held/aabbccdd")
    box = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    assert box
    assert html.unescape(box[1]) == "\n" + content
    seen = html.unescape(re.sub(r"<[^>]+>", "", page.replace(box[0], "")))
    for text in probe["shown"]:
        assert text in seen
    assert not re.search("[\u202e\u3164\u200b\U000e0041\uffa0\xad\xa0]", page.replace(box[0], ""))


@pytest.mark.requirement("web-held-shown")
@each(PROBES, "fingerprint")
def test_an_approval_is_of_what_was_shown(probe: Probe, person: Person) -> None:
    (person.root / "a").write_text("one\n")
    hold(person, b"two\n")
    hold(person, b"three\n", "ffeeffee")
    person.sign_in()
    other = shown_in(person.see("/held/ffeeffee"))
    person.act("/held/aabbccdd/approve", 409, **other)
    person.act("/held/aabbccdd/approve", 409)
    assert (person.root / "a").read_text() == "one\n"


# --- who signs in ---------------------------------------------------------------------------------

_THIEF = """
import http.server, json, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(json.dumps(self.headers.get("Cookie", "")), flush=True)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def thief() -> Iterator[tuple[int, IO[str]]]:
    """A web server of another user of this machine: its port, and the cookies that it gets."""
    server = subprocess.Popen(
        [sys.executable, "-I", "-c", _THIEF], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        yield int(server.stdout.readline()), server.stdout
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def ask(
    port: int, method: str, path: str, headers: dict[str, str], body: str = ""
) -> tuple[int, str]:
    """One request to a page."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        link.request(method, path, body, {**KIND, **headers})
        answer = link.getresponse()
        return answer.status, answer.read().decode()
    finally:
        link.close()


@pytest.mark.requirement("web-two-halves")
@each(PROBES, "browser")
def test_a_server_at_another_port_gets_nothing_that_signs_in(
    probe: Probe,
    person: Person,
    thief: tuple[int, IO[str]],
) -> None:
    (person.root / "a").write_text("one\n")
    hold(person, b"two\n")
    server = PageServer(person.root, person.root.parent / "state")
    port, stolen = thief
    own = int(server.address.rstrip("/").rpartition(":")[2])
    try:
        with open_browser() as browser:
            page = browser.new_page()  # type: ignore[attr-defined]
            page.goto(server.address + server.key)
            page.wait_for_selector("body.act", timeout=WAIT)
            page.goto(f"http://127.0.0.1:{port}/")
            cookie = json.loads(stolen.readline())
            assert cookie.startswith("redline_"), "a browser sends the cookie to every port"
            page.goto(f"{server.address}held/aabbccdd")
            page.wait_for_selector("#approve", timeout=WAIT)
            kept = page.evaluate("JSON.stringify(localStorage)")
            (token,) = json.loads(kept).values()
            (shown,) = shown_in(page.content())["shown"]
            for where in ("/", "/held/aabbccdd", "/held/aabbccdd/rows?file=0&from=0", "/events"):
                status, text = ask(own, "GET", where, {"Cookie": cookie})
                assert (status, token in text, "two" in text) == (401, False, False), where
            for guess in ({}, {"X-Redline-Token": cookie.rpartition(".")[2]}):
                form = f"token={shown}&shown={shown}"
                given = {"Cookie": cookie, **guess}
                status, _ = ask(own, "POST", "/held/aabbccdd/approve", given, form)
                assert status == 401
            assert (person.root / "a").read_text() == "one\n"
            page.click("#approve")
            page.wait_for_selector(".message", timeout=WAIT)
            assert (person.root / "a").read_text() == "two\n"
    finally:
        server.kill()


@pytest.mark.requirement("web-two-halves")
@each(PROBES, "other port")
def test_what_signs_in_at_one_port_signs_in_at_no_other(
    probe: Probe,
    person: Person,
) -> None:
    state = person.root.parent / "state"
    first, second = PageServer(person.root, state), PageServer(person.root, state)
    try:
        ports = [int(each.address.rstrip("/").rpartition(":")[2]) for each in (first, second)]
        link = http.client.HTTPConnection("127.0.0.1", ports[0], timeout=30)
        link.request("POST", "/sign-in", f"key={first.key.removeprefix('#key=')}", KIND)
        answer = link.getresponse()
        cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
        both = {"Cookie": cookie, "X-Redline-Token": answer.read().decode()}
        link.close()
        assert [ask(port, "GET", "/", both)[0] for port in ports] == [200, 401]
    finally:
        first.kill()
        second.kill()


@each(PROBES, "secure")
def test_behind_tls_the_cookie_is_secure(probe: Probe, person: Person) -> None:
    answer = person.send("POST", "/sign-in", {"key": KEY}, origin=f"https://{HOST}")
    assert dict(answer.headers)["Set-Cookie"].endswith("; Secure")


# --- who is shut out ------------------------------------------------------------------------------


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Site]:
    """A server of two people, who read and write."""
    (tmp_path / "ws" / "red").mkdir(parents=True)
    rights = ["read", "write"]
    write_people(tmp_path / "users.toml", {"ana": (rights, {}), "bo": (rights, {})})
    flags = ["--workspaces", str(tmp_path / "ws"), "--users", str(tmp_path / "users.toml"),
             "--no-record", "--max-connections", "64"]  # fmt: skip
    env = {"REDLINE_STATE_DIR": str(tmp_path / "state")}
    with connect("http", flags, cwd=tmp_path, handshake=False, env=env) as client:
        assert isinstance(client, HttpClient)
        yield Site(client, tmp_path)


def listen(site: Site, visit: dict[str, str]) -> socket.socket:
    """Open a stream of events, and wait until it begins."""
    link = socket.create_connection(("127.0.0.1", site.client.port), 30)
    fields = "".join(f"{name}: {value}\r\n" for name, value in visit.items())
    head = f"GET /w/red/events HTTP/1.1\r\nHost: 127.0.0.1:{site.client.port}\r\n{fields}\r\n"
    link.sendall(head.encode())
    read_until(link, b"event: state")
    return link


def read_until(link: socket.socket, wanted: bytes) -> bytes:
    """Read until *wanted* or the end has come."""
    data = b""
    while wanted not in data:
        more = link.recv(4096)
        if not more:
            break
        data += more
    return data


@pytest.mark.requirement("people-revoked-streams")
@each(PROBES, "revoked")
def test_a_stream_ends_with_the_token(probe: Probe, team: Site) -> None:
    rights = ["read", "write"]
    link = listen(team, team.sign_in("ana"))
    with link:
        write_people(team.base / "users.toml", {"bo": (rights, {})})
        path = str(team.base / "ws" / "red" / "a.txt")
        assert not team.call("bo", "red", "write_file", path=path, content="x\n")["isError"]
        assert b"event: state" not in read_until(link, b"event: state")


@pytest.mark.requirement("server-shares")
@each(PROBES, "streams")
def test_nobody_shuts_out_the_rest_with_streams(probe: Probe, team: Site) -> None:
    ana = team.sign_in("ana")
    links = [listen(team, ana) for _ in range(80)]
    try:
        for path in ("/healthz", "/readyz"):
            assert team.client.fetch("GET", path)[0] == 200
        assert team.get(team.sign_in("bo"), "/w/red/")[0] == 200
        assert "result" in team.ask("bo", "red", "tools/list")[1]
        last = listen(team, ana)  # the page that is opened last is live
        last.close()
    finally:
        for link in links:
            link.close()


@pytest.mark.requirement("server-shares")
@each(PROBES, "bodies")
def test_nobody_shuts_out_the_rest_with_bodies_that_never_come(probe: Probe, team: Site) -> None:
    bo = team.sign_in("bo")
    links = []
    head = (
        f"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1:{team.client.port}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nkey="
    )
    try:
        for _ in range(100):
            link = socket.create_connection(("127.0.0.1", team.client.port), 30)
            links.append(link)
            link.sendall(head.encode())
        assert team.client.fetch("GET", "/healthz")[0] == 200
        assert team.get(bo, "/w/red/")[0] == 200
    finally:
        for link in links:
            link.close()


@each(PROBES, "slots")
def test_one_session_does_not_take_every_place(probe: Probe, person: Person) -> None:
    (person.root / "a").write_text("one\n")
    for number in range(MAX_WAITING // SESSION_SHARE):
        hold(person, f"{number}\n".encode(), f"{number:08d}")
    with pytest.raises(LimitReached, match="of this session"):
        hold(person, b"one more\n")
    hold(person, b"other\n", "ffffffff", session="s2")
    assert person.bench.app.held.get("ffffffff").origin.session == "s2"


@each(PROBES, "client slots")
def test_one_client_does_not_take_every_place(probe: Probe, person: Person) -> None:
    (person.root / "a").write_text("one\n")
    for number in range(MAX_WAITING // CLIENT_SHARE):
        hold(person, f"{number}\n".encode(), f"{number:08d}", session=f"s{number % 4}")
    with pytest.raises(LimitReached, match="of this client"):
        hold(person, b"one more\n", session="s5")
    hold(person, b"other\n", "ffffffff", session="s6", client="agent 2")
    assert person.bench.app.held.get("ffffffff").origin.client == "agent 2"
