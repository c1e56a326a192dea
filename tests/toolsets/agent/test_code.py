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


def write(desk: Desk, files: dict[str, str]) -> None:
    for name, text in files.items():
        target = desk.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


@pytest.mark.requirement("agent-rename-bound")
def test_a_rename_takes_imports_exports_and_qualified_uses_along(desk: Desk) -> None:
    write(desk, PYTHON)
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
    write(desk, PYTHON)
    desk.text("rename", symbol="Shop.sell", to="vend")
    assert "def vend(self)" in (desk.root / "pkg/shop.py").read_text()
    assert "Shop().vend()" in (desk.root / "alias.py").read_text()


@pytest.mark.requirement("agent-rename-bound")
def test_a_property_that_is_written_short_keeps_its_name(desk: Desk) -> None:
    write(desk, SCRIPT)
    desk.text("rename", symbol="cost", to="amount")
    assert "{ cost: amount }" in (desk.root / "x.js").read_text()
    assert (desk.root / "y.js").read_text() == SCRIPT["y.js"].replace("cost", "amount")
    assert (desk.root / "z.js").read_text() == SCRIPT["z.js"].replace("cost", "amount")


@pytest.mark.requirement("agent-rename-bound")
def test_what_stands_in_the_way_refuses_a_rename_and_is_named(desk: Desk) -> None:
    write(desk, PYTHON)
    store = "from pkg import Shop\nclass Store:\n    def sell(self):\n        return 2\n"
    write(desk, {"pkg/other.py": f"{store}\n\nclass Both(Shop, Store):\n    pass\n"})
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
    write(desk, {"shop.py": "class Shop:\n    def vend(self):\n        return 1\n"})
    write(desk, {"use.py": "from shop import Shop\n\n\ndef go(thing):\n    return thing.vend()\n"})
    assert "use.py:5" in desk.text("rename", symbol="Shop.vend", to="sell")
    assert "thing.vend()" in (desk.root / "use.py").read_text()
    desk.text("undo")
    desk.text("rename", symbol="Shop.vend", to="sell", possible=True)
    assert "thing.sell()" in (desk.root / "use.py").read_text()


@pytest.mark.requirement("agent-reference-lines")
def test_references_carry_the_line_of_each_use(desk: Desk, tmp_path: Path) -> None:
    write(desk, PYTHON)
    found = desk.call("context", symbol="price", path="pkg/shop.py", line=1, kind="references")
    lines = {s["path"]: s["lines"] for s in found["structuredContent"]["snippets"]}
    expected = {"pkg/shop.py": [7], "pkg/__init__.py": [1], "use.py": [1, 4], "alias.py": [1, 3]}
    assert lines == expected
    assert "use.py:1-4 at 1, 4" in found["content"][0]["text"]
    with connect("stdio", ["--tools", "code"], cwd=desk.root) as client:
        asked = {"symbol": "price", "file": "pkg/shop.py", "line": 1, "kind": "references"}
        other = client.call("ai_code_editing.get_code_context", asked)["result"]
        snippets = other["structuredContent"]["snippets"]
        assert {s["path"]: s["lines"] for s in snippets} == expected


@pytest.mark.requirement("agent-rewrite-equals-ast-grep")
def test_a_rewrite_over_files_is_one_change_and_undo_gives_every_byte_back(desk: Desk) -> None:
    write(desk, {"crlf.py": "print(\r\n    price(1))\r\n", "bom.py": "\ufeffprice(2)\n"})
    write(desk, PYTHON)
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


