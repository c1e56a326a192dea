"""The flags of a server over stdio, read without argparse, beside argparse."""

from __future__ import annotations

import argparse
import contextlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.cli.commands.server.serve import read_plainly
from redline.cli.parser import build_parser, flags_of

_PARSER = build_parser("serve")
_FLAGS = sorted(set(flags_of(_PARSER, "serve")) - {"-h", "--help", "--version"})
_VALUES = ["", "x", "-", "-x", "--", "a b", "-a b", "1", "-1", "agent,files", "/tmp", "safe", "é"]
_words = st.sampled_from(
    [*_FLAGS, *(flag[:-1] for flag in _FLAGS), *(f"{flag}=x" for flag in _FLAGS)]
)
_lines = st.lists(st.tuples(_words, st.lists(st.sampled_from(_VALUES), max_size=1)), max_size=5)


def _parse(line: list[str]) -> argparse.Namespace | None:
    """What argparse reads; None where it refuses the line."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            parsed, unknown = _PARSER.parse_known_args(["serve", *line])
    except SystemExit:
        return None
    return None if unknown else parsed


@pytest.mark.requirement("server-cold-start")
@given(_lines)
def test_what_is_read_plainly_is_what_argparse_reads(parts: list[tuple[str, list[str]]]) -> None:
    line = ["--stdio", *(word for flag, values in parts for word in (flag, *values))]
    plain = read_plainly(line)
    if plain is None:
        return
    parsed = _parse(line)
    assert parsed is not None, "argparse refuses it"
    read = vars(plain)
    for name, value in vars(parsed).items():
        if name in read:
            assert read[name] == value, name
        elif name not in ("command", "mcp_server"):  # which nothing reads
            assert value is None, name
    assert set(read) <= set(vars(parsed))


@pytest.mark.requirement("server-cold-start")
@pytest.mark.parametrize(
    "line",
    [
        ["--stdio"],
        ["--stdio", "--workspace", "/a b"],
        ["--workspace", "/a", "--stdio", "--tools", "agent", "--read-only", "--no-record"],
        ["--stdio", "--state-dir", "/s", "--config", "/c", "--sandbox", "trusted", "--check"],
    ],
    ids=" ".join,
)
def test_the_lines_that_clients_have_are_read_plainly(line: list[str]) -> None:
    assert read_plainly(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["--http", "127.0.0.1:1"],
        ["--stdio", "--help"],
        ["--stdio", "--work", "a"],
        ["--stdio", "--workspace=a"],
        ["--stdio", "--workspace"],
        ["--stdio", "-w", "a", "-w", "b"],
        ["--stdio", "--workspace", "a", "--workspace", "b"],
        ["--stdio", "--allow-read", "a"],
        ["--stdio", "file"],
    ],
    ids=" ".join,
)
def test_everything_else_is_left_to_argparse(line: list[str]) -> None:
    assert read_plainly(line) is None
