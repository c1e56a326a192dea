"""Which addresses the proxy dials: public or private ones that are not this machine's own."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

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
    """Whether the address is one of the public internet and no other."""
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
    """Whether the address belongs to this machine, where its own services listen."""
    family = socket.AF_INET6 if isinstance(ip_address(text), IPv6Address) else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.connect((text, 9))  # sends nothing; only chooses the source address
            return ip_address(one.getsockname()[0]) == ip_address(text)
    except OSError:
        return False  # there is no way there at all
