"""context, rewrite and rename: references with their lines, changes by syntax and by meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toolsets.agent.conftest import Desk
from tests.wire.client import connect
from tests.wire.test_dry_run_names import contents

PYTHON = {
    "pkg/__init__.py": "from pkg.shop import price, Shop\n\n__all__ = ['price', 'Shop']\n",
    "pkg/shop.py": (
        "def price(x):\n    return x\n\n\nclass Shop:\n    def sell(self):\n"
        "        return price(1) + price(2)\n"
    ),
    "use.py": (
        "from pkg import price\nimport pkg.shop as s\n\nprint(price(3), s.price(4), 'price')\n"
    ),
    "alias.py": "from pkg import price as p, Shop\n\nprint(p(3), Shop().sell())\n",
    "shadow.py": "def other(price):\n    return price\n",
}
SCRIPT = {
    "x.js": "export function cost(a) { return a; }\nexport const o = { cost };\n",
    "y.js": "import { cost } from './x.js';\nconsole.log(cost(1) + cost(2));\n",
    "z.js": "export { cost } from './x.js';\n",
}


@pytest.mark.requirement("agent-rename-bound")
def test_a_rename_takes_imports_exports_and_qualified_uses_along(desk: Desk) -> None:
    desk.write(PYTHON)
    before = contents(desk.root)
    desk.text("rename", symbol="price", to="amount", path="pkg/shop.py")
    after = {name: (desk.root / name).read_text() for name in PYTHON}
    assert after["pkg/__init__.py"] == PYTHON["pkg/__init__.py"].replace("price", "amount")
    assert after["pkg/shop.py"] == PYTHON["pkg/shop.py"].replace("price", "amount")
    assert "print(amount(3), s.amount(4), 'price')" in after["use.py"]
    assert after["alias.py"] == PYTHON["alias.py"].replace("price as p", "amount as p")
    assert after["shadow.py"] == PYTHON["shadow.py"]
    desk.text("undo")
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-rename-bound")
def test_a_rename_of_a_method_takes_its_calls_along(desk: Desk) -> None:
    desk.write(PYTHON)
    desk.text("rename", symbol="Shop.sell", to="vend")
    assert "def vend(self)" in (desk.root / "pkg/shop.py").read_text()
    assert "Shop().vend()" in (desk.root / "alias.py").read_text()


@pytest.mark.requirement("agent-rename-bound")
def test_a_property_that_is_written_short_keeps_its_name(desk: Desk) -> None:
    desk.write(SCRIPT)
    desk.text("rename", symbol="cost", to="amount")
    assert "{ cost: amount }" in (desk.root / "x.js").read_text()
    assert (desk.root / "y.js").read_text() == SCRIPT["y.js"].replace("cost", "amount")
    assert (desk.root / "z.js").read_text() == SCRIPT["z.js"].replace("cost", "amount")


@pytest.mark.requirement("agent-rename-bound")
def test_what_stands_in_the_way_refuses_a_rename_and_is_named(desk: Desk) -> None:
    desk.write(PYTHON)
    store = "from pkg import Shop\nclass Store:\n    def sell(self):\n        return 2\n"
    desk.write({"pkg/other.py": f"{store}\n\nclass Both(Shop, Store):\n    pass\n"})
    before = contents(desk.root)
    taken = desk.failure("rename", symbol="price", to="Shop", path="pkg/shop.py")
    assert "pkg/shop.py:5" in taken
    namesake = desk.failure("rename", symbol="Shop.sell", to="vend", path="pkg/shop.py")
    assert "pkg/other.py:3" in namesake
    several = desk.failure("rename", symbol="sell", to="vend")
    assert "pkg/other.py:3" in several
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-rename-bound")
def test_a_possible_reference_is_listed_and_stays_unless_asked_for(desk: Desk) -> None:
    desk.write({"shop.py": "class Shop:\n    def vend(self):\n        return 1\n"})
    desk.write({"use.py": "from shop import Shop\n\n\ndef go(thing):\n    return thing.vend()\n"})
    assert "use.py:5" in desk.text("rename", symbol="Shop.vend", to="sell")
    assert "thing.vend()" in (desk.root / "use.py").read_text()
    desk.text("undo")
    desk.text("rename", symbol="Shop.vend", to="sell", possible=True)
    assert "thing.sell()" in (desk.root / "use.py").read_text()


@pytest.mark.requirement("agent-reference-lines")
def test_references_carry_the_line_of_each_use(desk: Desk, tmp_path: Path) -> None:
    desk.write(PYTHON)
    found = desk.call("context", symbol="price", path="pkg/shop.py", line=1, kind="references")
    lines = {s["path"]: s["lines"] for s in found["structuredContent"]["snippets"]}
    expected = {"pkg/shop.py": [7], "pkg/__init__.py": [1], "use.py": [1, 4], "alias.py": [1, 3]}
    assert lines == expected
    assert "use.py:4:print(price(3), s.price(4), 'price')" in found["content"][0]["text"]
    with connect("stdio", ["--tools", "code"], cwd=desk.root) as client:
        asked = {"symbol": "price", "file": "pkg/shop.py", "line": 1, "kind": "references"}
        other = client.call("ai_code_editing.get_code_context", asked)["result"]
        snippets = other["structuredContent"]["snippets"]
        assert {s["path"]: s["lines"] for s in snippets} == expected


@pytest.mark.requirement("agent-rewrite-equals-ast-grep")
def test_a_rewrite_over_files_is_one_change_and_undo_gives_every_byte_back(desk: Desk) -> None:
    desk.write({"crlf.py": "print(\r\n    price(1))\r\n", "bom.py": "\ufeffprice(2)\n"})
    desk.write(PYTHON)
    (desk.root / "latin.py").write_bytes("# größe\nprice(5)\n".encode("latin-1"))
    before = contents(desk.root)
    text = desk.text("rewrite", pattern="price($A)", rewrite="cost(\n    $A,\n)", language="python")
    assert "6 places" in text
    assert (desk.root / "crlf.py").read_bytes() == (
        b"print(\r\n    cost(\r\n        1,\r\n    ))\r\n"
    )
    assert (desk.root / "latin.py").read_bytes().startswith("# größe\ncost(".encode("latin-1"))
    desk.text("undo")
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-rewrite-loses-nothing")
@pytest.mark.parametrize("dry_run", [True, False])
def test_places_that_hold_more_than_the_pattern_are_named(desk: Desk, dry_run: bool) -> None:
    desk.write({"a.py": "import os, sys\nimport re\n", "b.py": "x = 1\nimport a, b\n"})
    text = desk.text(
        "rewrite",
        pattern="import $X",
        rewrite="import $X as z",
        language="python",
        globs=["?.py"],
        dry_run=dry_run,
    )
    assert "note: 1 place\n" in text
    assert "left alone, 2 places hold more than the pattern: a.py:1 `, sys`, b.py:2 `, b`" in text
    done = "import re\n" if dry_run else "import re as z\n"
    assert (desk.root / "a.py").read_text() == "import os, sys\n" + done


@pytest.mark.requirement("agent-rewrite-loses-nothing")
def test_a_rewrite_with_nothing_but_larger_places_is_refused(desk: Desk) -> None:
    desk.write({"a.py": "import os, sys\n"})
    text = desk.failure("rewrite", pattern="import $X", rewrite="import $X as z", path="a.py")
    assert text.startswith("NO_MATCH: 1 place holds more than the pattern: a.py:1 `, sys`")
    assert "$$$REST" in text


@pytest.mark.requirement("agent-rewrite-equals-ast-grep")
def test_a_rewrite_that_breaks_one_file_changes_none(desk: Desk) -> None:
    desk.write(PYTHON)
    before = contents(desk.root)
    text = desk.failure("rewrite", pattern="price($A)", rewrite="$A)", language="python")
    assert text.startswith("CANNOT_APPLY: ")
    assert "would no longer parse" in text
    assert contents(desk.root) == before
