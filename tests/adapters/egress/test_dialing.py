"""The address that is checked is the address that is dialled."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

import pytest

from redline.adapters.egress.dialing import MAX_ADDRESSES, Dialer, DialRefused, Unreachable
from redline.core.access.domains import parse_domains

PUBLIC, PRIVATE = "93.184.215.14", "10.0.0.1"


class Net:
    """A resolver with prepared answers, and a network that notes what is dialled."""

    def __init__(self, *answers: Sequence[str], deaf: Sequence[str] = ()) -> None:
        self.answers = list(answers)
        self.looked_up: list[str] = []
        self.dialled: list[tuple[str, int]] = []
        self._deaf = deaf

    async def look_up(self, name: str, _port: int) -> Sequence[str]:
        self.looked_up.append(name)
        return self.answers.pop(0) if self.answers else ()

    async def connect(self, address: str, port: int) -> socket.socket:
        self.dialled.append((address, port))
        if address in self._deaf:
            raise ConnectionRefusedError
        return socket.socket()

    def dial(self, name: str, port: int = 443, allowed: str = "example.org") -> None:
        """Dial once, and let go of the connection."""
        dialer = Dialer(parse_domains([allowed]), lookup=self.look_up, connect=self.connect)
        asyncio.run(dialer.dial(name, port)).close()


@pytest.mark.requirement("egress-rebinding")
def test_a_name_that_is_rebound_to_a_private_address_never_leads_there() -> None:
    net = Net([PUBLIC], [PRIVATE], ["127.0.0.1", "::1"], ["169.254.169.254"])
    net.dial("example.org")
    for _ in range(3):
        with pytest.raises(DialRefused, match=r"example\.org: it has no public address"):
            net.dial("example.org")
    assert net.dialled == [(PUBLIC, 443)]
    assert net.looked_up == ["example.org"] * 4  # once for each connection


@pytest.mark.requirement("egress-rebinding")
def test_of_a_mixed_answer_only_public_addresses_are_dialled() -> None:
    net = Net([PRIVATE, "::ffff:10.0.0.1", "1.1.1.1", "127.0.0.1", PUBLIC], deaf=["1.1.1.1"])
    net.dial("example.org")
    assert net.dialled == [("1.1.1.1", 443), (PUBLIC, 443)]


@pytest.mark.requirement("egress-private-names")
def test_a_name_that_the_operator_calls_private_leads_to_a_private_network() -> None:
    net = Net([PRIVATE], ["fd00::7"], ["100.64.0.9"])
    for _ in range(3):
        net.dial("mirror.corp", allowed="mirror.corp=private")
    assert [address for address, _ in net.dialled] == [PRIVATE, "fd00::7", "100.64.0.9"]


@pytest.mark.requirement("egress-private-names")
@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "::1",
        "169.254.169.254",
        "168.63.129.16",
        "fe80::1",
        "::ffff:10.0.0.1",
        "0.0.0.0",
    ],
)
def test_a_private_name_leads_to_no_service_of_the_machine_and_no_metadata(address: str) -> None:
    net = Net([address])
    with pytest.raises(DialRefused, match="it has no public address"):
        net.dial("mirror.corp", allowed="mirror.corp=private")
    assert net.dialled == []


@pytest.mark.requirement("egress-private-names")
def test_a_private_address_of_the_machine_itself_is_not_dialled() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            any_socket.connect(("10.255.255.254", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no way to any network")
        own = any_socket.getsockname()[0]
    net = Net([own])
    with pytest.raises(DialRefused):
        net.dial("mirror.corp", allowed="mirror.corp=private")
    assert net.dialled == []


@pytest.mark.requirement("egress-private-names")
def test_only_the_name_that_is_called_private_may_be_and_a_refusal_says_how() -> None:
    net = Net([PRIVATE])
    with pytest.raises(DialRefused, match=r"start Redline with --allow-domain mirror.corp=private"):
        net.dial("mirror.corp", allowed="mirror.corp")
    with pytest.raises(ValueError, match="without a wildcard"):
        parse_domains(["*.corp=private"])
    (domain,) = parse_domains(["Mirror.corp.:8080=private"])
    assert str(domain) == "mirror.corp:8080=private"
    assert parse_domains([str(domain)]) == (domain,)


@pytest.mark.requirement("egress-refusal")
@pytest.mark.parametrize(
    ("name", "port", "hint"),
    [
        ("other.example", 443, "--allow-domain other.example"),
        ("other.example", 80, "--allow-domain other.example"),
        ("example.org", 22, "--allow-domain example.org:22"),
        ("1.1.1.1", 443, "--allow-domain 1.1.1.1"),
    ],
)
def test_a_name_that_is_not_allowed_is_not_even_looked_up(name: str, port: int, hint: str) -> None:
    net = Net([PUBLIC])
    with pytest.raises(DialRefused) as caught:
        net.dial(name, port)
    assert str(caught.value).endswith(f": to allow it, start Redline with {hint}")
    assert (net.looked_up, net.dialled) == ([], [])


@pytest.mark.requirement("egress-addresses")
@pytest.mark.parametrize("literal", ["127.0.0.1", "169.254.169.254", "10.0.0.1"])
def test_a_private_literal_is_refused_even_if_it_is_listed(literal: str) -> None:
    net = Net()
    with pytest.raises(DialRefused, match="it is not a public address"):
        net.dial(literal, allowed=literal)
    assert net.dialled == []


def test_a_public_literal_is_dialled_if_it_is_listed() -> None:
    net = Net()
    net.dial("1.1.1.1", allowed="1.1.1.1")
    assert (net.looked_up, net.dialled) == ([], [("1.1.1.1", 443)])


def test_a_name_without_address_and_one_that_does_not_answer_are_unreachable() -> None:
    many = [f"1.1.1.{number}" for number in range(1, 20)]
    net = Net([], many, deaf=many)
    for _ in range(2):
        with pytest.raises(Unreachable):
            net.dial("example.org")
    assert len(net.dialled) == MAX_ADDRESSES
