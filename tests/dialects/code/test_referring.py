"""Answers about references leave nothing behind."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from redline.app import Redline
from redline.code.scopes import Binding, Names, Occurrence, Scope
from redline.dialects.code.context import get_code_context
from redline.dialects.code.dialect import GET_CODE_CONTEXT
from redline.dialects.tool import Call, Client
from redline.settings import Settings

SOURCES = {
    "shop.py": "class Shop:\n    def price(self):\n        return self.price\n\nShop().price()\n",
    "shop.ts": "class Shop {\n  price() {\n    return this.price\n  }\n}\nnew Shop().price()",
}
READ = (Names, Scope, Binding, Occurrence)


class Never:
    """Nobody cancels."""

    def check(self) -> None:
        """Go on."""

    def on_cancel(self, action: object) -> None:
        """Never."""


@pytest.mark.parametrize("name", SOURCES)
def test_what_was_read_for_references_is_free_as_soon_as_they_are_told(
    name: str, tmp_path: Path
) -> None:
    """Garbage in circles would wait for a later answer, which then takes ten times as long."""
    work = tmp_path / "work"
    work.mkdir()
    (work / name).write_text(SOURCES[name])
    with Redline(Settings(workspace=str(work), state_dir=str(tmp_path / "state"))) as redline:
        given = {"symbol": "price", "kind": "references"}
        call = Call(GET_CODE_CONTEXT, given, redline, Client(), Never(), lambda *_: None)
        gc.collect()
        gc.disable()
        try:
            told = get_code_context(call)
            left = [item for item in gc.get_objects() if isinstance(item, READ)]
        finally:
            gc.enable()
    assert "2 bound" in str(told.structured)
    assert left == []
