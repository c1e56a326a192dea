"""Principals from Authorization headers, and where an issuer's keys may come from."""

from __future__ import annotations

import random
import time

import pytest

from redline.server.http.auth import Authenticator, AuthFailed, is_safe_url, issuer_keys
from redline.server.http.host_policy import HostPolicy, HttpRefusal
from redline.server.rpc.person import OWNER
from redline.settings import Settings
from redline.teams.people.users import digest, parse_users
from tests.probes.issuer import Issuer, open_issuer
from tests.support import LONG

TOKEN = "a-token-of-some-length"


def test_without_configuration_everyone_may_come_in() -> None:
    auth = Authenticator()
    assert not auth.is_required
    assert auth.identify(None) == OWNER


def test_the_token_is_compared_whole_and_its_principal_does_not_show_it() -> None:
    auth = Authenticator(token=TOKEN)
    principal = auth.identify(f"Bearer {TOKEN}")
    assert principal == auth.identify(f"bearer  {TOKEN} ")
    assert principal.name.startswith("token:")
    assert TOKEN not in principal.name
    for wrong in (None, "", "Bearer", f"Bearer {TOKEN[:-1]}", f"Token {TOKEN}", f"Bearer x{TOKEN}"):
        with pytest.raises(AuthFailed):
            auth.identify(wrong)


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://login.example.org/x", True),
        ("http://127.0.0.1:9/x", True),
        ("http://localhost", True),
        ("http://127.0.0.1.evil.test", False),
        ("http://localhost.evil.test", False),
        ("http://127.0.0.1@evil.test", False),
        ("http://login.example.org", False),
        ("file:///etc/passwd", False),
        ("ftp://x", False),
        (None, False),
        ("http://[", False),
    ],
)
def test_keys_come_over_https_or_from_this_machine(address: object, safe: bool) -> None:
    assert is_safe_url(address) is safe


def test_an_issuer_that_is_not_safe_is_never_asked() -> None:
    with pytest.raises(AuthFailed, match="https"):
        issuer_keys("http://issuer.example.org")("token")


def names(host: str, **more: tuple[str, ...]) -> HostPolicy:
    return HostPolicy(Settings(host=host, **more), 8000)  # type: ignore[arg-type]


def accepts(
    found: HostPolicy, host: str | None, origin: str | None = None, own: str = "10.0.0.5"
) -> bool:
    try:
        found.check(host, origin, (own, 8000))
    except HttpRefusal:
        return False
    return True


def test_a_server_on_every_address_accepts_the_address_it_was_reached_by_and_named_hosts() -> None:
    found = names("0.0.0.0", allowed_hosts=("code.example.org",))
    assert accepts(found, "10.0.0.5:8000")
    assert accepts(found, "code.example.org")
    for host in ("10.0.0.6:8000", "10.0.0.5", "localhost:8000", "evil.test:8000", None, ""):
        assert not accepts(found, host), host


def test_a_server_on_every_address_is_localhost_to_this_machine_alone() -> None:
    found = names("0.0.0.0")
    assert accepts(found, "localhost:8000", own="127.0.0.1")
    assert accepts(found, "[::1]:8000", own="::1")
    assert not accepts(found, "localhost", own="127.0.0.1")
    assert not accepts(found, "evil.test:8000", own="127.0.0.1")
    with pytest.raises(HttpRefusal, match=r"--allowed-hosts evil\.test:8000"):
        found.check("evil.test:8000", None, ("127.0.0.1", 8000))


def test_a_server_beyond_this_machine_trusts_no_local_pages() -> None:
    found = names("10.0.0.5", allowed_origins=("https://app.example.org",))
    assert accepts(found, "10.0.0.5:8000", "https://app.example.org")
    assert accepts(found, "10.0.0.5:8000", "http://10.0.0.5:8000")
    assert not accepts(found, "10.0.0.5:8000", "http://localhost:3000")
    assert not accepts(found, "10.0.0.5:8000", "null")


