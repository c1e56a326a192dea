"""rename: what a type checker decides, and what is refused where there is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.toolsets.agent.conftest import Desk
from tests.wire.client import connect


@pytest.mark.requirement("agent-rename-server-members")
def test_a_member_that_a_mapped_type_repeats_is_renamed_with_it(desk: Desk) -> None:
    text = (
        "export interface Shape {\n  <area>: number;\n}\n"
        "export type Keys<T> = { [K in keyof T]: boolean };\n"
        "export const k: Keys<Shape> = { <area>: true };\n"
        "export const { <area>: n }: Shape = { <area>: 1 };\n"
        "// the area of a shape\n"
    )
    desk.write({"a.ts": _plain(text)})
    said = desk.text("rename", symbol="area", to="size", path="a.ts", line=2)
    assert (desk.root / "a.ts").read_text() == text.replace("<area>", "size")
    assert "possible references, not renamed: a.ts:7" in said


def _plain(text: str, name: str = "area") -> str:
    return text.replace(f"<{name}>", name)


@pytest.mark.requirement("agent-rename-server-members")
def test_what_a_module_that_is_loaded_by_a_call_gives_is_renamed(desk: Desk) -> None:
    use = (
        "export async function f() {\n  const { sell } = await import('./shop');\n  sell(1);\n}\n"
        "export const p = async () => (await import('./shop')).sell(1);\n"
    )
    desk.write({"shop.ts": "export function sell(n: number) {}\n", "use.ts": use})
    desk.text("rename", symbol="sell", to="vend", path="shop.ts", line=1)
    expected = use.replace("{ sell }", "{ vend: sell }").replace(").sell", ").vend")
    assert (desk.root / "use.ts").read_text() == expected


@pytest.mark.requirement("agent-rename-server-members")
def test_a_rename_after_which_the_checker_reports_something_new_is_refused(desk: Desk) -> None:
    text = (
        "class Shop:\n    def open(self) -> int:\n        return 1\n\n\n"
        "def make(Shop=None):\n    from a import Shop as S\n    return S().open()\n\n\n"
        "class Own(dict[str, int]):\n    def get(self, key: str) -> int:\n        return 1\n"
    )
    desk.write({"a.py": text})
    desk.text("rename", symbol="Shop.open", to="unlock", path="a.py", dry_run=True)
    both = "class A:\n    x = 1\n\n\nclass B:\n    x = x_of = 2\n\n\ndef f(a: A) -> int:\n"
    desk.write({"b.py": f"{both}    return getattr(a, 'x') + a.x\n"})
    said = desk.text("rename", symbol="A.x", to="y", path="b.py", dry_run=True)
    assert "b.py:10" in said


@pytest.mark.requirement("agent-rename-server-missing")
def test_without_a_server_a_member_is_refused_with_the_places_and_what_to_install(
    tmp_path: Path,
) -> None:
    files = {
        "a.ts": "export class Shop {\n  open() {}\n}\nexport const f = (s: Shop) => s.open();\n",
        "b.ts": "export function g(x: any) {\n  x.open();\n}\n",
        "main.ts": "import { Shop } from './a';\nexport const shop = new Shop();\n",
    }
    env = {"PATH": "/nowhere"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with connect("stdio", ["--tools", "agent", "--structured"], cwd=tmp_path, env=env) as client:
        desk = Desk(client, tmp_path)
        failure = desk.failure("rename", symbol="Shop.open", to="unlock", path="a.ts")
        assert "Only a type checker can tell what refers to the member open: b.ts:2" in failure
        assert "npm install --save-dev typescript" in failure
        said = desk.text("context", symbol="Shop.open", kind="references", precise=True)
        assert "b.ts:2:x.open();  (possible)" in said
        assert "npm install --save-dev typescript" in said
        desk.text("rename", symbol="Shop.open", to="unlock", path="a.ts", possible=False)
        assert "s.unlock()" in (tmp_path / "a.ts").read_text()
        assert (tmp_path / "b.ts").read_text() == files["b.ts"]
        desk.text("rename", symbol="Shop", to="Store", path="a.ts")
        assert "new Store()" in (tmp_path / "main.ts").read_text()


@pytest.mark.requirement("agent-context-precise")
@pytest.mark.parametrize("suffix", ["py", "ts"])
def test_a_precise_question_leaves_out_the_references_of_other_symbols(
    desk: Desk, suffix: str
) -> None:
    types = {
        "py": "class Shop:\n    def open(self) -> int:\n        return 1\n\n\n"
        "class Door:\n    def open(self) -> int:\n        return 2\n",
        "ts": "export class Shop {\n  open(): number { return 1; }\n}\n"
        "export class Door {\n  open(): number { return 2; }\n}\n",
    }
    uses = {
        "py": "from typing import Any\nfrom a import Door, Shop\n\n\ndef make() -> list[Shop]:\n"
        "    return [Shop()]\n\n\ndef enter() -> list[Door]:\n    return [Door()]\n\n\n"
        "make()[0].open()\nenter()[0].open()\n\n\ndef f(x: Any):\n    x.open()\n",
        "ts": "import { Door, Shop } from './a';\n\nconst make = () => [new Shop()];\n"
        "const enter = () => [new Door()];\nmake()[0].open();\nenter()[0].open();\n"
        "export const f = (x: any) => x.open();\n",
    }
    ours, others, unknown = {"py": (13, 14, 18), "ts": (5, 6, 7)}[suffix]
    desk.write({f"a.{suffix}": types[suffix], f"use.{suffix}": uses[suffix]})
    asked = {"symbol": "Shop.open", "kind": "references", "path": f"a.{suffix}", "line": 2}
    loose = desk.text("context", **asked)
    assert f"use.{suffix}:{others}:" in loose
    precise = desk.text("context", **asked, precise=True)
    assert re.search(rf"use\.{suffix}:{ours}:.*\(\)$", precise.replace(";", ""), re.MULTILINE)
    assert f"use.{suffix}:{others}:" not in precise
    assert re.search(rf"use\.{suffix}:{unknown}:.*\(possible\)", precise)


@pytest.mark.requirement("agent-rename-server-members")
def test_a_type_that_a_conversion_joins_is_renamed_with_the_object(desk: Desk) -> None:
    text = (
        "type Fields = {\n  <reset>: () => void;\n};\n"
        "export function memo<F extends () => void>(f: F) {\n"
        "  const made = () => {};\n"
        "  made.<reset> = () => {};\n"
        "  return made as F & Fields;\n"
        "}\n"
    )
    desk.write({"a.ts": _plain(text, "reset")})
    desk.text("rename", symbol="reset", to="wipe", path="a.ts", line=6)
    assert (desk.root / "a.ts").read_text() == text.replace("<reset>", "wipe")


@pytest.mark.requirement("agent-rename-server-members")
def test_a_shorthand_keeps_its_variable_where_a_conversion_gives_it_its_type(desk: Desk) -> None:
    text = (
        "export interface Options<F> {\n  <memo>: F;\n}\n"
        "type Both<F> = (() => void) & Options<F> & { other: number };\n"
        "export function make<F extends () => void>(memo: F) {\n"
        "  return Object.assign(() => {}, { <memo>, other: 1 }) as Both<F>;\n"
        "}\n"
    )
    desk.write({"a.ts": _plain(text, "memo")})
    desk.text("rename", symbol="memo", to="keep", path="a.ts", line=2)
    expected = text.replace("{ <memo>,", "{ keep: memo,").replace("<memo>", "keep")
    assert (desk.root / "a.ts").read_text() == expected


@pytest.mark.requirement("agent-rename-python")
def test_a_member_that_a_library_defines_is_not_taken_for_unknown(desk: Desk) -> None:
    text = (
        "class Shop:\n    def __init__(self, name: str) -> None:\n"
        "        self._file = open(name)\n\n"
        "    def <close>(self) -> None:\n        self._file.close()\n\n\n"
        "def leave(shop: Shop) -> None:\n    shop.<close>()\n"
    )
    desk.write({"a.py": _plain(text, "close")})
    desk.text("rename", symbol="Shop.close", to="shut", path="a.py")
    assert (desk.root / "a.py").read_text() == text.replace("<close>", "shut")


@pytest.mark.requirement("agent-rename-server-members")
def test_a_refusal_has_what_redline_and_what_the_server_would_rename(desk: Desk) -> None:
    text = (
        "export class Rows {\n  next(): IteratorResult<number> {\n"
        "    return { done: false, value: 1 };\n  }\n}\n"
        "export type Kept = Pick<Rows, 'next'>;\n"
        "const make = () => [new Rows()];\nmake()[0].next();\n"
        "export const rows: Iterator<number> = new Rows();\n"
    )
    desk.write({"a.ts": text})
    said = desk.failure("rename", symbol="Rows.next", to="step", path="a.ts")
    assert "typescript reports new problems after the rename, the first at a.ts:9" in said
    assert "only typescript renames a.ts:" in said
    assert (desk.root / "a.ts").read_text() == text


@pytest.mark.requirement("agent-rename-bound")
def test_a_syntax_error_that_was_there_with_the_old_name_refuses_nothing(desk: Desk) -> None:
    text = (
        "class Bits {\n public:\n  static int Last(int n);\n};\n"
        "inline int Bits::Last(int n) {\n  return n;\n}\n"
    )
    desk.write({"bits.h": text})
    desk.text("rename", symbol="Last", to="Final", path="bits.h", line=5, possible=True)
    assert (desk.root / "bits.h").read_text().count("Final") >= 1
    broken = desk.failure("rename", symbol="total", to="class", path="src/app.py")
    assert "class" in broken


@pytest.mark.requirement("agent-rename-server-members")
def test_a_member_by_which_a_union_is_told_apart_is_renamed_in_all_of_its_types(desk: Desk) -> None:
    kinds = [f"K{n}" for n in range(12)]
    text = "".join(f"export type {k} = {{ <kind>: '{k}'; n: number }};\n" for k in kinds)
    cases = "".join(f"    case '{k}':\n      return x.n + {n};\n" for n, k in enumerate(kinds))
    text += f"export function f(x: {' | '.join(kinds)}): number {{\n  switch (x.<kind>) {{\n"
    text += f"{cases}  }}\n}}\n"
    desk.write({"a.ts": _plain(text, "kind")})
    desk.text("rename", symbol="kind", to="tag", path="a.ts", line=3)
    assert (desk.root / "a.ts").read_text() == text.replace("<kind>", "tag")


_TERMS = (
    "class Term:\n    def <pieces>(self):\n        return [self]\n\n\n"
    "class Case(Term):\n    def __init__(self, cases):\n        self.cases = cases\n\n"
    "    def <pieces>(self):\n        return [p for c in self.cases for p in c.<pieces>()]\n"
)


@pytest.mark.requirement("agent-rename-server-unknown")
def test_a_use_of_unknown_type_is_renamed_if_nothing_else_has_the_member(desk: Desk) -> None:
    desk.write({"a.py": _plain(_TERMS, "pieces")})
    asked = {"symbol": "Term.pieces", "to": "bits", "path": "a.py"}
    said = desk.text("rename", **asked)
    assert (desk.root / "a.py").read_text() == _TERMS.replace("<pieces>", "bits")
    assert "of unknown type, renamed as nothing else has this member: a.py:11" in said


@pytest.mark.requirement("agent-rename-server-unknown")
@pytest.mark.parametrize("name", ["pieces", "split"])
def test_a_use_of_unknown_type_refuses_if_something_else_has_the_member(
    desk: Desk, name: str
) -> None:
    other = "class Puzzle:\n    def pieces(self):\n        return []\n"
    text = _plain(_TERMS, "pieces").replace("pieces", name)
    desk.write({"a.py": text, "b.py": other})
    said = desk.failure("rename", symbol=f"Term.{name}", to="bits", path="a.py")
    assert f"ty does not know whether these refer to {name}: a.py:11" in said
    assert (desk.root / "a.py").read_text() == text


@pytest.mark.requirement("agent-rename-server-waiting")
def test_a_rename_tells_each_thing_that_it_waits_for(desk: Desk) -> None:
    desk.write({"a.py": _plain(_TERMS, "pieces")})
    asked = {"symbol": "Term.pieces", "to": "bits", "path": "a.py"}
    params = {"name": "rename", "arguments": asked, "_meta": {"progressToken": "waits"}}
    desk.client.request("tools/call", params)
    told = [each["params"] for each in desk.client.notifications if "progress" in each["method"]]
    told = [each for each in told if each["progressToken"] == "waits"]
    assert told[0]["message"] == "waiting for ty"
    assert [each["progress"] for each in told] == list(range(1, len(told) + 1))


@pytest.mark.requirement("agent-rename-server-members")
def test_a_key_of_a_typed_dict_that_texts_name_keeps_its_name(desk: Desk) -> None:
    types = "from typing import TypedDict\n\n\nclass Options(TypedDict, total=False):\n"
    desk.write(
        {
            "types_.py": f"{types}    strict: bool\n    loose: bool\n",
            "use.py": "from types_ import Options\n\n\ndef f(o: Options, **rest):\n"
            "    return Options(loose=True), {'strict': True, **rest}\n",
        }
    )
    said = desk.failure("rename", symbol="Options.strict", to="exact", path="types_.py")
    assert "Texts name this key of a TypedDict: use.py:5" in said


@pytest.mark.requirement("agent-rename-server-members")
def test_a_text_by_which_a_type_leaves_out_the_member_is_renamed_with_it(desk: Desk) -> None:
    config = '{"compilerOptions": {"strict": true}}'
    text = (
        "type Full = { notify: () => void; size: number };\n"
        "export type Given = Omit<Full, 'size' | 'notify'> & {\n"
        "  size?: number;\n  notify?: () => void;\n};\n"
        "export function make(given: Given): Full {\n"
        "  return { size: 1, notify: () => {}, ...given };\n"
        "}\n"
    )
    desk.write({"a.ts": text, "tsconfig.json": config})
    desk.text("rename", symbol="notify", to="tell", path="a.ts", line=1)
    after = (desk.root / "a.ts").read_text()
    assert "{ tell: () => void; size: number }" in after
    assert "Omit<Full, 'size' | 'tell'>" in after


@pytest.mark.requirement("agent-rename-server-members")
def test_a_static_member_is_renamed_without_the_instance_member_of_the_name(desk: Desk) -> None:
    text = (
        "export class TimedOut extends Error {\n  static <name> = 'TimedOut';\n\n"
        "  constructor() {\n    super('too late');\n    this.name = TimedOut.<name>;\n  }\n}\n"
    )
    desk.write({"a.ts": _plain(text, "name")})
    desk.text("rename", symbol="TimedOut.name", to="title", path="a.ts", line=2)
    assert (desk.root / "a.ts").read_text() == text.replace("<name>", "title")


@pytest.mark.requirement("agent-rename-server-members")
def test_a_text_in_a_constant_that_names_the_member_is_renamed_with_it(desk: Desk) -> None:
    files = {
        "kinds.ts": "export const FIRST = '<first>';\n"
        "export interface Kinds {\n  <first>: number;\n}\n",
        "use.ts": "import { FIRST, Kinds } from './kinds';\n\n"
        "const take = (kind: keyof Kinds) => kind;\ntake(FIRST);\n",
    }
    desk.write({name: _plain(text, "first") for name, text in files.items()})
    desk.text("rename", symbol="Kinds.first", to="initial", path="kinds.ts", line=3)
    for name, text in files.items():
        assert (desk.root / name).read_text() == text.replace("<first>", "initial")
