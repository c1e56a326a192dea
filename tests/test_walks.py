"""How far it is from the bytes of a call to the disk: modules, own calls, frames.

The counts of a warm call depend on no clock. They are ceilings: who raises one says in
`docs/decisions.md` what users get for it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.walks import WALKS, take

# The modules that a call enters, and the calls of own functions.
CEILINGS = {
    "edit": (60, 485),
    "agent edit": (84, 980),
    "preview": (48, 3_200),
    "apply": (72, 1_090),
    "run": (80, 840),
    "undo": (75, 1_480),
    "context": (56, 350),
}
MAX_FRAMES_TO_FIND = 12


@pytest.mark.requirement("server-walks")
@pytest.mark.parametrize("name", WALKS)
def test_a_call_enters_no_more_modules_and_functions_than_it_did(name: str, tmp_path: Path) -> None:
    walk = take(name, tmp_path)
    modules, calls = CEILINGS[name]
    assert len(walk.modules) <= modules, sorted(walk.modules)
    assert len(walk.calls) <= calls


@pytest.mark.requirement("server-walks")
def test_few_functions_lie_between_the_handler_of_an_edit_and_the_search(tmp_path: Path) -> None:
    walk = take("edit", tmp_path)
    assert 0 < walk.frames_to_find <= MAX_FRAMES_TO_FIND


def test_a_walk_counts_what_is_called(tmp_path: Path) -> None:
    walk = take("edit", tmp_path)
    assert "toolsets.files.edit:edit_file" in walk.calls
    assert "plan.match.engine" in walk.modules
    assert walk.calls.count("engine.editor:JournalEditor.commit") == 1