@pytest.mark.requirement("agent-rewrite-equals-ast-grep")
def test_a_rewrite_that_breaks_one_file_changes_none(desk: Desk) -> None:
    write(desk, PYTHON)
    before = contents(desk.root)
    text = desk.failure("rewrite", pattern="price($A)", rewrite="$A)", language="python")
    assert text.startswith("CANNOT_APPLY: ")
    assert "would no longer parse" in text
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-rename-bound")
def test_a_member_is_renamed_although_an_unrelated_class_has_one_of_that_name(desk: Desk) -> None:
    shop = "class Shop:\n    def open(self):\n        return self.open\n\n\n"
    write(desk, {"pkg/a.py": f"{shop}class Door:\n    def open(self):\n        return 1\n"})
    desk.text("rename", symbol="Shop.open", to="unlock", path="pkg/a.py")
    text = (desk.root / "pkg/a.py").read_text()
    assert text.count("unlock") == 2
    assert "class Door:\n    def open(self)" in text
    desk.text("undo")
    uncertain = {"symbol": "Shop.open", "to": "unlock", "path": "pkg/a.py", "possible": True}
    assert "Other types have a member open" in desk.failure("rename", **uncertain)


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize(
    "others",
    [
        "class Door:\n    def open(self): ...\n\n\nclass Both(Shop, Door):\n    pass\n",
        "class Door:\n    def open(self): ...\n\n\nclass Both(\n    Shop, Door\n):\n    pass\n",
        "class Kiosk(make(Shop)):\n    def open(self):\n        return 1\n",
        "class Open(Protocol):\n    def open(self): ...\n",
    ],
)
def test_a_member_that_another_class_may_override_is_not_renamed(desk: Desk, others: str) -> None:
    shop = "from typing import Protocol\n\n\nclass Shop:\n    def open(self):\n        return 1\n"
    write(desk, {"pkg/a.py": f"{shop}\n\n{others}"})
    said = desk.failure("rename", symbol="Shop.open", to="unlock", path="pkg/a.py")
    assert "Other types have a member open" in said


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize("symbol", ["Shop.open", "Kiosk.open", "Stall.open"])
def test_a_method_is_renamed_with_all_that_override_it(desk: Desk, symbol: str) -> None:
    files = {
        "pkg/shop.py": "class Shop:\n    def open(self):\n        return 1\n\n"
        "    def day(self):\n        self.open()\n",
        "pkg/kiosk.py": "from pkg.shop import Shop\n\n\nclass Kiosk(\n    Shop\n):\n"
        "    def open(self):\n        return super().open()\n",
        "pkg/stall.py": "from pkg import shop\n\n\n"
        "class Stall(shop.Shop):\n    def open(self): ...\n",
        "pkg/door.py": "class Door:\n    def open(self): ...\n\n\nDoor().open()\n",
    }
    write(desk, files)
    path = f"pkg/{symbol.split('.')[0].lower()}.py"
    desk.text("rename", symbol=symbol, to="unlock", path=path)
    for name, text in files.items():
        expected = text if name == "pkg/door.py" else text.replace("open", "unlock")
        assert (desk.root / name).read_text() == expected


@pytest.mark.requirement("agent-rename-bound")
def test_classes_that_only_share_a_base_without_the_member_are_apart(desk: Desk) -> None:
    text = (
        "class Base: ...\n\n\nclass Shop(Base):\n    def open(self): ...\n\n\n"
        "class Door(Base):\n    def open(self): ...\n"
    )
    write(desk, {"pkg/a.py": text})
    desk.text("rename", symbol="Shop.open", to="unlock", path="pkg/a.py", line=5)
    assert (desk.root / "pkg/a.py").read_text() == text.replace("open", "unlock", 1)


@pytest.mark.requirement("agent-rename-bound")
def test_a_name_as_text_in_all_is_renamed_only_where_it_is_that_name(desk: Desk) -> None:
    files = {
        "pkg/__init__.py": "from .checks import *\n\n__all__ = ['Mail', 'Post']\n",
        "pkg/checks.py": "__all__ = (\n    'Mail',\n)\n\n\nclass Mail: ...\n",
        "pkg/fields.py": "from pkg import checks\n\n__all__ = ['Mail']\n\n\n"
        "class Mail:\n    check = checks.Mail\n",
    }
    write(desk, files)
    said = desk.text("rename", symbol="Mail", to="Letter", path="pkg/checks.py", line=6)
    assert (desk.root / "pkg/__init__.py").read_text() == files["pkg/__init__.py"].replace(
        "Mail", "Letter"
    )
    assert (desk.root / "pkg/checks.py").read_text() == files["pkg/checks.py"].replace(
        "Mail", "Letter"
    )
    assert (desk.root / "pkg/fields.py").read_text() == files["pkg/fields.py"].replace(
        "checks.Mail", "checks.Letter"
    )
    assert "pkg/fields.py:3" in said


