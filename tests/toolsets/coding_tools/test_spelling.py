"""Files as JSON: always JSON, whatever their names, kinds and times."""

from __future__ import annotations

import json
from stat import S_IFLNK, S_IFREG

from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.paths import show_name
from redline.core.ports.tree import FactLists
from redline.toolsets.coding_tools.find import Files, modified

LETTERS = st.characters(exclude_characters="/\0", exclude_categories=["Cs"]) | st.sampled_from(
    ["\udc80", "\udcff", '"', "\\", "\n", "\x7f", "%", "{", "}"]
)
NAMES = st.text(LETTERS, min_size=1, max_size=9) | st.text("abc.", min_size=1)
MODES = st.sampled_from([S_IFREG | 0o644, S_IFREG | 0o755, S_IFLNK | 0o777])
SECONDS = st.sampled_from([0, -1, 1_700_000_000, 1_700_000_001, 2**40])
ROWS = st.lists(st.tuples(NAMES, MODES, st.integers(0, 2**63), SECONDS), min_size=1, max_size=6)


@settings(max_examples=300)
@given(prefix=st.just("") | NAMES.map(lambda name: name + "/"), rows=ROWS)
def test_what_is_spelled_is_read_back(prefix: str, rows: list[tuple[str, int, int, int]]) -> None:
    names, modes, sizes, seconds = (list(column) for column in zip(*rows, strict=True))
    encoded = Files().spell(prefix, FactLists(names, modes, sizes, seconds, [0] * len(names)))
    assert json.loads(f"[{encoded}]") == [
        {
            "path": show_name(prefix + name),
            "type": "symlink" if mode == S_IFLNK | 0o777 else "file",
            "size_bytes": size,
            "modified": modified(second * 1_000_000_000),
        }
        for name, mode, size, second in rows
    ]
