"""Which names a list of allowed domains lets through."""

from __future__ import annotations

import pytest

from redline.core.access.domains import MAX_DOMAINS, normalize_name, parse_domain, parse_domains


@pytest.mark.requirement("egress-names")
@pytest.mark.parametrize(
    ("allowed", "name", "port", "is_match"),
    [
        ("example.org", "example.org", 443, True),
        ("example.org", "example.org", 80, True),
        ("example.org", "EXAMPLE.org.", 443, True),
        ("Example.ORG.", "example.org", 443, True),
        ("example.org", "example.org", 22, False),
        ("example.org", "www.example.org", 443, False),
        ("example.org", "badexample.org", 443, False),
        ("example.org", "example.org.evil.test", 443, False),
        ("example.org:8443", "example.org", 8443, True),
        ("example.org:8443", "example.org", 443, False),
        ("*.example.org", "www.example.org", 443, True),
        ("*.example.org", "a.b.example.org", 443, True),
        ("*.example.org", "example.org", 443, False),
        ("*.example.org", "badexample.org", 443, False),
        ("*.example.org:8443", "www.example.org", 8443, True),
        ("bücher.example", "xn--bcher-kva.example", 443, True),
        ("xn--bcher-kva.example", "BÜCHER.example", 443, True),
        ("192.0.2.1", "192.0.2.1", 443, True),
        ("[2001:DB8::1]", "2001:db8:0:0::1", 443, True),
        ("[2001:db8::1]:8443", "2001:db8::1", 8443, True),
    ],
)
def test_a_name_is_compared_exactly_in_one_form(
    allowed: str, name: str, port: int, is_match: bool
) -> None:
    assert parse_domain(allowed).matches(normalize_name(name), port) is is_match


@pytest.mark.requirement("egress-names")
@pytest.mark.parametrize(
    "text",
    [
        *("", "*", "*.", "*.org", "a.*.org", "**.example.org", "http://example.org", "a b.org"),
        *("example.org:0", "example.org:65536", "example.org:x", "example.org:", "-a.org", "a..b"),
        *("127.1", "0x7f000001", "2130706433", "*.0.0.1", "[::1", "[example.org]", "fe80::1"),
        *("a" * 64 + ".org", "a." * 127 + "org", "exa\nmple.org", "*.192.0.2.1"),
    ],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_domain(text)


def test_a_list_has_a_limit() -> None:
    names = [f"a{number}.example" for number in range(MAX_DOMAINS + 1)]
    assert len(parse_domains(names[1:])) == MAX_DOMAINS
    with pytest.raises(ValueError, match="at most"):
        parse_domains(names)


def test_a_list_keeps_its_order_and_each_name_once() -> None:
    given = ["b.example", "A.example", "a.example.", "*.c.example:81"]
    assert [str(each) for each in parse_domains(given)] == [
        "b.example",
        "a.example",
        "*.c.example:81",
    ]
