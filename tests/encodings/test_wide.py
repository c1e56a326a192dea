"""Whether the beginning of a file can be UTF-16 or UTF-32 is judged without the rest of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.encodings.wide import SAMPLE, marked_encoding, may_be_wide, unmarked_encoding

pytestmark = pytest.mark.requirement("encodings-search")

ENCODINGS = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
WORDS = st.sampled_from(
    ["plain words, ", "\u0442\u0435\u043a\u0441\u0442. ", "\u6587\u5b57\u3002", "\U0001f600 "]
)
TEXTS = st.tuples(st.lists(WORDS, min_size=1, max_size=6), st.integers(1, 900)).map(
    lambda parts: "".join(parts[0]) * parts[1]
)
CONTENTS = st.one_of(
    st.binary(max_size=80),
    st.builds(
        lambda text, encoding, mark, end: mark + text.encode(encoding) + end,
        TEXTS,
        st.sampled_from(ENCODINGS),
        st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff"]),
        st.sampled_from([b"", b"\0", b"\xd8\0", b"\0\xd8"]),
    ),
)


@given(CONTENTS)
def test_no_file_that_is_such_text_begins_otherwise(raw: bytes) -> None:
    is_wide = (marked_encoding(raw) or unmarked_encoding(raw)) is not None
    assert may_be_wide(raw[:SAMPLE]) or not is_wide
    assert may_be_wide(raw) == may_be_wide(raw[:SAMPLE])


def test_what_programs_are_built_of_does_not_begin_so() -> None:
    with open(sys.executable, "rb") as file:
        assert not may_be_wide(file.read(SAMPLE))


def test_judging_imports_nothing() -> None:
    """The thread that does it may read nothing but the workspace."""
    code = (
        "import sys\n"
        "from redline.core.encodings.wide import may_be_wide\n"
        "before = set(sys.modules)\n"
        "for raw in (b'a\\0b\\0', b'\\0a' * 40, b'a\\0\\0\\0' * 40, b'\\0x\\xff'):\n"
        "    may_be_wide(raw)\n"
        "assert set(sys.modules) == before\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
