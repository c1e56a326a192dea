"""Only addresses of the public internet are dialled."""

from __future__ import annotations

import pytest

from redline.adapters.egress.dialing import is_own, is_public


@pytest.mark.requirement("egress-addresses")
@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.255.0.1", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1"),
        *("172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200"),
        *("192.0.0.192", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
        *("168.63.129.16", "192.0.2.1", "198.51.100.1", "203.0.113.1"),
        *("::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "::8.8.8.8"),
        *("fe80::1", "fe80::1%1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1"),
        *("64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::1", "2001::1", "2001:db8::1"),
        *("3fff::1", "100::1", "5f00::1", "2606:4700::1%1"),
        *("", "localhost", "127.1", "1", "8.8.8.8 ", "0x8.8.8.8"),
    ],
)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.requirement("egress-addresses")
@pytest.mark.parametrize(
    "address",
    [
        *("8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1"),
        *("168.63.129.17", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1"),
    ],
)
def test_a_public_address_is_not(address: str) -> None:
    assert is_public(address)


@pytest.mark.requirement("egress-addresses")
def test_addresses_of_this_machine_are_known() -> None:
    assert is_own("127.0.0.1")
    assert not is_own("203.0.113.1")
