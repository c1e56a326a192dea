"""Any edit of any format, through the real engine, is undone to the byte."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.changes import FileState
from redline.core.errors import CannotApply
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.documents.editing import DocEdit, Options, apply_edits, change_of
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.documents.writers import paths_of, random_data, write


@pytest.mark.requirement("yaml-undo")
@pytest.mark.parametrize("form", ["yaml", "json", "jsonc", "json5", "toml"])
@settings(max_examples=10)
@given(st.integers(0, 2**32))
def test_set_then_undo_is_byte_identical(form: str, seed: int) -> None:
    rng = random.Random(seed)
    data = random_data(rng)
    source = write(form, data, rng)
    path = rng.choice([p for p in paths_of(data) if p])
    try:
        after = apply_edits("x", source, [DocEdit("set", path, "[1]")], Options(form)).after
    except CannotApply:
        assert form == "toml"
        return
    with tempfile.TemporaryDirectory() as home:
        root = Path(home) / "ws"
        root.mkdir()
        file = root / "document"
        file.write_bytes(source)
        with Redline(Settings(workspace=str(root), state_dir=f"{home}/state")) as redline:
            place = redline.workspace.resolve("document", Access.WRITE)
            state = redline.tree.state(place)
            assert isinstance(state, FileState)
            redline.editor.commit(change_of(place, state, after), Origin("doc_set"))
            assert file.read_bytes() == after
            redline.editor.undo(None, Origin("undo_change"))
            assert file.read_bytes() == source
