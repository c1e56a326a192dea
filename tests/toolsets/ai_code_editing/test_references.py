"""Answers about references leave nothing behind."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from redline.app import Redline
from redline.code.c.chunks import Part, Sheet
from redline.code.c.declared import Declared
from redline.code.go.names import Declared as DeclaredInGo
from redline.code.go.sources import Source
from redline.code.scopes.model import Binding, Names, Occurrence, Scope
from redline.core.paths import WorkspacePath
from redline.settings import Settings
from redline.toolsets.ai_code_editing.context.asked import Chosen
from redline.toolsets.ai_code_editing.context.handler import get_code_context
from redline.toolsets.ai_code_editing.context.lookup import Lookup
from redline.toolsets.ai_code_editing.context.references import Finder
from redline.toolsets.ai_code_editing.tools import GET_CODE_CONTEXT
from redline.toolsets.tool import Call, Client

SOURCES = {
    "shop.py": "class Shop:\n    def price(self):\n        return self.price\n\nShop().price()\n",
    "shop.ts": "class Shop {\n  price() {\n    return this.price\n  }\n}\nnew Shop().price()",
    "shop.c": "static int price(int n) { return n; }\nint a = price(1);\nint b = price(2);\n",
    "shop.go": "package a\n\nfunc price() int { return 1 }\n\nvar b = price()\nvar c = price()\n",
}
READ = (Names, Scope, Binding, Occurrence, Sheet, Part, Declared, Source, DeclaredInGo)


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


def _references(tmp_path: Path, files: dict[str, str], name: str, **asked: object) -> list[str]:
    """Files and lines of the snippets that are bound, in order."""
    work = tmp_path / "work"
    for path, text in files.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    with Redline(Settings(workspace=str(work), state_dir=str(tmp_path / "state"))) as redline:
        given = {"symbol": name, "kind": "references", **asked}
        call = Call(GET_CODE_CONTEXT, given, redline, Client(), Never(), lambda *_: None)
        told = get_code_context(call).structured
    assert told is not None
    sure = [found for found in told["snippets"] if found["certainty"] == "bound"]
    return [f"{found['path']}:{found['start_line']}" for found in sure]


def test_what_is_passed_on_from_module_to_module_is_followed(tmp_path: Path) -> None:
    files = {
        "lib/builder/make.js": "function make() {}\n\n\n\n\nmodule.exports = make\n",
        "lib/index.js": "const Made = require('./builder/make')\n\nmodule.exports = Made\n",
        "main.js": "module.exports = require('./lib')\n",
        "use/all.js": "const Knit = require('../main')\n\n\n\n\n\nKnit()\n",
    }
    assert set(_references(tmp_path, files, "make")) == {
        *("lib/builder/make.js:4", "lib/index.js:1", "use/all.js:1", "use/all.js:5"),
    }


def test_files_that_import_the_definition_are_read_first(tmp_path: Path) -> None:
    """Enough for three files: those are not the ones that merely spell the name."""
    noise = {f"a{n}.py": f"def f{n}(x):\n    return x.price\n" + "#" * 900 for n in range(60)}
    files = {
        "shop.py": "class Shop:\n    def price(self):\n        return 1\n",
        "z/use.py": "from shop import Shop\n\nShop().price()\n",
        **noise,
    }
    assert _references(tmp_path, files, "price", max_tokens=500) == ["z/use.py:1"]


def test_what_a_file_of_c_has_to_itself_is_not_looked_for_elsewhere(tmp_path: Path) -> None:
    files = {
        "a/one.c": "static int pick(int n) { return n; }\n\nint f(void) { return pick(1); }\n",
        "b/two.c": "int g(int pick) { return pick; }\n",
        "b/two.h": "int pick(int);\n",
    }

    found = _references(tmp_path, files, "pick", file="a/one.c")

    assert [place.split(":")[0] for place in found] == ["a/one.c"]


def test_go_answers_by_package_and_type_through_the_index(tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.com/shop\n",
        "item/item.go": "package item\n\ntype Item struct{}\n\nfunc (i *Item) Price() {}\n",
        "other/other.go": "package other\n\ntype T struct{}\n\nfunc (t T) Price() {}\n",
        "main.go": (
            'package main\n\nimport (\n\t"example.com/shop/item"\n\t"example.com/shop/other"\n)\n\n'
            "func f(i *item.Item, t other.T) {\n\ti.Price()\n\tt.Price()\n}\n"
        ),
    }
    assert _references(tmp_path, files, "Item.Price") == ["main.go:7"]  # two lines above it


def test_half_an_index_tells_no_types_apart(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.go").write_text("package a\n\nfunc price() {}\n\nfunc f() { price() }\n")
    with Redline(Settings(workspace=str(work), state_dir=str(tmp_path / "state"))) as redline:
        call = Call(GET_CODE_CONTEXT, {}, redline, Client(), Never(), lambda *_: None)
        lookup = Lookup(call)
        chosen = [Chosen(WorkspacePath(0, ("a.go",)), 3)]
        for state, certainty in (("building", "possible"), ("ready", "bound")):
            lookup.state = state
            (used,) = Finder(lookup, "price", chosen, 100_000).find()
            assert [(r.line, r.certainty) for r in used.references] == [(5, certainty)]


def test_what_other_packages_of_go_cannot_see_is_not_even_possible_there(tmp_path: Path) -> None:
    work = tmp_path / "work"
    for name in ("a", "b"):
        (work / name).mkdir(parents=True)
        text = f"package {name}\n\ntype T struct{{ err int }}\n\nfunc f(t T) {{ _ = t.err }}\n"
        (work / name / "t.go").write_text(text)
    with Redline(Settings(workspace=str(work), state_dir=str(tmp_path / "state"))) as redline:
        call = Call(GET_CODE_CONTEXT, {}, redline, Client(), Never(), lambda *_: None)
        chosen = [Chosen(WorkspacePath(0, ("a", "t.go")), 3)]
        # So little may be read that other files go by name.
        found = list(Finder(Lookup(call), "err", chosen, 60).find())
    assert [used.path.relative for used in found] == ["a/t.go"]
