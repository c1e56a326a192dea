"""A late regular expression does what a compiled one does."""

from __future__ import annotations

import re
from unittest import mock

from redline.core.late_regex import late_regex


def test_it_is_compiled_once_at_its_first_use() -> None:
    with mock.patch("redline.core.late_regex.re.compile", wraps=re.compile) as compiled:
        found = late_regex(r"(\d+)x", re.IGNORECASE)
        assert compiled.call_count == 0
        assert [m[1] for m in found.finditer("1x 22X")] == ["1", "22"]
        assert found.sub("-", "1x 2") == "- 2"
        assert found.pattern == r"(\d+)x"
        assert found.search("none") is None
        assert compiled.call_count == 1
    assert late_regex(rb"a|b").findall(b"abc") == [b"a", b"b"]