@pytest.mark.requirement("agent-rename-bound")
def test_what_a_script_only_names_in_a_comment_or_an_object_is_listed(desk: Desk) -> None:
    files = {
        "pkg/a.ts": "export interface Shop {\n  open(): void;\n}\n",
        "pkg/b.ts": "import { Shop } from './a';\n/** As {@link Shop} does. */\n"
        "export const stall: Shop = {\n  open() {},\n};\n",
        "pkg/c.ts": "export class Door {\n  toString() {\n    return '';\n  }\n}\n"
        "export class Rooms implements Map<string, Door> {\n  get(name: string) {}\n}\n",
    }
    write(desk, files)
    assert "pkg/b.ts:2" in desk.text("rename", symbol="Shop", to="Market", path="pkg/a.ts", line=1)
    assert "pkg/b.ts:4" in desk.text("rename", symbol="open", to="unlock", path="pkg/a.ts", line=2)
    for line, name in ((2, "toString"), (7, "get")):
        said = desk.failure("rename", symbol=name, to="other", path="pkg/c.ts", line=line)
        assert f"It overrides a member of the language's own types: {name}" in said


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize("line", [1, 4])
def test_a_type_and_a_value_of_one_name_are_renamed_together(desk: Desk, line: int) -> None:
    text = (
        "export interface Shop {\n  open(): void;\n}\n"
        "export const Shop: { new (): Shop } = make();\nexport const shop = new Shop();\n"
    )
    use = "import { Shop } from './a';\nconst one: Shop = new Shop();\n"
    write(desk, {"pkg/a.ts": text, "pkg/b.ts": use})
    desk.text("rename", symbol="Shop", to="Market", path="pkg/a.ts", line=line)
    assert (desk.root / "pkg/a.ts").read_text() == text.replace("Shop", "Market")
    assert (desk.root / "pkg/b.ts").read_text() == use.replace("Shop", "Market")


@pytest.mark.requirement("agent-rename-bound")
def test_a_parameter_that_is_a_field_of_a_related_class_refuses(desk: Desk) -> None:
    text = (
        "export class Shop {\n  source = 1;\n}\nexport class Stall extends Shop {\n"
        "  constructor(public source: number) {\n    super();\n  }\n}\n"
        "export class Door {\n  constructor(readonly source: number) {}\n}\n"
    )
    write(desk, {"pkg/a.ts": text})
    said = desk.failure("rename", symbol="source", to="origin", path="pkg/a.ts", line=2)
    assert "Other types have a member source, which may belong to it: pkg/a.ts:5" in said
    assert "pkg/a.ts:10" not in said


@pytest.mark.requirement("agent-rename-bound")
def test_a_line_with_a_bound_and_a_possible_reference_is_listed(desk: Desk) -> None:
    text = "class Shop:\n    def open(self, other):\n        return self.open(other.open(1))\n"
    write(desk, {"pkg/a.py": text})
    said = desk.text("rename", symbol="open", to="unlock", path="pkg/a.py", line=2)
    assert "possible references, not renamed: pkg/a.py:3" in said
    assert "self.unlock(other.open(1))" in (desk.root / "pkg/a.py").read_text()


