"""Which host names a command may reach, as people write them: `NAME`, `*.NAME`, `NAME:PORT`.

`NAME=private` lets that one host have an address of a private network, such as a company mirror.

A name is compared exactly, letter case and a final dot aside, in its ASCII form. `*.NAME` is every
name beneath NAME, not NAME itself. Without a port, 80 and 443 are meant.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from redline.core.records import dataclass

DEFAULT_PORTS = (443, 80)
MAX_DOMAINS = 200
_MAX_NAME = 253
_PRIVATE = "=private"
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_NUMERIC = re.compile(r"(\d+|0x[0-9a-f]*)\Z")


@dataclass(frozen=True, slots=True)
class Domain:
    """One allowed name; *port* None means the default ports.

    With *may_be_private* its addresses may be those of a private network.
    """

    name: str
    is_wildcard: bool = False
    port: int | None = None
    may_be_private: bool = False

    def matches(self, name: str, port: int) -> bool:
        """Return whether the normalized *name* may be reached at *port*."""
        is_port = port in DEFAULT_PORTS if self.port is None else port == self.port
        is_name = name.endswith(f".{self.name}") if self.is_wildcard else name == self.name
        return is_port and is_name

    def __str__(self) -> str:
        target = ("*." if self.is_wildcard else "") + format_target(self.name, self.port)
        return target + (_PRIVATE if self.may_be_private else "")


def parse_domain(text: str) -> Domain:
    """Read one allowed name; ValueError says what is wrong with it."""
    target = text.strip()
    may_be_private = target.endswith(_PRIVATE)
    host, port = split_port(target.removesuffix(_PRIVATE))
    if may_be_private and host.startswith("*"):
        raise ValueError(f"a private host is named without a wildcard, got {text}")
    if host == "*" or (host.startswith("*.") and "." not in host[2:].rstrip(".")):
        raise ValueError(f"a wildcard needs a name of two parts, as *.example.org, got {text}")
    is_wildcard = host.startswith("*.")
    name = normalize_name(host[2:] if is_wildcard else host)
    if is_wildcard and is_address(name):
        raise ValueError(f"an address has no wildcard, got {text}")
    return Domain(name, is_wildcard, port, may_be_private)


def parse_domains(texts: Iterable[str]) -> tuple[Domain, ...]:
    """Read several allowed names, each once, in their order; ValueError."""
    found = tuple(dict.fromkeys(parse_domain(text) for text in texts))
    if len(found) > MAX_DOMAINS:
        raise ValueError(f"at most {MAX_DOMAINS} names can be allowed, got {len(found)}")
    return found


def split_port(text: str) -> tuple[str, int | None]:
    """Split `HOST`, `HOST:PORT`, `[V6]` or `[V6]:PORT`; ValueError if it is none of these."""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or ":" not in host or (rest and not rest.startswith(":")):
            raise ValueError(f"not a host: {text}")
        return host, _parse_port(rest[1:], text) if rest else None
    host, colon, port = text.partition(":")
    return host, _parse_port(port, text) if colon else None


def _parse_port(text: str, whole: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 0 < int(text) < 65536:
        raise ValueError(f"not a port: {whole}")
    return int(text)


def normalize_name(host: str) -> str:
    """The one form in which names are compared; ValueError for text that is not a host name."""
    if ":" in host:
        return str(ipaddress.IPv6Address(host))  # with a zone it equals no listed one
    if len(host) > _MAX_NAME + 1:
        raise ValueError("a host name has at most 253 characters")
    name = host.lower().removesuffix(".")
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii").lower()
        except UnicodeError:
            raise ValueError(f"not a host name: {host}") from None
    labels = name.split(".")
    if len(name) > _MAX_NAME or not all(_LABEL.match(label) for label in labels):
        raise ValueError(f"not a host name: {host}")
    if _NUMERIC.match(labels[-1]):
        return str(ipaddress.IPv4Address(name))  # never a short or hexadecimal form
    return name


def is_address(name: str) -> bool:
    """Return whether a normalized name is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def format_target(name: str, port: int | None) -> str:
    """A host and port as `--allow-domain` takes them; None and default ports are left out."""
    host = f"[{name}]" if ":" in name else name
    return host if port is None else f"{host}:{port}"
