"""Principals from Authorization headers, and where an issuer's keys may come from."""

from __future__ import annotations

import pytest

from redline.server.http.auth import Authenticator, AuthFailed, is_safe_url, issuer_keys
from redline.server.http.host_policy import HostPolicy, HttpRefusal
from redline.settings import Settings

TOKEN = "a-token-of-some-length"


def test_without_configuration_everyone_may_come_in() -> None:
    auth = Authenticator()
    assert not auth.is_required
    assert auth.principal(None) == ""


def test_the_token_is_compared_whole_and_its_principal_does_not_show_it() -> None:
    auth = Authenticator(token=TOKEN)
    principal = auth.principal(f"Bearer {TOKEN}")
    assert principal == auth.principal(f"bearer  {TOKEN} ")
    assert principal.startswith("token:")
    assert TOKEN not in principal
    for wrong in (None, "", "Bearer", f"Bearer {TOKEN[:-1]}", f"Token {TOKEN}", f"Bearer x{TOKEN}"):
        with pytest.raises(AuthFailed):
            auth.principal(wrong)


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
