"""The chain of audit lines: whatever is done to a written line is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.adapters.audit_file import (
    START,
    link,
    open_audit_file,
    read_link,
    verify_audit_file,
    verify_chain,
)

TEXTS = st.text(max_size=20)


def chain(events: list[dict[str, str]]) -> list[bytes]:
    lines, before = [], START
    for event in events:
        line = link(before, event).rstrip(b"\n")
        lines.append(line)
        before = read_link(line) or ""
    return lines


@pytest.mark.requirement("people-audit-chain")
@given(st.lists(st.fixed_dictionaries({"kind": TEXTS, "who": TEXTS}), min_size=2), st.data())
def test_a_changed_removed_added_or_moved_line_is_found(
    events: list[dict[str, str]], data: st.DataObject
) -> None:
    lines = chain(events)
    assert verify_chain(lines).broken_at is None
    at = data.draw(st.integers(0, len(lines) - 2))
    how = data.draw(st.sampled_from(["change", "remove", "add", "swap"]))
    changed = list(lines)
    if how == "change":
        event = json.loads(changed[at])
        event["who"] += "x"
        changed[at] = json.dumps(event).encode()
    elif how == "remove":
        del changed[at]
    elif how == "add":
        changed.insert(at, changed[at])
    else:
        changed[at], changed[at + 1] = changed[at + 1], changed[at]
    assert verify_chain(changed).broken_at is not None


@pytest.mark.requirement("people-audit-chain")
def test_two_servers_on_one_file_and_a_crash_in_a_line_leave_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    first, second = open_audit_file(str(path)), open_audit_file(str(path))
    for number in range(5):
        (first if number % 2 else second)({"kind": "change", "number": number})
    assert verify_audit_file(str(path)).lines == 5
    assert verify_audit_file(str(path)).broken_at is None
    assert path.stat().st_mode & 0o777 == 0o600
    with path.open("ab") as file:
        file.write(b'{"kind": "half')
    first({"kind": "login"})
    found = verify_audit_file(str(path))
    assert (found.broken_at, found.reason) == (6, "it is not a whole line")
    assert read_link(path.read_bytes().splitlines()[-1]), "the line after it is whole"


@pytest.mark.requirement("people-audit-chain")
def test_a_log_that_was_cut_off_is_found_with_a_digest_kept_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write = open_audit_file(str(path))
    for number in range(3):
        write({"kind": "change", "number": number})
    last = verify_audit_file(str(path)).last
    write({"kind": "change", "number": 3})
    assert verify_audit_file(str(path), last).broken_at is None
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    assert verify_audit_file(str(path)).broken_at is None
    assert verify_audit_file(str(path), last).broken_at == 3
