"""Patches that we write, judged by `git apply`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.changes import ABSENT, Change, DirState, FileState, LinkState, Rename, State
from redline.core.errors import CannotApply
from redline.core.paths import WorkspacePath
from redline.plan.patch.git_format import NamedState, write_change, write_rename
from redline.services.history.export import net_changes

pytestmark = pytest.mark.requirement("history-patch-bytes")

NAMES = (
    "plain",
    "two words",
    " led",
    "trailed ",
    'quo"te',
    "back\\slash",
    "tab\there",
    "é",
    "\udcff",
)
LINES = st.sampled_from(
    [
        b"one\n",
        b"two\n",
        b"\n",
        b"caf\xe9\n",
        "thé\n".encode(),
        b"crlf\r\n",
        b"a\rb\n",
        b"-- x\n",
        b"\x0c",
    ]
)
TEXTS = st.lists(LINES, max_size=9).map(b"".join)
ENDS = st.sampled_from([b"", b"end without newline", b"\xff\xfe", b"\0binary\0"])
CONTENTS = st.builds(bytes.__add__, TEXTS, ENDS)
FILES = st.builds(FileState.of, CONTENTS, st.sampled_from([0o644, 0o755, 0o600]))
LINKS = st.sampled_from(["there", "é", "a b"]).map(LinkState)
STATES = st.one_of(FILES, LINKS, st.just(ABSENT))
# What a step does: give one name a state, or give the content of one name to another.
STEPS = st.one_of(
    st.tuples(st.sampled_from(NAMES), STATES),
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)),
)


def _put(root: bytes, name: str, state: State) -> None:
    path = os.path.join(root, os.fsencode(name))
    if isinstance(state, LinkState):
        os.symlink(os.fsencode(state.target), path)
    elif isinstance(state, FileState):
        with open(path, "wb") as file:
            file.write(state.content or b"")
        os.chmod(path, state.mode or 0o644)


def _look(root: bytes) -> dict[str, tuple[str, bytes]]:
    """Each file: link, executable or plain, and its content."""
    found = {}
    for name in os.listdir(root):
        path = os.path.join(root, name)
        if os.path.islink(path):
            found[os.fsdecode(name)] = ("link", os.readlink(path))
        elif os.path.isfile(path):
            kind = "executable" if os.stat(path).st_mode & 0o100 else "plain"
            found[os.fsdecode(name)] = (kind, Path(os.fsdecode(path)).read_bytes())
    return found


def _apply(root: bytes, patch: bytes) -> None:
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        input=patch,
        cwd=root,
        check=True,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(os.fsdecode(root))},
    )


def _steps(
    before: dict[str, State], wishes: list[tuple[str, State | str]]
) -> list[Change | Rename]:
    """What of *wishes* can be done, one after the other; *before* becomes what they lead to."""
    steps: list[Change | Rename] = []
    for name, wish in wishes:
        was = before.get(name, ABSENT)
        if not isinstance(wish, str):
            steps.append(Change(_path(name), was, wish))
            before[name] = wish
        elif was != ABSENT and before.get(wish, ABSENT) == ABSENT:
            steps.append(Rename(_path(name), _path(wish)))
            before[name], before[wish] = ABSENT, was
    return steps


def _path(name: str) -> WorkspacePath:
    return WorkspacePath(0, (name,))


def _patch(steps: list[Change | Rename]) -> bytes:
    pieces = []
    for change in net_changes(steps, lambda _: ()):
        source, target = change.source.name, change.target.name
        if change.before is None or change.after is None:
            pieces.append(write_rename(source, target) if source != target else b"")
        else:
            pieces.append(
                write_change(NamedState(source, change.before), NamedState(target, change.after))
            )
    return b"".join(pieces)


@given(
    st.dictionaries(st.sampled_from(NAMES), st.one_of(FILES, LINKS)), st.lists(STEPS, max_size=6)
)
def test_git_makes_of_a_patch_what_the_changes_did(
    before: dict[str, State], wishes: list[tuple[str, State | str]]
) -> None:
    after = dict(before)
    patch = _patch(_steps(after, wishes))
    with tempfile.TemporaryDirectory() as made:
        there, wanted = (os.path.join(os.fsencode(made), each) for each in (b"there", b"wanted"))
        for root, files in ((there, before), (wanted, after)):
            os.mkdir(root)
            for name, state in files.items():
                _put(root, name, state)
        if patch:
            _apply(there, patch)
        assert _look(there) == _look(wanted)


def test_a_directory_is_nothing_to_git_and_an_unknown_content_is_refused() -> None:
    assert write_change(NamedState("a", ABSENT), NamedState("a", DirState())) == b""
    unknown = NamedState("a", FileState("0" * 64, 5))
    with pytest.raises(CannotApply, match="does not keep the content of this file: a"):
        write_change(unknown, NamedState("a", ABSENT))


def test_a_mode_that_is_not_said_stays() -> None:
    before, after = FileState.of(b"1\n", 0o755), FileState.of(b"2\n")
    patch = write_change(NamedState("a", before), NamedState("a", after))
    assert b" 100755\n" in patch
    assert b"mode " not in patch
