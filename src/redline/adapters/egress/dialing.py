"""Connections to allowed names: the address that is checked is the address that is dialled."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from redline.core.access.domains import DEFAULT_PORTS, Domain, format_target, is_address

# The last is a public number, but a cloud's metadata service is behind it.
_IPV4_REFUSED = [
    ip_network(network)
    for network in """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
    """.split()
]
_PRIVATE = [
    ip_network(network)
    for network in ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
]
# All of IPv6 that is routed; mapped, translated, local and multicast addresses lie outside.
_IPV6_PUBLIC = ip_network("2000::/3")
# Tunnels that carry an IPv4 address inside, and documentation.
_IPV6_REFUSED = [
    ip_network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
]


def is_public(text: str) -> bool:
    """Return whether the address is one of the public internet and no other."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _IPV4_REFUSED)
    is_refused = any(address in network for network in _IPV6_REFUSED)
    return address in _IPV6_PUBLIC and address.scope_id is None and not is_refused


def is_private(text: str) -> bool:
    """Whether the address is one of a private network: not loopback, link-local or metadata."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return False
    return any(address in network for network in _PRIVATE)


def is_own(text: str) -> bool:
    """Return whether the address belongs to this machine, where its own services listen."""
    family = socket.AF_INET6 if isinstance(ip_address(text), IPv6Address) else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.connect((text, 9))  # sends nothing; only chooses the source address
            return ip_address(one.getsockname()[0]) == ip_address(text)
    except OSError:
        return False  # there is no way there at all


MAX_ADDRESSES = 4
LOOKUP_SECONDS = 15.0
CONNECT_SECONDS = 10.0
Lookup = Callable[[str, int], Awaitable[Sequence[str]]]
Connect = Callable[[str, int], Awaitable[socket.socket]]
MayDial = Callable[[str, int], bool]


class DialRefused(Exception):
    """A target the proxy does not connect to; its text says how a person allows it."""


class Unreachable(Exception):
    """An allowed target that could not be reached."""


def refuse(name: str, port: int, why: str = "") -> DialRefused:
    """Return the refusal of a target, in words for a person and for an agent."""
    target = format_target(name, None if port in DEFAULT_PORTS else port)
    why = why or f"to allow it, start Redline with --allow-domain {target}"
    return DialRefused(f"The proxy refused {target}: {why}")


def is_outside(address: str, _port: int) -> bool:
    """Return whether the address is public and not this machine's."""
    return is_public(address) and not is_own(address)


async def look_up(name: str, port: int) -> Sequence[str]:
    """Return the addresses of a name; the final dot keeps search domains out of it."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(f"{name}.".encode(), port, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def connect(address: str, port: int) -> socket.socket:
    """Return a TCP connection to a numeric address; OSError."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, (address, port))
    except BaseException:
        made.close()
        raise
    return made


class Dialer:
    """Connects to allowed names. A name that is not allowed is not even looked up."""

    def __init__(
        self,
        domains: Sequence[Domain],
        *,
        lookup: Lookup = look_up,
        may_dial: MayDial = is_outside,
        connect: Connect = connect,
    ) -> None:
        self._domains = domains
        self._look_up = lookup
        self._may_dial = may_dial
        self._connect = connect

    async def dial(self, name: str, port: int) -> socket.socket:
        """Return a connection to the normalized *name*; DialRefused, Unreachable."""
        is_literal = is_address(name)
        allowed = [domain for domain in self._domains if domain.matches(name, port)]
        may_be_private = any(domain.may_be_private for domain in allowed)
        if is_literal and not self._may_reach(name, port, may_be_private):
            raise refuse(name, port, "it is not a public address")
        if not allowed:
            raise refuse(name, port)
        found = [name] if is_literal else await self._find(name, port)
        checked = [each for each in found if self._may_reach(each, port, may_be_private)]
        if not checked:
            raise refuse(name, port, _explain_address(allowed[0], found))
        for address in checked[:MAX_ADDRESSES]:
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await self._connect(address, port)
            except OSError:  # a time-out is one, too
                continue
        raise Unreachable(f"{name} does not answer at port {port}")

    def _may_reach(self, address: str, port: int, may_be_private: bool) -> bool:
        if self._may_dial(address, port):
            return True
        return may_be_private and is_private(address) and not is_own(address)

    async def _find(self, name: str, port: int) -> Sequence[str]:
        try:
            async with asyncio.timeout(LOOKUP_SECONDS):
                found = await self._look_up(name, port)
        except TimeoutError:
            found = ()
        if not found:
            raise Unreachable(f"{name} has no address")
        return found


def _explain_address(domain: Domain, found: Sequence[str]) -> str:
    """Say why none of the addresses *found* is dialled, and what allows a private one."""
    said = "it has no public address"
    if domain.is_wildcard or domain.may_be_private or not any(map(is_private, found)):
        return said
    return f"{said}; for a private one, start Redline with --allow-domain {domain}=private"
