"""Whatever is edited: the preview is the truth, and only what was quoted changes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from redline.core.errors import InvalidArgument, RedlineError
from redline.settings import Settings
from redline.toolsets.call import Call, Result
from redline.toolsets.files.tools import TOOLS
from redline.toolsets.tool import Client, load_function
from redline.wiring.workspace import Redline
from tests.support import LONG

BY_NAME = {tool.name: tool for tool in TOOLS}
QUIET = [HealthCheck.function_scoped_fixture]


class Patient:
    """Never cancels."""

    def check(self) -> None: ...

    def on_cancel(self, action: Callable[[], None]) -> None: ...


class Bench:
    """The tools, called in this process."""

    def __init__(self, base: Path) -> None:
        self.root = base / "ws"
        self.root.mkdir()
        self.app = Redline(Settings(workspace=str(self.root), state_dir=str(base / "state")))

    def call(self, name: str, **arguments: Any) -> Result:
        tool = BY_NAME[name]
        call = Call(tool, arguments, self.app, Client(), Patient(), lambda *_: None)
        return load_function(tool.handler)(call)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("edits").resolve())
    yield made
    made.app.close()


LINES = st.lists(
    st.sampled_from(["a", "b", "  a", "\tb", "", "c  ", "“q”", '"q"', "é", "a\rb", "x\x0cy"]),
    min_size=1,
    max_size=12,
)
TEXTS = st.builds(
    lambda lines, end, last: end.join(lines) + (end if last else ""),
    LINES,
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
EDITS = st.lists(
    st.fixed_dictionaries(
        {
            "oldText": st.sampled_from(
                ["a", "b", "a\nb", "  a\n", "^(.*)$", "\\s+", "q", '"q"', "z*"]
            ),
            "newText": st.sampled_from(["", "A", "x\ny", "$&", "<\\0>", "one\ntwo\n", "“n”"]),
            "limit": st.sampled_from([0, 1, 2]),
            "isRegex": st.booleans(),
            "caseInsensitive": st.booleans(),
        }
    ),
    min_size=1,
    max_size=2,
)


@settings(max_examples=400 if LONG else 60, suppress_health_check=QUIET)
@given(text=TEXTS, edits=EDITS)
def test_the_diff_of_a_dry_run_is_what_the_real_run_writes(
    bench: Bench, text: str, edits: list[dict[str, Any]]
) -> None:
    path = bench.root / "f"
    before = text.encode()
    path.write_bytes(before)
    try:
        diff = bench.call("edit_file", path=str(path), edits=edits, dryRun=True).content[0]["text"]
    except RedlineError as refusal:
        with pytest.raises(type(refusal)):
            bench.call("edit_file", path=str(path), edits=edits)
        assert path.read_bytes() == before
        return
    assert path.read_bytes() == before
    bench.call("edit_file", path=str(path), edits=edits)
    after = path.read_bytes()
    if diff == "(no changes)":
        assert after == before
        return
    # git takes a patch to an empty file only as a creation or a deletion.
    assume(before and after)
    path.write_bytes(before)
    subprocess.run(
        ["git", "apply", "--unsafe-paths", f"-p{len(path.parts) - 1}"],
        input=diff.encode(),
        cwd=bench.root,
        check=True,
        capture_output=True,
    )
    assert path.read_bytes() == after


@settings(max_examples=300 if LONG else 60, suppress_health_check=QUIET)
@given(
    head=st.binary(max_size=40).filter(lambda b: b"\0" not in b and b"@" not in b),
    tail=st.binary(max_size=40).filter(lambda b: b"\0" not in b and b"@" not in b),
    new=st.text("ab $\\&1é", max_size=8),
)
def test_bytes_around_the_quoted_text_never_change(
    bench: Bench, head: bytes, tail: bytes, new: str
) -> None:
    path = bench.root / "g"
    before = head + b"@mark@" + tail
    path.write_bytes(before)
    edits = [{"oldText": "@mark@", "newText": new}]
    if _spells_unlike(before, new):
        try:
            bench.call("edit_file", path=str(path), edits=edits)
        except InvalidArgument:
            assert path.read_bytes() == before
            return
        after = path.read_bytes()  # written in the encoding that the file is certain to have
        assert after.startswith(head)
        assert after.endswith(tail)
        assert len(after) == len(head) + len(new) + len(tail)
        return
    bench.call("edit_file", path=str(path), edits=edits)
    assert path.read_bytes() == head + new.encode() + tail


def _spells_unlike(content: bytes, new: str) -> bool:
    """Whether *new* would bring UTF-8 into a file that is not."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return "é" in new and "é" not in content.decode("utf-8", "surrogateescape")
    return False
