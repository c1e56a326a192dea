"""move with imports: every import of a file follows it, all or nothing."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk, text_of
from tests.wire.test_dry_run_names import contents

PYTHON = {
    "pkg/__init__.py": "",
    "pkg/shop.py": "from . import tax\nfrom .tax import rate\n\nprice = tax.rate + rate\n",
    "pkg/tax.py": "rate = 1\n",
    "use.py": (
        "import pkg.shop\nfrom pkg import shop as s, tax\n\n"
        "print(pkg.shop.price, s.price, tax.rate)\n"
    ),
    "late.py": 'from importlib import import_module\n\nimport_module("pkg.shop")\nname = "x"\n'
    "import_module(name)\n",
}
SCRIPT = {
    "src/shop.ts": 'import { rate } from "./tax";\nexport const price = rate;\n',
    "src/tax.ts": "export const rate = 1;\n",
    "src/use.js": 'import { price } from "./shop";\nexport * from "./shop";\n',
    "src/other.test.ts": 'jest.mock("./shop");\nconst late = require("./shop");\n',
}


@pytest.mark.requirement("agent-move-imports")
def test_a_python_module_moves_with_all_its_imports(desk: Desk) -> None:
    desk.write(PYTHON)
    before = contents(desk.root)
    arguments = {"path": "pkg/shop.py", "to": "pkg/goods/store.py", "imports": True}
    shown = desk.text("move", **arguments, dry_run=True)
    assert contents(desk.root) == before
    said = desk.text("move", **arguments)
    assert shown.splitlines()[:-1] == said.splitlines()[:-1]
    assert "note: 6 imports updated" in said
    assert "note: may mean it too, not touched: late.py:3, late.py:5 (computed)" in said
    assert (desk.root / "pkg/goods/store.py").read_text() == (
        "from .. import tax\nfrom ..tax import rate\n\nprice = tax.rate + rate\n"
    )
    assert (desk.root / "use.py").read_text() == (
        "import pkg.goods.store\nfrom pkg.goods import store as s\nfrom pkg import tax\n\n"
        "print(pkg.goods.store.price, s.price, tax.rate)\n"
    )
    desk.text("undo")
    after = contents(desk.root)
    assert {name: after[name] for name in before} == before


@pytest.mark.requirement("agent-move-imports")
def test_a_script_moves_with_all_its_imports(desk: Desk) -> None:
    desk.write(SCRIPT)
    said = desk.text("move", path="src/shop.ts", to="src/goods/store.ts", imports=True)
    assert (desk.root / "src/goods/store.ts").read_text() == (
        'import { rate } from "../tax";\nexport const price = rate;\n'
    )
    assert (desk.root / "src/use.js").read_text() == (
        'import { price } from "./goods/store";\nexport * from "./goods/store";\n'
    )
    assert "not touched: src/other.test.ts:1" in said
    assert 'require("./goods/store")' in (desk.root / "src/other.test.ts").read_text()


@pytest.mark.requirement("agent-move-imports")
@pytest.mark.parametrize(
    ("files", "path", "to", "place"),
    [
        ({**PYTHON, "far.py": "import pkg\n\nprint(pkg.shop.price)\n"}, "pkg/shop.py",
         "pkg/store.py", "far.py:3 (pkg.shop is used without an import of it)"),
        ({**PYTHON, "far.py": "import pkg.shop\n\n\ndef f(pkg):\n    return pkg.shop\n"},
         "pkg/shop.py", "pkg/store.py", "far.py:1 (the name pkg is used for other things too)"),
        (PYTHON, "pkg/shop.py", "pkg/my-shop.py", "use.py:1 (its new place has no module name"),
    ],
)  # fmt: skip
def test_a_move_is_refused_with_the_places_in_its_way(
    desk: Desk, files: dict[str, str], path: str, to: str, place: str
) -> None:
    desk.write(files)
    before = contents(desk.root)
    refused = desk.call("move", path=path, to=to, imports=True)
    assert refused["isError"]
    assert place in text_of(refused)
    details = refused["_meta"]["redline/failure"]["error"]["details"]
    assert any(place in each for each in details["places"])
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-move-imports")
@pytest.mark.parametrize(
    ("path", "to"),
    [("a.txt", "b.txt"), ("src/app.py", "src/app.js"), ("pkg/__init__.py", "x.py")],
)
def test_imports_of_what_is_not_a_module_cannot_follow(desk: Desk, path: str, to: str) -> None:
    desk.write(PYTHON)
    before = contents(desk.root)
    assert desk.failure("move", path=path, to=to, imports=True).startswith("INVALID_ARGUMENT: ")
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-move-into")
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_move_onto_a_directory_names_the_path_inside_it(desk: Desk, overwrite: bool) -> None:
    said = desk.failure("move", path="a.txt", to="src", overwrite=overwrite)
    assert 'to move it into this directory, pass {"to": "src/a.txt"}' in said
    said = desk.failure("move", path="a.txt", to="conf.json")
    assert "overwrite: true" in said
    assert "into this directory" not in said
