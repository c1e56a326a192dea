"""Who may read and who may act: a person with a key, never an agent with a token."""

from __future__ import annotations

import pytest

from redline.core.ports.pages import WebRequest
from redline.review.page.access import TOKEN_HEADER, ReviewAccess
from tests.review.person import HOST, KEY, Person


@pytest.mark.requirement("web-one-time-key")
def test_a_key_signs_in_one_browser_once(person: Person) -> None:
    person.edit(("a.txt", "one\n"))
    assert person.send("GET", "/").status == 401
    assert person.send("POST", "/sign-in", {"key": "x" * 48}).status == 403
    person.sign_in()
    assert "a.txt" in person.see("/")
    again = person.send("POST", "/sign-in", {"key": KEY})
    assert again.status == 403
    assert "Set-Cookie" not in dict(again.headers)


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(person: Person) -> None:
    answer = person.send("POST", "/sign-in", {"key": KEY})
    cookie = dict(answer.headers)["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert KEY not in cookie


def test_a_cookie_that_was_changed_or_is_too_old_is_none(person: Person) -> None:
    person.sign_in()
    good = person.cookie
    for wrong in (good[:-1] + ("0" if good[-1] != "0" else "1"), good.split(".")[0], "", "x=y"):
        person.cookie = wrong
        assert person.send("GET", "/").status == 401, wrong
    now = [1000.0]
    access = ReviewAccess(b"s" * 32, KEY, lambda: now[0])
    admitted = access.admit(WebRequest("POST", "/sign-in", {}, {"host": HOST}), KEY)
    assert admitted is not None
    cookie = admitted.cookie.partition(";")[0]
    headers = {"host": HOST, "cookie": cookie, TOKEN_HEADER: admitted.token}
    request = WebRequest("GET", "/", {}, headers)
    assert access.person(request)
    now[0] += 8 * 86400
    assert not access.person(request)


@pytest.mark.requirement("web-no-self-approval")
def test_what_the_transport_lets_in_may_read_and_not_act(person: Person) -> None:
    change = person.edit(("a.txt", "one\n"))
    page = person.send("GET", "/", is_authenticated=True)
    assert page.status == 200
    assert b"data-visit" not in page.body
    shown = person.send("GET", f"/change/{change}", is_authenticated=True).body
    assert b"Undo" not in shown
    form = {"id": change, "all": "1"}
    assert person.send("POST", "/undo", form, is_authenticated=True).status == 403
    assert (person.root / "a.txt").read_text() == "one\n"


@pytest.mark.requirement("web-forged-requests")
def test_forms_of_other_pages_are_refused(person: Person) -> None:
    change = person.edit(("a.txt", "one\n"))
    person.sign_in()
    form = {"id": change, "all": "1"}
    for headers in (
        {"origin": "http://127.0.0.1:3000"},
        {"origin": "null"},
        {"origin": "https://evil.test"},
        {"sec_fetch_site": "cross-site"},
    ):
        assert person.send("POST", "/undo", form, **headers).status == 403, headers
    assert person.send("POST", "/undo", form, x_redline_token="0" * 40).status in (401, 403)
    assert (person.root / "a.txt").exists()
    assert person.send("POST", "/undo", form, origin=f"http://{HOST}").status == 303
    assert not (person.root / "a.txt").exists()


@pytest.mark.requirement("web-two-halves")
def test_a_cookie_alone_gets_no_content_and_does_nothing(person: Person) -> None:
    change = person.edit(("secret-name.txt", "one\n"))
    person.sign_in()
    token = person.token
    for wrong in ("", token[:-1], "0" * 40):
        person.token = wrong
        for where in ("/", f"/change/{change}", f"/change/{change}/patch", "/events", "/held"):
            answer = person.send("GET", where)
            assert answer.status == 401, where
            assert answer.stream is None
            for hidden in (b"secret-name", token.encode(), person.cookie.encode(), b"data-visit"):
                assert hidden not in answer.body
        undone = person.send("POST", "/undo", {"id": change, "all": "1", "token": token})
        assert undone.status == 401
    assert (person.root / "secret-name.txt").exists()
    person.token, person.cookie = token, ""
    assert person.send("GET", "/").status == 401, "nor the token alone"


@pytest.mark.requirement("web-two-halves")
def test_both_halves_are_worth_nothing_at_another_port(person: Person) -> None:
    person.sign_in()
    assert person.send("GET", "/").status == 200
    assert person.send("GET", "/", host="127.0.0.1:8001").status == 401


@pytest.mark.requirement("web-two-halves")
@pytest.mark.parametrize(
    ("headers", "is_secure"),
    [
        ({}, False),
        ({"origin": f"http://{HOST}"}, False),
        ({"origin": f"https://{HOST}"}, True),
        ({"x_forwarded_proto": "https"}, True),
    ],
)
def test_behind_tls_the_cookie_stays_off_plain_http(
    person: Person, headers: dict[str, str], is_secure: bool
) -> None:
    answer = person.send("POST", "/sign-in", {"key": KEY}, **headers)
    assert ("; Secure" in dict(answer.headers)["Set-Cookie"]) is is_secure


@pytest.mark.requirement("web-strict-policy")
def test_every_page_forbids_what_it_does_not_need(person: Person) -> None:
    person.edit(("a.txt", "one\n"))
    person.sign_in()
    for where in ("/", "/comments", "/nowhere", "/assets/review.js"):
        headers = dict(person.send("GET", where).headers)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http:" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_secret_stays_and_only_the_owner_reads_it(person: Person) -> None:
    app = person.bench.app
    assert app.review_secret() == app.review_secret()
    path = person.root.parent / "state" / "review-secret"
    assert path.stat().st_mode & 0o777 == 0o600
