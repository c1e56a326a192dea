"""The users file, and tokens made and revoked in it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from redline.core.access.rights import ALL_RIGHTS, Right
from redline.teams.people.tokens import add_token, revoke_token
from redline.teams.people.users import UsersFileError, digest, parse_users

TODAY = date(2026, 11, 16)
FILE = f"""# who may do what
[users.ana]
rights = ["read", "write", "run"]  # everywhere
subject = "7f3a"
rate_limit = 50
max_calls = 4
[users.ana.workspaces]
billing = ["read"]

[[users.ana.tokens]]
id = "k1"
sha256 = "{digest("one")}"
expires = 2027-01-31

[users."Ben Ø"]
[[users."Ben Ø".tokens]]
id = "k2"
sha256 = "{digest("two")}"
"""


@pytest.mark.requirement("people-users-file")
def test_the_file_says_who_has_which_rights_where() -> None:
    users = parse_users(FILE)
    ana = users.by_name["ana"]
    assert ana.rights_in("site") == {Right.READ, Right.WRITE, Right.RUN}
    assert ana.rights_in("billing") == {Right.READ}
    assert (ana.rate_limit, ana.max_calls) == (50.0, 4)
    assert users.by_name["Ben Ø"].rights_in("site") == frozenset()
    assert users.with_subject("7f3a") is ana
    assert users.with_subject("") is None


@pytest.mark.requirement("people-users-file", "people-forged-tokens")
def test_a_token_is_found_by_its_digest_until_it_expires() -> None:
    users = parse_users(FILE)
    before, after = (datetime(2027, 1, day, tzinfo=UTC) for day in (30, 31))
    found = users.with_token("one", before)
    assert found is not None
    assert found.name == "ana"
    assert users.with_token("one", after) is None
    for wrong in ("", "One", "one ", digest("one"), "k1", "three"):
        assert users.with_token(wrong, before) is None


@pytest.mark.requirement("people-users-file")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("users = 1", "users: expected a table"),
        ("[people]", "unknown key people"),
        ("[users.a]\nright = []", "users.a: unknown key right"),
        ("[users.a]\nrights = 'read'", "users.a.rights"),
        ("[users.a]\nrights = ['reed']", "no such right: reed"),
        ("[users.a.workspaces]\nx = ['all']", "users.a.workspaces.x"),
        ("[users.a]\ntokens = {}", "users.a.tokens"),
        ("[[users.a.tokens]]\nsha256 = ''", "needs an id"),
        ("[[users.a.tokens]]\nid = 'x'\nsha256 = 'abc'", "64 hexadecimal digits"),
        ("[users.a]\nmax_calls = 0", "users.a.max_calls"),
        ("[users.a]\nrate_limit = true", "users.a.rate_limit"),
        ("[users.a]\nsubject = ''", "users.a.subject"),
        ("[users.a", "not valid TOML"),
        (f"[[users.a.tokens]]\nid = 'x'\nsha256 = '{digest('t')}'\nexpires = 'soon'", "expires"),
        (FILE + FILE[FILE.index("[[users.ana") : FILE.index('[users."Ben')], "the same token"),
    ],
)
def test_a_mistake_in_the_file_is_named(text: str, named: str) -> None:
    with pytest.raises(UsersFileError) as caught:
        parse_users(text)
    assert named in str(caught.value)


@pytest.mark.requirement("people-token-command")
@pytest.mark.parametrize("name", ["cy", "Cy Ø", 'C"y\\', "c.y", "c-y_1"])
def test_somebody_new_gets_rights_and_a_token_and_the_rest_stays(name: str) -> None:
    expires = TODAY + timedelta(days=30)
    made = add_token(FILE, name, today=TODAY, rights=ALL_RIGHTS, expires=expires)
    assert made.text.startswith(FILE)
    assert made.token not in made.text
    user = parse_users(made.text).with_token(made.token, datetime(2026, 11, 17, tzinfo=UTC))
    assert user is not None
    assert (user.name, user.rights) == (name, ALL_RIGHTS)
    assert parse_users(made.text).with_token(made.token, datetime(2026, 12, 16, tzinfo=UTC)) is None


@pytest.mark.requirement("people-token-command")
def test_a_revoked_token_is_gone_and_everything_else_stays() -> None:
    made = add_token(FILE, "ana", today=TODAY)
    again = revoke_token(made.text, made.id)
    assert parse_users(again) == parse_users(FILE)
    assert again.startswith(FILE.rstrip())
    first = revoke_token(made.text, "k1")
    assert [token.id for token in parse_users(first).by_name["ana"].tokens] == [made.id]
    assert "# who may do what" in first
    with pytest.raises(UsersFileError, match="no such token"):
        revoke_token(FILE, "k9")
    with pytest.raises(UsersFileError, match="no such user"):
        add_token(FILE, "nobody", today=TODAY)


@pytest.mark.requirement("people-token-command")
def test_the_only_token_of_somebody_can_be_revoked() -> None:
    left = revoke_token(FILE, "k2")
    assert parse_users(left).by_name["Ben Ø"].tokens == ()
