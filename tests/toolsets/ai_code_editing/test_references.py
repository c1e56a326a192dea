"""Answers about references leave nothing behind."""

from __future__ import annotations

from pathlib import Path

from redline.core.call_scope import UNCANCELLABLE
from redline.core.paths import WorkspacePath
from redline.services.code.lookup import CodeLookup
from redline.services.code.reference_query import Chosen
from redline.services.code.references import Finder
from redline.settings import Settings
from redline.toolsets.ai_code_editing.context import get_code_context
from redline.toolsets.ai_code_editing.tools import GET_CODE_CONTEXT
from redline.toolsets.call import Call
from redline.toolsets.tool import Client
from redline.wiring.workspace import Redline


def _references(tmp_path: Path, files: dict[str, str], name: str, **asked: object) -> list[str]:
    """Files and lines of the snippets that are bound, in order."""
    work = tmp_path / "work"
    for path, text in files.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    with Redline(Settings(workspace=str(work), state_dir=str(tmp_path / "state"))) as redline:
        given = {"symbol": name, "kind": "references", **asked}
        call = Call(GET_CODE_CONTEXT, given, redline, Client(), UNCANCELLABLE, lambda *_: None)
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
        lookup = CodeLookup(redline, UNCANCELLABLE)
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
        chosen = [Chosen(WorkspacePath(0, ("a", "t.go")), 3)]
        # So little may be read that other files go by name.
        found = list(Finder(CodeLookup(redline, UNCANCELLABLE), "err", chosen, 60).find())
    assert [used.path.relative for used in found] == ["a/t.go"]
