"""References that know what they refer to, over modules kept in memory."""

from __future__ import annotations

import pytest

from redline.code.python_js.resolver import PythonJsResolver
from redline.code.references.file_access import SourceFiles
from redline.code.syntax.definitions import Parsed, parse, symbols_of
from redline.code.syntax.languages import language_of
from redline.core.paths import WorkspacePath


class Folder:
    """Some files by their paths."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def path(self, name: str) -> WorkspacePath:
        return WorkspacePath(0, tuple(name.split("/")))

    def parsed(self, path: WorkspacePath) -> Parsed | None:
        language = language_of(path.name)
        text = self.files.get(path.relative)
        return parse(text, language) if text is not None and language is not None else None

    def find(self, file: str, qualified: str) -> dict[str, list[str]]:
        """By file: the lines that refer to the definition, possible ones with a question mark."""
        parsed = self.parsed(self.path(file))
        assert parsed is not None
        symbol = next(s for s in symbols_of(parsed) if s.qualified == qualified)
        reading = SourceFiles(self.parsed, lambda path: path.relative in self.files)
        referring = PythonJsResolver.to(symbol.name, reading)
        target = referring.target(self.path(file), symbol.offset)
        assert target is not None
        answer: dict[str, list[str]] = {}
        for name in self.files:
            found = referring.in_file(self.path(name), [target])
            marks = [
                f"{reference.line}{'?' if reference.certainty == 'possible' else ''}"
                for reference in found or ()
                if (name, reference.line) != (file, symbol.line)
            ]
            if marks:
                answer[name] = marks
        return answer


def test_a_function_is_found_through_imports_and_its_namesakes_are_not() -> None:
    folder = Folder(
        {
            "pkg/__init__.py": "from .shop import price\n",
            "pkg/shop.py": "def price():\n    pass\n\ndef total(price):\n    return price + 1\n",
            "a.py": "from pkg import price as cost\n\nprint(cost())\n",
            "b.py": "import pkg.shop\n\npkg.shop.price()\nprice = 3\nprint(price)\n",
            "c.py": "from other import price\n\nprice()\n",
            "d.py": "def f(item):\n    return item.price\n",
            "e.py": "from pkg.shop import *\n\nprice()\n",
        }
    )
    assert folder.find("pkg/shop.py", "price") == {
        "pkg/__init__.py": ["1"],
        "a.py": ["1", "3"],
        "b.py": ["3"],
        "e.py": ["3"],
    }


def test_a_method_is_bound_where_the_class_of_the_receiver_is_plain() -> None:
    folder = Folder(
        {
            "shop.py": (
                "class Shop:\n"
                "    def open(self):\n"
                "        return self.open()\n"
                "\n"
                "class Stall(Shop):\n"
                "    def sell(self):\n"
                "        self.open()\n"
                "\n"
                "class Door:\n"
                "    def open(self):\n"
                "        self.open()\n"
            ),
            "use.py": (
                "from shop import Door, Shop, Stall\n"
                "\n"
                "def run(shop: Shop, door: Door, thing):\n"
                "    shop.open()\n"
                "    door.open()\n"
                "    thing.open()\n"
                "    Stall().open()\n"
                "    open('file')\n"
                "    'text'.open()\n"
            ),
        }
    )
    assert folder.find("shop.py", "Shop.open") == {
        "shop.py": ["3", "7"],
        "use.py": ["4", "6?", "7"],
    }


def test_fields_are_followed_through_annotations_of_other_fields() -> None:
    folder = Folder(
        {
            "a.py": "class Leaf:\n    size: int = 0\n",
            "b.py": (
                "from a import Leaf\n"
                "\n"
                "class Tree:\n"
                "    leaf: Leaf\n"
                "    def __init__(self):\n"
                "        self.other = Leaf()\n"
                "    def grow(self) -> 'Leaf':\n"
                "        return self.leaf.size + self.other.size\n"
                "\n"
                "print(Tree().grow().size, Leaf(size=1))\n"
            ),
        }
    )
    assert folder.find("a.py", "Leaf.size") == {"b.py": ["8", "10"]}


def test_a_name_of_a_function_stays_within_it() -> None:
    text = "def outer():\n    def inner():\n        pass\n    inner()\n\n"
    text += "def inner():\n    pass\n\ninner()\n"
    folder = Folder({"a.py": text, "b.py": "from a import inner\n"})
    assert folder.find("a.py", "outer.inner") == {"a.py": ["4"]}
    assert folder.find("a.py", "inner") == {"a.py": ["9"], "b.py": ["1"]}


@pytest.mark.parametrize("ending", [".js", ".ts"])
def test_scripts_are_followed_through_barrels_defaults_and_aliases(ending: str) -> None:
    folder = Folder(
        {
            f"src/price{ending}": "export function price() {}\nexport default price;\n",
            f"src/index{ending}": "export * from './price';\n",
            f"a{ending}": "import { price as cost } from './src';\ncost();\n",
            f"b{ending}": "import * as all from './src/index';\nall.price();\nthing.price();\n",
            f"c{ending}": "import whatever from './src/price';\nwhatever();\n",
            f"d{ending}": "function f(price) { return price; }\n",
            f"e{ending}": "export { price } from './src';\n",
        }
    )
    assert folder.find(f"src/price{ending}", "price") == {
        f"src/price{ending}": ["2"],
        f"a{ending}": ["1", "2"],
        f"b{ending}": ["2"],
        f"c{ending}": ["1", "2"],
        f"e{ending}": ["1"],
    }


def test_required_modules_are_followed() -> None:
    folder = Folder(
        {
            "lib/one.js": "function one() {}\nmodule.exports = one;\n",
            "lib/many.js": "const many = () => 1;\nmodule.exports = { many, other: 2 };\n",
            "a.js": "const one = require('./lib/one');\none();\nfunction f(one) { one(); }\n",
            "b.js": "const { many } = require('./lib/many');\nmany();\n",
            "c.js": "const lib = require('./lib/many');\nlib.many();\n",
            "d.js": "require('./lib/many').many();\nrequire('lib').many();\n",
        }
    )
    assert folder.find("lib/one.js", "one") == {"lib/one.js": ["2"], "a.js": ["1", "2"]}
    assert folder.find("lib/many.js", "many") == {
        "lib/many.js": ["2"],
        "b.js": ["1", "2"],
        "c.js": ["2"],
        "d.js": ["1"],
    }


def test_members_of_typed_scripts_are_bound_by_annotations_and_families() -> None:
    folder = Folder(
        {
            "shop.ts": (
                "export interface Place { open(): void }\n"
                "export class Shop implements Place {\n"
                "  open() { this.open(); }\n"
                "}\n"
                "export class Door { open() {} }\n"
            ),
            "use.ts": (
                "import { Door, Place, Shop } from './shop';\n"
                "export function run(place: Place, door: Door, thing: any) {\n"
                "  place.open();\n"
                "  door.open();\n"
                "  thing.open();\n"
                "  new Shop().open();\n"
                "}\n"
            ),
        }
    )
    assert folder.find("shop.ts", "Shop.open") == {
        "shop.ts": ["1"],
        "use.ts": ["3", "5?", "6"],
    }


def test_a_type_and_a_value_of_one_name_are_two_things() -> None:
    folder = Folder(
        {
            "a.ts": "export interface Box { size: number }\nexport const Box = 1;\n",
            "b.ts": "import { Box } from './a';\nlet one: Box;\nconsole.log(Box);\n",
        }
    )
    assert folder.find("a.ts", "Box")["b.ts"] == ["1", "2"]


def test_a_file_that_does_not_parse_cannot_be_told() -> None:
    folder = Folder({"a.py": "def one():\n    pass\n", "b.py": "from a import one\none((\n"})
    reading = SourceFiles(folder.parsed, lambda path: path.relative in folder.files)
    assert PythonJsResolver.to("one", reading).in_file(folder.path("b.py"), []) is None


def test_what_is_taken_out_of_a_required_module_is_followed() -> None:
    folder = Folder(
        {
            "tools.js": "function trim() {}\nmodule.exports = { trim }\n",
            "a.js": "const tools = require('./tools')\nconst { trim } = tools\ntrim()\n",
            "b.js": "const tools = require('./tools')\nvar trim = tools.trim\ntrim()\n",
            "c.js": "const tools = require('./tools')\nlet trim = tools.trim\ntrim = 1\ntrim()\n",
            "d.js": "const tools = require('./other')\nconst { trim } = tools\ntrim()\n",
        }
    )
    assert folder.find("tools.js", "trim") == {
        "tools.js": ["2"],
        "a.js": ["2", "3"],
        "b.js": ["2", "3"],
        "c.js": ["2"],
    }


def test_what_a_script_passes_on_is_followed_and_stays_itself() -> None:
    folder = Folder(
        {
            "trim.js": "module.exports = trim\nfunction trim() {}\n",
            "more.js": "exports.cut = () => 1\n",
            "all.js": (
                "const more = require('./more')\n"
                "exports.trim = require('./trim')\n"
                "module.exports.cut = more.cut\n"
                "const KINDS = (exports.kinds = ['a'])\n"
                "KINDS.pop()\n"
            ),
            "a.js": "const all = require('./all')\nall.trim()\nall.cut()\n",
            "b.js": "const { kinds } = require('./all')\nkinds.pop()\n",
        }
    )
    assert folder.find("trim.js", "trim") == {"trim.js": ["1"], "all.js": ["2"], "a.js": ["2"]}
    assert folder.find("more.js", "cut") == {"all.js": ["3"], "a.js": ["3"]}
    assert folder.find("all.js", "trim") == {"a.js": ["2"]}
    assert folder.find("all.js", "KINDS") == {"all.js": ["5"]}
    assert folder.find("b.js", "kinds") == {"all.js": ["4"], "b.js": ["2"]}


def test_a_key_that_gives_a_thing_another_name_refers_to_it() -> None:
    folder = Folder(
        {
            "a.js": "class Body {}\nmodule.exports = { Readable: Body }\n",
            "b.js": "const { Readable } = require('./a')\nnew Readable()\n",
            "c.js": "const { Readable: Stream } = require('./a')\nnew Stream()\n",
        }
    )
    assert folder.find("a.js", "Body") == {"a.js": ["2"], "b.js": ["1", "2"], "c.js": ["1", "2"]}
    assert folder.find("b.js", "Readable") == {"a.js": ["2"], "b.js": ["2"], "c.js": ["1", "2"]}


def test_a_name_that_an_import_changes_is_known_in_its_file_alone() -> None:
    files = {
        "a.js": "function wrap() {}\nmodule.exports = { wrap }\n",
        "b.js": "const { wrap: wrap_ } = require('./a')\nwrap_()\n",
        "c.js": "const { wrap: wrap_ } = require('./a')\nwrap_()\n",
    }
    assert Folder(files).find("b.js", "wrap_") == {"b.js": ["2"]}
    every = {"a.js": ["2"], "b.js": ["1", "2"], "c.js": ["1", "2"]}
    assert Folder(files).find("a.js", "wrap") == every


def test_members_that_a_script_gives_a_function_are_possible() -> None:
    folder = Folder(
        {
            "suite.js": "function Suite() {}\nSuite.create = () => 1\nmodule.exports = Suite\n",
            "a.js": "const Suite = require('./suite')\nSuite.create()\n",
            "b.js": "function Plain() {}\nPlain.create()\n",
        }
    )
    assert folder.find("suite.js", "Suite.create") == {"a.js": ["2?"]}


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("class B {\n  m() { a b c ( }\n  use() { one() }\n}\n", {"b.ts": ["1", "4"]}),
        ("interface B<in out A> { f: typeof one }\none()\n", {"b.ts": ["1", "2", "3"]}),
        ("const c = { a: one b: d.one }\none()\n", {"b.ts": ["1", "2?", "3"]}),
        ("one((\n", {}),
    ],
)
def test_what_does_not_parse_makes_only_its_own_part_doubtful(
    broken: str, told: dict[str, list[str]]
) -> None:
    folder = Folder(
        {"a.ts": "export function one() {}\n", "b.ts": f"import {{ one }} from './a'\n{broken}"}
    )
    assert folder.find("a.ts", "one") == told


def test_what_a_module_makes_by_a_call_may_be_anything() -> None:
    folder = Folder(
        {
            "made.js": "module.exports = merge({ get one() { return require('./one') } })\n",
            "one.js": "exports.first = 1\n",
            "a.js": "const { one } = require('./made')\none.first()\n",
            "b.js": "const { one } = require('lib')\none.first()\n",
        }
    )
    assert folder.find("one.js", "first") == {"a.js": ["2?"]}


def test_a_variable_of_typescript_that_is_set_to_an_import_is_a_thing_of_its_own() -> None:
    folder = Folder(
        {
            "a.ts": "export const trim = () => 1\n",
            "b.ts": "import * as a from './a'\nexport const trim: () => 1 =\n  a.trim\ntrim()\n",
            "c.ts": "import * as a from './a'\nconst { trim } = a\ntrim()\n",
        }
    )
    assert folder.find("a.ts", "trim") == {"b.ts": ["3"], "c.ts": ["2"]}


def test_a_type_and_a_value_of_one_name_are_two_things_beyond_a_dot_too() -> None:
    folder = Folder(
        {
            "a.ts": "export interface Box { size: number }\nexport const Box = 1;\n",
            "b.ts": "import * as a from './a';\nlet one: a.Box;\nconsole.log(a.Box);\n",
        }
    )
    assert folder.find("a.ts", "Box") == {"b.ts": ["2"]}


def test_names_of_a_namespace_are_followed() -> None:
    folder = Folder(
        {
            "a.ts": (
                "export interface Plan { size: number }\n"
                "export declare namespace Plan {\n"
                "  export interface Proto { size: number }\n"
                "}\n"
                "export interface Big extends Plan.Proto {}\n"
            ),
            "b.ts": "import { Plan } from './a';\nlet one: Plan.Proto;\nlet two: Other.Proto;\n",
        }
    )
    assert folder.find("a.ts", "Plan.Proto") == {"a.ts": ["5"], "b.ts": ["2"]}


def test_members_of_classes_whose_base_cannot_be_told_are_possible() -> None:
    folder = Folder(
        {
            "a.ts": "export class A { open() {} }\n",
            "b.ts": "import { mixed } from './c';\nclass B extends mixed() { open() {} }\n",
            "c.ts": "export function mixed() { return A }\n",
            "d.ts": "import { Lib } from 'lib';\nclass D extends Lib { open() {} }\n",
        }
    )
    assert folder.find("a.ts", "A.open") == {"b.ts": ["2?"]}


def test_classes_that_are_members_of_others_have_families_too() -> None:
    folder = Folder(
        {
            "plain.js": (
                "class Plain {}\n"
                "Plain.Template = class PlainTemplate { apply() {} };\n"
                "module.exports = Plain;\n"
            ),
            "big.js": (
                "const Plain = require('./plain');\n"
                "class Big extends Plain {}\n"
                "Big.Template = class BigTemplate extends (\n"
                "  Plain.Template\n"
                ") { apply() {} };\n"
            ),
        }
    )
    assert folder.find("plain.js", "Plain.Template.PlainTemplate.apply") == {"big.js": ["5"]}


def test_what_a_script_writes_to_a_field_says_its_class() -> None:
    folder = Folder(
        {
            "a.js": "class Agent { send() {} }\nmodule.exports = Agent\n",
            "b.js": (
                "const Agent = require('./a')\n"
                "class One {\n"
                "  constructor(other) { this.agent = new Agent(); this.other = other; }\n"
                "  run() { this.agent.send(); }\n"
                "  go() { this.other.send(); }\n"
                "}\n"
            ),
        }
    )
    assert folder.find("a.js", "Agent.send") == {"b.js": ["4", "5?"]}


def test_a_static_member_and_another_of_its_name_are_two_things() -> None:
    text = "class A {\n  static read() {}\n  read() {}\n}\nA.read();\nnew A().read();\n"
    folder = Folder({"a.js": text})
    assert folder.find("a.js", "A.read") == {"a.js": ["5"]}
    turned = text.replace("  static read() {}\n  read() {}\n", "  read() {}\n  static read() {}\n")
    assert Folder({"a.js": turned}).find("a.js", "A.read") == {"a.js": ["6"]}


def test_what_is_written_to_a_prototype_is_a_member_of_its_class() -> None:
    folder = Folder(
        {
            "a.js": "class A {}\nA.prototype.size = 1\nmodule.exports = A\n",
            "b.js": "const A = require('./a')\nclass B extends A {\n  size() {}\n}\n",
            "c.js": "const A = require('./a')\nA.prototype.size = 2\nnew A().size\n",
        }
    )
    assert folder.find("b.js", "B.size") == {"a.js": ["2"], "c.js": ["2", "3"]}


def test_modules_that_import_themselves_do_not_hide_what_they_define() -> None:
    """As those do that show what they can when they are run."""
    folder = Folder(
        {
            "pkg/__init__.py": "from .table import Table\n",
            "pkg/table.py": (
                "class Table:\n    pass\n\n"
                "if __name__ == '__main__':\n"
                "    from pkg.table import Table\n"
                "    from pkg import Table\n"
                "    Table()\n"
            ),
            "a.py": "from pkg.table import Table\n\nTable()\n",
            "b.py": "from pkg import Table\n\nTable()\n",
        }
    )
    assert folder.find("pkg/table.py", "Table") == {
        "pkg/__init__.py": ["1"],
        "pkg/table.py": ["5", "6", "7"],
        "a.py": ["1", "3"],
        "b.py": ["1", "3"],
    }


def test_a_package_that_takes_a_module_out_of_itself_means_the_module() -> None:
    folder = Folder(
        {
            "pkg/__init__.py": "from . import hdrs as hdrs\n",
            "pkg/hdrs.py": "EXPECT = 1\n",
            "pkg/web.py": "from . import hdrs\n\nhdrs.EXPECT\n",
            "a.py": "from pkg import hdrs\n\nhdrs.EXPECT\n",
        }
    )
    assert folder.find("pkg/hdrs.py", "EXPECT") == {"pkg/web.py": ["3"], "a.py": ["3"]}


def test_a_class_that_writes_to_what_its_base_declares_refers_to_it() -> None:
    text = (
        "class Base:\n"
        "    size: int\n"
        "    @property\n"
        "    def etag(self):\n"
        "        return 1\n\n"
        "class File(Base):\n"
        "    def send(self):\n"
        "        self.etag = self.size = 2\n"
        "        return self.etag\n\n"
        "class Big(File):\n"
        "    def size(self):\n"
        "        return self.etag\n"
    )
    assert Folder({"a.py": text}).find("a.py", "Base.etag") == {"a.py": ["9", "10", "14"]}
    assert Folder({"a.py": text}).find("a.py", "Base.size") == {"a.py": ["9"]}


def test_projects_below_the_workspace_keep_their_sources_in_src() -> None:
    folder = Folder(
        {
            "tools/one/src/one/core.py": "def run():\n    pass\n",
            "tools/one/tests/test_core.py": "from one.core import run\n\nrun()\n",
            "tools/two/tests/test_core.py": "from one.core import run\n\nrun()\n",
        }
    )
    assert folder.find("tools/one/src/one/core.py", "run") == {
        "tools/one/tests/test_core.py": ["1", "3"]
    }


def test_what_a_decorator_makes_of_a_function_may_be_anything() -> None:
    folder = Folder(
        {
            "core.py": "class Group:\n    def command(self):\n        pass\n",
            "a.py": "import lib\n\n@lib.group()\ndef cli():\n    pass\n\ncli.command()\n",
            "b.py": "def cli():\n    pass\n\ncli.command()\n",
        }
    )
    assert folder.find("core.py", "Group.command") == {"a.py": ["7?"]}


SHOP = "class Shop:\n    def price(self):\n        pass\n\ndef make() -> Shop:\n    pass\n\n"


@pytest.mark.parametrize("far", range(2, 14))
def test_what_is_too_far_away_from_one_use_is_known_at_another(far: int) -> None:
    """What the first use cannot follow to its end is not taken for the answer at the second."""
    names = "".join(f"v{n + 1} = v{n}\n" for n in range(far)).replace("v0", "make()", 1)
    folder = Folder({"a.py": SHOP, "b.py": f"from a import make\n{names}v{far}.price()\n"})
    folder.files["b.py"] += "v1.price()\nmake().price()\n"
    found = folder.find("a.py", "Shop.price")["b.py"]
    assert found[-2:] == [f"{far + 3}", f"{far + 4}"]


@pytest.mark.parametrize("uses", [["second", "first"], ["first", "second"]])
def test_names_that_are_assigned_from_each_other_have_the_same_values(uses: list[str]) -> None:
    names = "first = Shop()\nsecond = first\nfirst = second\n"
    lines = "".join(f"{name}.price()\n" for name in uses)
    folder = Folder({"a.py": SHOP + names + lines})
    assert folder.find("a.py", "Shop.price") == {"a.py": ["11", "12"]}


def test_a_long_chain_of_calls_beyond_what_is_followed_takes_no_longer_than_it_is() -> None:
    links = "".join(f"    def m{n}(self) -> 'Shop':\n        pass\n" for n in range(60))
    chain = "".join(f".m{n}()" for n in range(60))
    folder = Folder({"a.py": f"class Shop:\n{links}\nx = Shop(){chain}\nx.m3()\n"})
    assert folder.find("a.py", "Shop.m3")["a.py"][-1].startswith("124")
