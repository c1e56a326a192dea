"""Generative edits: the provider's one fenced block lands through the same engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.core.errors import Conflict, InvalidArgument, ProviderFailed
from redline.core.ports.models import Llm, LlmReply, LlmRequest
from redline.settings import Settings
from redline.toolsets.ai_code_editing.edit_file import edit_file
from redline.toolsets.ai_code_editing.tools import EDIT_FILE
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Client
from redline.wiring.workspace import Redline


class Scripted:
    """A provider that says what it was told to."""

    name = "scripted:1"

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[LlmRequest] = []

    def ask(self, request: LlmRequest) -> LlmReply:
        self.asked.append(request)
        return LlmReply(self.answer)


class _Never:
    def check(self) -> None: ...

    def on_cancel(self, action: Callable[[], None]) -> None: ...


class WithProvider(Redline):
    """A workspace with a scripted provider."""

    provider: Scripted

    @property
    def llm(self) -> Llm | None:  # type: ignore[override]
        return self.provider


@pytest.fixture
def redline(tmp_path: Path) -> Iterator[WithProvider]:
    root = tmp_path / "work"
    root.mkdir()
    (root / "a.py").write_text("def add(a, b):\n    return a + b\n")
    settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"))
    with WithProvider(settings) as redline:
        yield redline


def _edit(redline: Redline, **arguments: Any) -> Result:
    given = {"target_file": "a.py", **arguments}
    return edit_file(
        Call(EDIT_FILE, given, redline, Client(), _Never(), lambda *_: None)  # type: ignore[arg-type]
    )


def _text(redline: Redline) -> str:
    return (Path(redline.workspace.roots[0].path) / "a.py").read_text()


def test_the_block_is_inserted_where_the_instruction_says(redline: WithProvider) -> None:
    redline.provider = Scripted("```python\nLIMIT = 3\n```\n")
    _edit(redline, edit_instruction="Add a limit of 3 at the top")
    assert _text(redline) == "LIMIT = 3\ndef add(a, b):\n    return a + b\n"
    (asked,) = redline.provider.asked
    assert "Add a limit of 3" in asked.user
    assert "2:     return a + b" in asked.user


def test_the_block_replaces_the_lines_of_the_call(redline: WithProvider) -> None:
    redline.provider = Scripted("Here you go:\n```\n    return b + a\n```")
    _edit(redline, edit_instruction="swap the operands", start_line=2)
    assert _text(redline) == "def add(a, b):\n    return b + a\n"


def test_an_answer_without_a_block_is_refused(redline: WithProvider) -> None:
    redline.provider = Scripted("I cannot do that.")
    with pytest.raises(ProviderFailed):
        _edit(redline, edit_instruction="make it faster")
    assert _text(redline) == "def add(a, b):\n    return a + b\n"


def test_plain_orders_do_not_ask_the_provider(redline: WithProvider) -> None:
    redline.provider = Scripted("```\nnever\n```")
    _edit(redline, edit_instruction="rename add to plus")
    assert _text(redline) == "def plus(a, b):\n    return a + b\n"
    assert redline.provider.asked == []


def test_a_new_file_can_be_generated(redline: WithProvider) -> None:
    redline.provider = Scripted("```python\nx = 1\n```")
    _edit(
        redline, target_file="b.py", edit_instruction="Create a file b.py that sets x", create=True
    )
    assert (Path(redline.workspace.roots[0].path) / "b.py").read_text() == "x = 1\n"


def test_a_huge_file_that_changed_since_it_was_read_is_a_conflict(redline: WithProvider) -> None:
    path = Path(redline.workspace.roots[0].path) / "a.py"
    path.write_text("x = 1\n" * 800_000)
    place = redline.workspace.resolve("a.py", _access())
    redline.reads.note("stdio", place, path.read_bytes())
    path.write_text("y = 1\n" * 800_000)
    with pytest.raises(Conflict):
        _edit(redline, edit_instruction="change", start_line=2, code_block="z = 1")


def _access() -> Any:
    from redline.core.paths import Access

    return Access.READ


def test_half_a_surrogate_pair_is_refused(redline: WithProvider) -> None:
    redline.provider = Scripted("")
    with pytest.raises(InvalidArgument, match="surrogate"):
        _edit(redline, edit_instruction="add", code_block="x = '\ud800'")