GO = (
    'package shop\n\nimport "io"\n\ntype Pipe struct{}\n\n'
    "func (p *Pipe) Write(b []byte) (int, error) { return 0, nil }\n\n"
    "func (p *Pipe) WriteAll() { p.Write(nil) }\n\nvar Out io.Writer = &Pipe{}\n"
)
RUST = (
    "use std::fmt;\n\npub struct Shop;\n\nimpl fmt::Display for Shop {\n"
    "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        Ok(())\n    }\n}\n\n"
    "pub trait Open {\n    fn open(&self);\n}\n\nimpl Open for Shop {\n    fn open(&self) {}\n}\n"
)


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize(
    ("name", "text", "symbol", "line"),
    [("shop/a.go", GO, "Write", 7), ("shop/src/lib.rs", RUST, "fmt", 6)],
)
def test_a_member_that_a_library_asks_for_keeps_its_name(
    desk: Desk, name: str, text: str, symbol: str, line: int
) -> None:
    write(desk, {name: text})
    said = desk.failure("rename", symbol=symbol, to="other", path=name, line=line)
    assert f"An interface or trait of a library has the member: {symbol}" in said


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize(
    ("name", "text", "symbol", "line"),
    [
        ("shop/a.go", GO, "WriteAll", 9),
        ("shop/src/lib.rs", RUST, "open", 12),
        ("shop/src/lib.rs", RUST, "open", 16),
    ],
)
def test_a_member_of_the_project_is_renamed_with_what_implements_it(
    desk: Desk, name: str, text: str, symbol: str, line: int
) -> None:
    write(desk, {name: text, "shop/Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n'})
    desk.text("rename", symbol=symbol, to="renamed", path=name, line=line)
    assert (desk.root / name).read_text() == text.replace(symbol, "renamed")


@pytest.mark.requirement("agent-rename-bound")
def test_a_member_of_go_is_joined_to_others_only_by_an_interface(desk: Desk) -> None:
    text = (
        "package shop\n\ntype Opener interface{ Open() }\n\ntype Shop struct{ size int }\n\n"
        "func (s Shop) Open() {}\n\nfunc (s Shop) Sell(n int) { s.size = n }\n\n"
        "type Door struct{ size int }\n\nfunc (d Door) Open() {}\n\nfunc (d Door) Sell() {}\n"
    )
    write(desk, {"shop/a.go": text})
    said = desk.failure("rename", symbol="Open", to="Unlock", path="shop/a.go", line=7)
    assert "shop/a.go:3" in said
    for symbol, to, line in (("Sell", "Vend", 9), ("size", "extent", 5)):
        desk.text("rename", symbol=symbol, to=to, path="shop/a.go", line=line)
    expected = text.replace("Sell(n", "Vend(n").replace("s.size", "s.extent")
    assert (desk.root / "shop/a.go").read_text() == expected.replace("size", "extent", 1)


@pytest.mark.requirement("agent-rename-bound")
def test_a_type_of_go_is_renamed_with_the_fields_that_embed_it(desk: Desk) -> None:
    text = (
        "package shop\n\ntype basic struct{ size int }\n\ntype Shop struct {\n\tbasic\n}\n\n"
        "func (s Shop) Open() int { return s.basic.size + Shop{basic: basic{1}}.size }\n"
    )
    write(desk, {"shop/a.go": text})
    desk.text("rename", symbol="basic", to="plain", path="shop/a.go", line=3)
    assert (desk.root / "shop/a.go").read_text() == text.replace("basic", "plain")


@pytest.mark.requirement("agent-rename-bound")
def test_a_method_of_one_type_of_rust_is_renamed_beside_that_of_another(desk: Desk) -> None:
    text = (
        "pub struct Shop;\npub struct Door;\n\nimpl Shop {\n    pub fn open(&self) {}\n}\n\n"
        "impl Door {\n    pub fn open(&self) {}\n}\n\npub trait Lid {\n    fn open(&self);\n}\n\n"
        "pub fn all(shop: &Shop, door: &Door) {\n    shop.open();\n    door.open();\n}\n"
    )
    write(desk, {"src/lib.rs": text, "Cargo.toml": '[package]\nname = "a"\nversion = "1.0.0"\n'})
    desk.text("rename", symbol="open", to="unlock", path="src/lib.rs", line=5)
    lines = (desk.root / "src/lib.rs").read_text().split("\n")
    assert [n for n, line in enumerate(lines, 1) if "unlock" in line] == [5, 17]


@pytest.mark.requirement("agent-rename-bound")
def test_an_assignment_in_a_class_that_typescript_merges_is_listed(desk: Desk) -> None:
    files = {
        "pkg/a.ts": "export class Shop {\n  open = 1;\n}\n",
        "pkg/b.ts": "import { Shop } from './a';\nexport interface Stall extends Shop {}\n"
        "export class Stall {\n  begin() {\n    this.open = 2;\n  }\n}\n",
    }
    write(desk, files)
    said = desk.text("rename", symbol="open", to="unlock", path="pkg/a.ts", line=2)
    assert (
        "possible references, not renamed: pkg/b.ts:5" in said
        or "this.unlock = 2" in (desk.root / "pkg/b.ts").read_text()
    )


@pytest.mark.requirement("agent-path-aliases")
def test_a_rename_follows_imports_by_the_paths_of_a_configuration(desk: Desk) -> None:
    files = {
        "web/tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
        "web/tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "web/src/lib/shop.ts": "export class Shop {\n  open() {}\n}\n",
        "web/src/page.ts": "import { Shop } from '@/lib/shop';\nnew Shop().open();\n",
        "other/page.ts": "import { Shop } from '@/lib/shop';\nnew Shop().open();\n",
    }
    write(desk, files)
    for symbol, to in (("Shop", "Market"), ("open", "unlock")):
        line = 1 if symbol == "Shop" else 2
        desk.text("rename", symbol=symbol, to=to, path="web/src/lib/shop.ts", line=line)
    expected = files["web/src/page.ts"].replace("Shop", "Market").replace("open", "unlock")
    assert (desk.root / "web/src/page.ts").read_text() == expected
    assert (desk.root / "other/page.ts").read_text() == files["other/page.ts"]


@pytest.mark.requirement("agent-rename-bound")
def test_a_property_is_renamed_with_its_setter(desk: Desk) -> None:
    text = (
        "class Shop:\n    @property\n    def size(self):\n        return 1\n\n"
        "    @size.setter\n    def size(self, value):\n        pass\n"
    )
    write(desk, {"pkg/a.py": text})
    desk.text("rename", symbol="size", to="extent", path="pkg/a.py", line=3)
    assert (desk.root / "pkg/a.py").read_text() == text.replace("size", "extent")


@pytest.mark.requirement("agent-rename-bound")
def test_a_name_that_an_import_of_its_file_binds_too_is_not_renamed(desk: Desk) -> None:
    text = "try:\n    import rich\nexcept ImportError:\n    rich = None\n\nprint(rich)\n"
    write(desk, {"pkg/a.py": text})
    said = desk.failure("rename", symbol="rich", to="wealthy", path="pkg/a.py", line=4)
    assert "An import binds the name too: pkg/a.py:2" in said


@pytest.mark.requirement("agent-rename-bound")
def test_quoted_annotations_follow_a_class(desk: Desk) -> None:
    files = {
        "pkg/a.py": 'def make() -> "list[Shop]": ...\n\n\nclass Shop:\n    """Shop."""\n',
        "b.py": 'from pkg.a import Shop\n\n\ndef f(x: "Shop | None", y="Shop"): ...\n',
    }
    write(desk, files)
    desk.text("rename", symbol="Shop", to="Store", path="pkg/a.py")
    assert '-> "list[Store]"' in (desk.root / "pkg/a.py").read_text()
    assert '"""Shop."""' in (desk.root / "pkg/a.py").read_text()
    assert 'f(x: "Store | None", y="Shop")' in (desk.root / "b.py").read_text()


@pytest.mark.requirement("agent-rename-bound")
def test_texts_that_name_a_member_of_a_script_are_listed(desk: Desk) -> None:
    files = {
        "x.ts": "export interface Shop {\n  size: number;\n}\n",
        "y.ts": 'import { Shop } from "./x";\nexport type Size = Shop["size"];\n',
    }
    write(desk, files)
    said = desk.text("rename", symbol="Shop.size", to="extent", path="x.ts")
    assert "possible references, not renamed: y.ts:2" in said


@pytest.mark.requirement("agent-rename-bound")
def test_a_name_of_one_letter_is_not_renamed(desk: Desk) -> None:
    write(desk, {"pkg/a.py": "def f():\n    return 1\n"})
    said = desk.failure("rename", symbol="f", to="function", path="pkg/a.py")
    assert "one letter" in said
