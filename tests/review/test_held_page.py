"""Held changes on the page: approve, approve with an edit, refuse with a reason."""

from __future__ import annotations

import pytest

from tests.review.person import Person
from tests.review.test_held import HELD, hold


@pytest.fixture
def waiting(person: Person) -> Person:
    (person.root / "a").write_text("one\n")
    hold(person.bench.app)
    return person


@pytest.mark.requirement("web-held")
def test_a_held_change_is_shown_with_its_rule_and_approved(waiting: Person) -> None:
    waiting.sign_in()
    assert HELD in waiting.see("/held")
    page = waiting.see(f"/held/{HELD}")
    for shown in ("look first", "it is important", "agent 1", "Approve", "Refuse"):
        assert shown in page
    assert (waiting.root / "a").read_text() == "one\n"
    waiting.approve(HELD)
    assert (waiting.root / "a").read_text() == "two\n"
    page = waiting.see(f"/held/{HELD}")
    assert "approved by the reviewer" in page
    assert 'id="approve"' not in page


@pytest.mark.requirement("web-held")
def test_a_held_change_is_approved_with_an_edit_or_refused_with_a_reason(waiting: Person) -> None:
    waiting.sign_in()
    waiting.approve(HELD, edited="1", **{"text:a": "two and a half\r\n"})
    assert (waiting.root / "a").read_text() == "two and a half\n"
    hold(waiting.bench.app, held_id="ffee")
    waiting.act("/held/ffee/refuse", reason="not on a Friday")
    assert "not on a Friday" in waiting.see("/held/ffee")
    (decided,) = [h for h in waiting.bench.app.held.take_decisions("s1") if h.id == "ffee"]
    assert decided.decision is not None
    assert decided.decision.reason == "not on a Friday"


@pytest.mark.requirement("web-no-self-approval")
def test_what_an_agent_holds_decides_nothing(waiting: Person) -> None:
    for decision in ("approve", "refuse"):
        where = f"/held/{HELD}/{decision}"
        assert waiting.send("POST", where, {}, is_authenticated=True).status == 403
        assert waiting.send("POST", where, {}).status == 401
    page = waiting.send("GET", f"/held/{HELD}", is_authenticated=True)
    assert b'id="approve"' not in page.body
    assert (waiting.root / "a").read_text() == "one\n"
