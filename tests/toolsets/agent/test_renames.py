"""rename: which uses follow a definition in each language, and what refuses it."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk

MANIFEST = '[package]\nname = "shop"\nversion = "1.0.0"\n'
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
EMBEDDED = (
    "package shop\n\ntype basic struct{ size int }\n\ntype Shop struct {\n\tbasic\n}\n\n"
    "func (s Shop) Open() int { return s.basic.size + Shop{basic: basic{1}}.size }\n"
)
ALIKE = (
    "package shop\n\ntype Shop struct {\n\tDoor struct{ Size int }\n}\n\n"
    "var Market = Shop{Door: struct{ Size int }{1}}\n\n"
    'var cases = []struct{ Name string }{{Name: "a"}}\n\n'
    'var others = []struct{ Name string }{{Name: "b"}}\n\n'
    "var only struct{ Size, Height int }\n\nvar height = only.Height\n"
)
TWO_TYPES = (
    "pub struct Shop;\npub struct Door;\n\nimpl Shop {\n    pub fn open(&self) {}\n}\n\n"
    "impl Door {\n    pub fn open(&self) {}\n}\n\npub trait Lid {\n    fn open(&self);\n}\n\n"
    "pub fn all(shop: &Shop, door: &Door) {\n    shop.open();\n    door.open();\n}\n"
)
APART = (
    "class Base: ...\n\n\nclass Shop(Base):\n    def open(self): ...\n\n\n"
    "class Door(Base):\n    def open(self): ...\n"
)
PROPERTY = (
    "class Shop:\n    @property\n    def size(self):\n        return 1\n\n"
    "    @size.setter\n    def size(self, value):\n        pass\n"
)
MADE = (
    "from typing import Self\n\n\nclass Shop:\n    size: int\n\n    @classmethod\n"
    "    def make(cls) -> Self:\n        return cls()\n\n\nprint(Shop.make().size)\n"
)
TWICE = (
    "export class Shop {\n  static Door = class Door {};\n  make() {\n"
    "    return new Shop.Door();\n  }\n}\n"
)


SELF = (
    "use std::vec;\n\npub struct Drain<T> {\n    items: vec::Drain<'static, T>,\n}\n\n"
    "impl<T> Drain<T> {\n    pub fn new(items: vec::Drain<'static, T>) -> Self {\n"
    "        Self { items }\n    }\n}\n"
)


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize(
    ("name", "text", "symbol", "line", "changed"),
    [
        pytest.param("a.go", GO, "WriteAll", 9, [9], id="go-method"),
        pytest.param("a.go", EMBEDDED, "basic", 3, [3, 6, 9], id="go-embedded-type"),
        pytest.param("a.go", ALIKE, "Name", 9, [9], id="go-cases-written-alike"),
        pytest.param("a.go", ALIKE, "Height", 13, [13, 15], id="go-struct-without-a-name"),
        pytest.param("src/lib.rs", RUST, "open", 12, [12, 16], id="rust-trait"),
        pytest.param("src/lib.rs", RUST, "open", 16, [12, 16], id="rust-impl"),
        pytest.param("src/lib.rs", SELF, "Drain", 3, [3, 7], id="rust-beside-a-library-type"),
        pytest.param("src/lib.rs", TWO_TYPES, "open", 5, [5, 17], id="rust-one-of-two-types"),
        pytest.param("a.py", APART, "Shop.open", 5, [5], id="python-only-the-base-is-shared"),
        pytest.param("a.py", MADE, "size", 5, [5, 12], id="python-made-by-a-method-of-self"),
        pytest.param("a.py", PROPERTY, "size", 3, [3, 6, 7], id="python-property-and-setter"),
        pytest.param("a.ts", TWICE, "Shop.Door", 2, [2, 4], id="typescript-first-of-a-line"),
    ],
)
def test_a_definition_is_renamed_with_all_that_is_bound_to_it(
    desk: Desk, name: str, text: str, symbol: str, line: int, changed: list[int]
) -> None:
    desk.write({f"shop/{name}": text, "shop/Cargo.toml": MANIFEST})
    desk.text("rename", symbol=symbol, to="renamed", path=f"shop/{name}", line=line)
    after = (desk.root / "shop" / name).read_text()
    lines = zip(text.split("\n"), after.split("\n"), strict=True)
    assert [number for number, (old, new) in enumerate(lines, 1) if old != new] == changed
    assert after.replace("renamed", symbol.rpartition(".")[2]) == text


IMPORTED = "try:\n    import rich\nexcept ImportError:\n    rich = None\n\nprint(rich)\n"
PACKAGES = {
    "shop/go.mod": "module example.com/shop\n",
    "shop/door/door.go": "package door\n\nfunc Open() {}\n\nfunc Shut() { Open() }\n",
    "shop/a.go": (
        'package shop\n\nimport "example.com/shop/door"\n\nfunc Day() {\n\tdoor.Open()\n}\n'
    ),
}


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize(
    ("name", "text", "symbol", "line", "to", "said"),
    [
        pytest.param(
            "a.go", GO, "Write", 7, "other", "of a library has the member: Write", id="go"
        ),
        pytest.param(
            "a.rs", RUST, "fmt", 6, "other", "of a library has the member: fmt", id="rust"
        ),
        pytest.param(
            "a.py",
            IMPORTED,
            "rich",
            4,
            "other",
            "An import binds the name too: shop/a.py:2",
            id="import",
        ),
        pytest.param("a.py", "_ = 1\n", "_", 1, "other", "not looked for", id="no letter"),
        pytest.param("a.py", PROPERTY, "size", 3, "__size", "Python rewrites a name", id="mangled"),
        pytest.param(
            "a.go",
            ALIKE,
            "Size",
            4,
            "Extent",
            "refers to the member Size: shop/a.go:7",
            id="go-identical",
        ),
        pytest.param(
            "a.ts",
            TWICE,
            "Door",
            2,
            "other",
            "One line defines Door more than once: shop/a.ts:2",
            id="two-on-a-line",
        ),
        pytest.param(
            "door/door.go",
            PACKAGES["shop/door/door.go"],
            "Open",
            3,
            "open",
            "Other packages use it, and could not see open: shop/a.go:6",
            id="go-not-exported",
        ),
    ],
)
def test_a_definition_that_must_keep_its_name_does(
    desk: Desk, name: str, text: str, symbol: str, line: int, to: str, said: str
) -> None:
    desk.write({**PACKAGES, f"shop/{name}": text})
    failure = desk.failure("rename", symbol=symbol, to=to, path=f"shop/{name}", line=line)
    assert said in f"{failure}\n"
    assert (desk.root / "shop" / name).read_text() == text


@pytest.mark.requirement("agent-rename-bound")
def test_a_field_of_rust_that_is_written_short_leaves_the_variable_its_name(desk: Desk) -> None:
    text = (
        "pub enum Shop {\n    Open { size: u8, door: u8 },\n    Shut,\n}\n\n"
        "pub fn grow(shop: &mut Shop, size: u8) -> Shop {\n    match shop {\n"
        "        Shop::Open { size, .. } if *size > 1 => *size += 1,\n"
        "        Shop::Open { ref mut size, door: _ } => *size = 1,\n        _ => {}\n    }\n"
        "    Shop::Open { size, door: 1 }\n}\n"
    )
    desk.write({"src/lib.rs": text, "Cargo.toml": MANIFEST})
    desk.text("rename", symbol="size", to="extent", path="src/lib.rs", line=2)
    expected = text.replace("{ size: u8", "{ extent: u8").replace("{ size,", "{ extent: size,")
    expected = expected.replace("{ ref mut size", "{ extent: ref mut size")
    assert (desk.root / "src/lib.rs").read_text() == expected


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize("item", ["mod shop;", "/// Sells.\n    pub mod shop;\n    use shop as s;"])
def test_a_use_through_a_module_that_a_macro_is_given_is_renamed(desk: Desk, item: str) -> None:
    till = "use crate::shop::Shop;\n\npub fn open() -> Shop {\n    Shop\n}\n"
    desk.write(_shop_in_a_macro(item, till))
    desk.text("rename", symbol="Shop", to="Market", path="src/shop.rs", line=1)
    assert (desk.root / "src/till.rs").read_text() == till.replace("Shop", "Market")


@pytest.mark.requirement("agent-rename-uncertain")
def test_a_use_through_a_module_that_only_a_macro_can_read_refuses(desk: Desk) -> None:
    till = "use crate::shop::Shop;\n\npub fn open() -> Shop {\n    Shop\n}\n"
    desk.write(_shop_in_a_macro("if unix { mod shop; }", till))
    said = desk.failure("rename", symbol="Shop", to="Market", path="src/shop.rs", line=1)
    assert "what refers to the name Shop: src/till.rs:1, src/till.rs:3" in said
    assert "rustup component add rust-analyzer" in said


def _shop_in_a_macro(item: str, till: str) -> dict[str, str]:
    return {
        "Cargo.toml": MANIFEST,
        "src/lib.rs": f"macro_rules! with {{ ($($t:tt)*) => {{}} }}\n\n"
        f"with! {{\n    {item}\n}}\n\nmod till;\n",
        "src/shop.rs": "pub(crate) struct Shop;\n",
        "src/till.rs": till,
    }


@pytest.mark.requirement("agent-rename-bound")
def test_a_name_may_be_hidden_where_nothing_else_uses_it(desk: Desk) -> None:
    desk.write({**PACKAGES, "shop/a.py": "def size():\n    return 1\n"})
    desk.text("rename", symbol="Shut", to="shut", path="shop/door/door.go", line=5)
    assert "func shut()" in (desk.root / "shop/door/door.go").read_text()
    desk.text("rename", symbol="size", to="__size", path="shop/a.py", line=1)
    assert "def __size()" in (desk.root / "shop/a.py").read_text()


@pytest.mark.requirement("agent-rename-bound")
def test_a_member_is_renamed_although_an_unrelated_class_has_one_of_that_name(desk: Desk) -> None:
    shop = "class Shop:\n    def open(self):\n        return self.open\n\n\n"
    desk.write({"pkg/a.py": f"{shop}class Door:\n    def open(self):\n        return 1\n"})
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
    ],
)
def test_a_member_that_another_class_may_override_is_not_renamed(desk: Desk, others: str) -> None:
    shop = "from typing import Protocol\n\n\nclass Shop:\n    def open(self):\n        return 1\n"
    desk.write({"pkg/a.py": f"{shop}\n\n{others}"})
    said = desk.failure("rename", symbol="Shop.open", to="unlock", path="pkg/a.py")
    assert "A class derives from several that have a member open: pkg/a.py:10" in said


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
    desk.write(files)
    path = f"pkg/{symbol.split('.')[0].lower()}.py"
    desk.text("rename", symbol=symbol, to="unlock", path=path)
    for name, text in files.items():
        expected = text if name == "pkg/door.py" else text.replace("open", "unlock")
        assert (desk.root / name).read_text() == expected


@pytest.mark.requirement("agent-rename-bound")
def test_a_name_as_text_in_all_is_renamed_only_where_it_is_that_name(desk: Desk) -> None:
    files = {
        "pkg/__init__.py": "from .checks import *\n\n__all__ = ['Mail', 'Post']\n",
        "pkg/checks.py": "__all__ = (\n    'Mail',\n)\n\n\nclass Mail: ...\n",
        "pkg/fields.py": "from pkg import checks\n\n__all__ = ['Mail']\n\n\n"
        "class Mail:\n    check = checks.Mail\n",
    }
    desk.write(files)
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
        "export const stall: Shop = {\n  open() {},\n};\n"
        "/**\n * @returns {Promise<Shop>} The Shop {as it is}.\n * A Shop.\n */\n",
        "pkg/c.ts": "export class Door {\n  toString() {\n    return '';\n  }\n}\n"
        "export class Rooms implements Map<string, Door> {\n  get(name: string) {}\n}\n",
    }
    desk.write(files)
    said = desk.text("rename", symbol="Shop", to="Market", path="pkg/a.ts", line=1)
    assert "not renamed: pkg/b.ts:2, pkg/b.ts:7" in said
    assert "pkg/b.ts:8" not in said
    assert "pkg/b.ts:4" in desk.text("rename", symbol="open", to="unlock", path="pkg/a.ts", line=2)
    said = desk.failure("rename", symbol="toString", to="other", path="pkg/c.ts", line=2)
    assert "Every object of a script has the member: toString" in said
    said = desk.failure("rename", symbol="get", to="other", path="pkg/c.ts", line=7)
    assert "typescript" in said


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize("line", [1, 4])
def test_a_type_and_a_value_of_one_name_are_renamed_together(desk: Desk, line: int) -> None:
    text = (
        "export interface Shop {\n  open(): void;\n}\n"
        "export const Shop: { new (): Shop } = make();\nexport const shop = new Shop();\n"
    )
    use = "import { Shop } from './a';\nconst one: Shop = new Shop();\n"
    desk.write({"pkg/a.ts": text, "pkg/b.ts": use})
    desk.text("rename", symbol="Shop", to="Market", path="pkg/a.ts", line=line)
    assert (desk.root / "pkg/a.ts").read_text() == text.replace("Shop", "Market")
    assert (desk.root / "pkg/b.ts").read_text() == use.replace("Shop", "Market")


@pytest.mark.requirement("agent-rename-bound")
def test_a_line_with_a_bound_and_a_possible_reference_is_listed(desk: Desk) -> None:
    text = "class Shop:\n    def open(self, other):\n        return self.open(other.open(1))\n"
    desk.write({"pkg/a.py": text})
    said = desk.text("rename", symbol="open", to="unlock", path="pkg/a.py", line=2)
    assert "possible references, not renamed: pkg/a.py:3" in said
    assert "self.unlock(other.open(1))" in (desk.root / "pkg/a.py").read_text()


@pytest.mark.requirement("agent-rename-bound")
def test_a_member_of_go_is_joined_to_others_only_by_an_interface(desk: Desk) -> None:
    text = (
        "package shop\n\ntype Opener interface{ Open() }\n\ntype Shop struct{ size int }\n\n"
        "func (s Shop) Open() {}\n\nfunc (s Shop) Sell(n int) { s.size = n }\n\n"
        "type Door struct{ size int }\n\nfunc (d Door) Open() {}\n\nfunc (d Door) Sell() {}\n"
    )
    desk.write({"shop/a.go": text})
    for line, other in ((7, 3), (3, 7)):
        said = desk.failure("rename", symbol="Open", to="Unlock", path="shop/a.go", line=line)
        assert f"shop/a.go:{other}" in said
    for symbol, to, line in (("Sell", "Vend", 9), ("size", "extent", 5)):
        desk.text("rename", symbol=symbol, to=to, path="shop/a.go", line=line)
    expected = text.replace("Sell(n", "Vend(n").replace("s.size", "s.extent")
    assert (desk.root / "shop/a.go").read_text() == expected.replace("size", "extent", 1)


@pytest.mark.requirement("agent-rename-bound")
def test_an_assignment_in_a_class_that_typescript_merges_is_renamed(desk: Desk) -> None:
    files = {
        "pkg/a.ts": "export class Shop {\n  open = 1;\n}\n",
        "pkg/b.ts": "import { Shop } from './a';\nexport interface Stall extends Shop {}\n"
        "export class Stall {\n  begin() {\n    this.open = 2;\n  }\n}\n",
    }
    desk.write(files)
    door = "import { Shop } from './a';\nexport interface Door extends Shop {}\n"
    desk.write({"pkg/c.ts": door + "export class Door {\n  open = 3;\n}\n"})
    desk.text("rename", symbol="open", to="unlock", path="pkg/a.ts", line=2)
    assert "this.unlock = 2" in (desk.root / "pkg/b.ts").read_text()
    assert "unlock = 3" in (desk.root / "pkg/c.ts").read_text()


@pytest.mark.requirement("agent-path-aliases")
def test_a_rename_follows_imports_by_the_paths_of_a_configuration(desk: Desk) -> None:
    files = {
        "web/tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
        "web/tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "web/src/lib/shop.ts": "export class Shop {\n  open() {}\n}\n",
        "web/src/page.ts": "import { Shop } from '@/lib/shop';\nnew Shop().open();\n",
        "other/page.ts": "import { Shop } from '@/lib/shop';\nnew Shop().open();\n",
    }
    desk.write(files)
    for symbol, to in (("Shop", "Market"), ("open", "unlock")):
        line = 1 if symbol == "Shop" else 2
        desk.text("rename", symbol=symbol, to=to, path="web/src/lib/shop.ts", line=line)
    expected = files["web/src/page.ts"].replace("Shop", "Market").replace("open", "unlock")
    assert (desk.root / "web/src/page.ts").read_text() == expected
    assert (desk.root / "other/page.ts").read_text() == files["other/page.ts"]


@pytest.mark.requirement("agent-rename-bound")
def test_quoted_annotations_follow_a_class(desk: Desk) -> None:
    files = {
        "pkg/a.py": 'def make() -> "list[Shop]": ...\n\n\nclass Shop:\n    """Shop."""\n',
        "b.py": 'from pkg.a import Shop\n\n\ndef f(x: "Shop | None", y="Shop"): ...\n',
    }
    desk.write(files)
    desk.text("rename", symbol="Shop", to="Store", path="pkg/a.py")
    assert '-> "list[Store]"' in (desk.root / "pkg/a.py").read_text()
    assert '"""Shop."""' in (desk.root / "pkg/a.py").read_text()
    assert 'f(x: "Store | None", y="Shop")' in (desk.root / "b.py").read_text()


@pytest.mark.requirement("agent-rename-bound")
def test_texts_that_name_a_member_of_a_script_are_renamed_or_listed(desk: Desk) -> None:
    files = {
        "x.ts": "export interface Shop {\n  size: number;\n}\n",
        "y.ts": 'import { Shop } from "./x";\nexport type Size = Shop["size"];\n',
        "z.ts": 'export const words = ["size", "colour"];\n',
    }
    desk.write(files)
    said = desk.text("rename", symbol="Shop.size", to="extent", path="x.ts")
    assert 'Shop["extent"]' in (desk.root / "y.ts").read_text()
    assert "possible references, not renamed: z.ts:1" in said


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize(
    "made",
    ['TypeVar("Kind", bound=int)', "typing.NewType('Kind', int)", 'namedtuple(\n    "Kind", "a")'],
)
def test_a_type_of_python_is_told_its_new_name(desk: Desk, made: str) -> None:
    text = f'Kind = {made}\nkinds = {{"Kind": Kind}}\n'
    desk.write({"a.py": text})
    desk.text("rename", symbol="Kind", to="Sort", path="a.py", line=1)
    expected = text.replace("Kind", "Sort").replace('{"Sort":', '{"Kind":')
    assert (desk.root / "a.py").read_text() == expected


@pytest.mark.requirement("agent-rename-uncertain")
def test_an_import_that_is_a_parameter_too_refuses(desk: Desk) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/shop.py": "class Shop:\n    pass\n",
        "pkg/till.py": "def make(Shop=None):\n    if Shop is None:\n"
        "        from pkg.shop import Shop\n    return Shop()\n",
    }
    desk.write(files)
    failure = desk.failure("rename", symbol="Shop", to="Store", path="pkg/shop.py")
    assert "ty reports new problems after the rename, the first at pkg/till.py:" in failure


@pytest.mark.requirement("agent-rename-bound")
def test_what_an_example_of_go_is_named_after_refuses(desk: Desk) -> None:
    files = {
        "go.mod": "module shop\n\ngo 1.22\n",
        "shop.go": "package shop\n\nfunc Open() {}\n\nfunc Shut() {}\n",
        "shop_test.go": "package shop\n\nfunc ExampleOpen_twice() { Open() }\n\n"
        "func Example_shut() { Shut() }\n",
    }
    desk.write(files)
    failure = desk.failure("rename", symbol="Open", to="Unlock", path="shop.go")
    assert "An example is named after Open: shop_test.go:3" in failure
    desk.text("rename", symbol="Shut", to="Close", path="shop.go")


@pytest.mark.requirement("agent-rename-bound")
def test_a_type_s_own_member_of_rust_whose_impl_takes_two_lines_is_no_trait_s(desk: Desk) -> None:
    lib = "trait Open {\n    fn open(&self);\n}\n\nstruct Shop<T>(T);\n\n"
    own = "impl<T> Shop<T>\nwhere\n    T: Copy,\n{\n    fn open(&self) {}\n}\n"
    desk.write({"Cargo.toml": MANIFEST, "src/lib.rs": lib + own})
    desk.text("rename", symbol="open", to="unlock", path="src/lib.rs", line=11)
    assert (desk.root / "src/lib.rs").read_text() == lib + own.replace("open", "unlock")


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize("many", [False, True])
def test_a_name_of_one_letter_is_renamed_unless_too_much_holds_it(desk: Desk, many: bool) -> None:
    files = {
        "go.mod": "module shop\n\ngo 1.22\n",
        "shop.go": "package shop\n\ntype Hat struct{ m int }\n\ntype Shop struct{ m int }\n",
        "till.go": "package shop\n\nfunc f(s Shop, h Hat, m int) int { return s.m + h.m + m }\n",
    }
    desk.write({**files, **({"rows.go": "package shop\n" + "// m\n" * 50_001} if many else {})})
    if many:
        failure = desk.failure("rename", symbol="Shop.m", to="size", path="shop.go", line=5)
        assert "Too much holds this name of one letter: m" in failure
        return
    desk.text("rename", symbol="Shop.m", to="size", path="shop.go", line=5)
    assert "type Shop struct{ size int }" in (desk.root / "shop.go").read_text()
    expected = files["till.go"].replace("s.m", "s.size")
    assert (desk.root / "till.go").read_text() == expected