@pytest.mark.requirement("people-key-rotation", "people-forged-tokens")
def test_new_keys_are_accepted_withdrawn_ones_refused_and_forged_names_do_not_ask_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open_issuer() as issuer:
        auth = Authenticator(
            issuer=issuer.base, audience=issuer.audience, keys=issuer_keys(issuer.base)
        )

        def is_accepted(algorithm: str, kid: str) -> bool:
            try:
                auth.identify(f"Bearer {issuer.token(algorithm, kid)}")
            except AuthFailed:
                return False
            return True

        every = issuer.keys
        issuer.keys = [key for key in every if key["kid"] == "ec"]
        assert is_accepted("ES256", "ec")
        issuer.keys = every
        assert is_accepted("RS256", "rsa"), "a new key is asked for"
        asked = issuer.asked
        assert not any(is_accepted("RS256", f"forged-{number}") for number in range(50))
        assert issuer.asked <= asked + 1
        issuer.keys = [key for key in every if key["kid"] == "rsa"]
        later = time.time() + 600
        monkeypatch.setattr("jwt.jwk_set_cache.time.monotonic", lambda: later)
        assert not is_accepted("ES256", "ec"), "a withdrawn key"
        assert is_accepted("RS256", "rsa")


FORGED = 10_000 if LONG else 400


@pytest.mark.requirement("people-forged-tokens")
def test_no_forged_token_is_accepted() -> None:
    secret, page, old = ("rdl_0a1b2c3d_" + letter * 43 for letter in "spo")
    users = parse_users(
        '[users.ana]\nrights = ["read"]\nsubject = "somebody else"\n'
        f'[[users.ana.tokens]]\nid = "x"\nsha256 = "{digest(secret)}"\n'
        f'[[users.ana.tokens]]\nid = "y"\nsha256 = "{digest(page)}"\npage = true\n'
        f'[[users.ana.tokens]]\nid = "z"\nsha256 = "{digest(old)}"\nexpires = 2020-01-01\n'
    )
    chance = random.Random(16)
    with open_issuer() as issuer:
        people = Authenticator(
            issuer=issuer.base,
            audience=issuer.audience,
            keys=issuer_keys(issuer.base),
            users=lambda: users,
        )
        good = issuer.token("ES256", "ec", exp=time.time() + 3600)
        assert people.identify(f"Bearer {secret}").name == "ana"
        assert people.sign_in(page)
        with pytest.raises(AuthFailed, match="not in the users file"):
            people.identify(f"Bearer {good}")
        for replayed in (page, old):  # given out, but not for this, or not any more
            with pytest.raises(AuthFailed):
                people.identify(f"Bearer {replayed}")
        assert not any(map(people.sign_in, (secret, old, good)))
        auth = Authenticator(
            issuer=issuer.base, audience=issuer.audience, keys=issuer_keys(issuer.base)
        )
        assert auth.identify(f"Bearer {good}").name.endswith("#ann")
        for _ in range(FORGED):
            forged = forge(good if chance.random() < 0.7 else secret, issuer, chance)
            for each in (auth, people):
                with pytest.raises(AuthFailed):
                    each.identify(f"Bearer {forged}")
                assert each.sign_in(forged) is None
        assert auth.identify(f"Bearer {good}").name.endswith("#ann")


def forge(token: str, issuer: Issuer, chance: random.Random) -> str:
    """A token that nobody gave out: altered, cut, signed otherwise, or with other claims."""
    kind = chance.randrange(5)
    if kind == 0:
        # The last character of a part may hold bits that mean nothing.
        at = chance.choice([i for i in range(len(token) - 2) if token[i + 1] != "."])
        other = chance.choice([c for c in "ABCabc019_-" if c != token[at]])
        return token[:at] + other + token[at + 1 :]
    if kind == 1:
        return token[: chance.randrange(len(token))]
    if kind == 2:
        algorithm = chance.choice(["HS256", "none", "ES384", "EdDSA"])
        return issuer.token(algorithm, chance.choice(["ec", "rsa"]))
    if kind == 3:
        return issuer.token("ES256", "ec", **{chance.choice(["iss", "aud"]): "https://other.test"})
    return issuer.token("ES256", "ec", exp=time.time() - chance.randrange(60, 10**6))
