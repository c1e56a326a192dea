"""rename: members of TypeScript are renamed where its own compiler says that they are used."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk

SHOP = """\
export interface Shop {
  size: number;
  door: Door;
}
export interface Door {
  width: number;
}
"""
IMPORTED = """\
import { Shop, Door } from "./shop";
declare const d: Door;
declare function use(x: unknown): void;
"""
# Each use of `size` that is a shop's is `<size>`, and `[size]` where one word names a variable too.
CASES = """\
=== annotated
export const a: Shop = { <size>: 1, door: { width: 2 } };
=== asserted
export const a = { <size>: 1 } as Shop;
export const b = { <size>: 1 } satisfies Partial<Shop>;
=== returned
export function f(): Shop {
  return { <size>: 1, door: d };
}
export const g = (): Shop => ({ <size>: 1, door: d });
=== awaited
async function f(): Promise<Shop> {
  return { <size>: 1, door: d };
}
export const n = async () => (await f()).<size>;
=== argument
function f(shop: Shop, n = 1) {}
f({ <size>: 1, door: d });
class K {
  constructor(shop: Shop) {}
}
new K({ <size>: 1, door: d });
=== generic
function f<T>(one: T): T {
  return one;
}
f<Shop>({ <size>: 1, door: d });
export const n = (s: Shop) => f(s).<size>;
=== constrained
function f<T extends Shop>(one: T) {
  return one.<size>;
}
f({ <size>: 1, door: d });
=== destructured
export function f({ <size>: n, door }: Shop) {
  return n;
}
export const g = (s: Shop) => {
  const { <size>: m = 1 } = s;
  return m;
};
=== shorthand
export function f({ [size] }: Shop): Shop {
  return { [size], door: d };
}
=== element
export function f(shops: Shop[], by: Map<string, Shop>) {
  for (const s of shops) use(s.<size>);
  shops.filter((s) => s.<size>).map((s) => s.<size>);
  for (const [k, s] of by) use(s.<size>);
  return shops[0].<size> + by.get('a')!.<size>;
}
=== combined
type If<T> = T extends string ? Shop : null;
export function f(shops: Shop[], by: { [k: string]: Shop }, one: If<"a">) {
  use(by["a"].<size> + by[use.name].<size>);
  for (const s of Object.values({ a: shops[0] })) use(s.<size>);
  return one?.<size>;
}
=== callback
function f(cb: (shop: Shop) => void) {}
f((s) => use(s.<size>));
export const g: { on(shop: Shop): void } = {
  on(s) {
    use(s.<size>);
  },
};
=== nested
interface Town {
  shops: Shop[];
}
export const t: Town = { shops: [{ <size>: 1, door: d }] };
=== alias
type Open = Shop & { open: boolean };
export const f = (s: Open | null) => s?.<size>;
=== inferred
const make = (): Shop => null!;
function again() {
  return make();
}
export const n = again().<size>;
=== narrowed
class Stall implements Shop {
  <size> = 1;
  door = null!;
}
const isShop = (x: unknown): x is Shop => true;
export function f(x: unknown) {
  if (x instanceof Stall) return x.<size>;
  if (isShop(x)) return x.<size>;
}
=== this
function f(this: Shop) {
  return this.<size>;
}
=== one of several
interface Hat {
  kind: "hat" | "cap";
  size: string;
}
interface Stall extends Shop {
  kind: "stall";
}
function show(thing: Stall | Hat) {}
show({ kind: "stall", <size>: 1, door: d });
show({ kind: "hat", size: "L" });
=== default
interface Box<T, U extends keyof T = keyof T> {
  of: T;
  key: U;
}
export const b: Box<Shop> = { of: null!, key: "<size>" };
=== by text
export type Size = Shop["<size>"];
export const f = (s: Shop) => s["<size>"] + s.<size>;
function pluck<T, K extends keyof T>(one: T, key: K) {}
class Table<T> {
  column(...names: (keyof T)[]) {}
}
pluck(d, "width");
pluck(null! as Shop, "<size>");
new Table<Shop>().column("door", "<size>");
use("size");
=== qualified
import * as all from "./shop";
namespace Old {
  export interface Shop {
    size: number;
  }
}
export const f = (s: all.Shop, o: Old.Shop, x: Elsewhere.Shop) => s.<size> + o.size + x.size;
=== merged
interface Town<in out T> {
  name: string;
}
class Town<in out T> {
  shop!: Shop;
}
export const f = (t: Town<string>) => t.shop.<size>;
=== field without a type
class Town {
  #shop;
  constructor(shop: Shop) {
    this.#shop = shop;
  }
  size() {
    return this.#shop.<size>;
  }
}
=== held
export function f(shops: Shop[], by: Map<string, Shop>, all: Set<Shop>) {
  shops.push({ <size>: 1, door: d });
  by.set("a", { <size>: 1, door: d });
  const plain = shops.map((s) => ({ size: s.<size> }));
  for (const s of all.add({ <size>: 1, door: d })) use(s.<size>);
  let one: Shop | undefined;
  use((one ??= shops[0]).<size>);
}
=== iterable
interface Street extends Iterable<Shop> {
  [number: string]: unknown;
}
interface Square {
  [name: string]: Shop;
}
export function f(street: Street, square: Square) {
  for (const s of street) use(s.<size>);
  return square.corner.<size>;
}
=== resource
export function f(make: () => Shop) {
  using s = make();
  return s.<size>;
}
=== a library's
import { open, type Kind } from "library";
import * as lib from "library";
export const a = open("a", { size: 1 }).size;
open((e) => e.size);
export const f = (x: lib.Thing, y: Kind) => x.size + y.size;
=== others
interface Hat {
  size: string;
}
export const h: Hat = { size: 'L' };
export const n = (x: any) => x.size;
const own = { size: 1 };
export const m = own.size + new Set([1]).size + document.body.size;
export const { size } = { size: 2 };
"""
USES = dict(case.split("\n", 1) for case in CASES.removeprefix("=== ").split("=== "))


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize("case", USES)
def test_a_member_is_renamed_wherever_its_type_is_known(desk: Desk, case: str) -> None:
    marked = f"{IMPORTED}{USES[case]}"
    before = marked.replace("<size>", "size").replace("[size]", "size")
    after = marked.replace("<size>", "extent").replace("[size]", "extent: size")
    desk.write({"shop.ts": SHOP, "use.ts": before})
    desk.text("rename", symbol="Shop.size", to="extent", path="shop.ts")
    assert (desk.root / "use.ts").read_text() == after
    assert (desk.root / "shop.ts").read_text() == SHOP.replace("size", "extent")


@pytest.mark.requirement("agent-rename-typed")
def test_members_that_one_place_uses_get_the_name_together(desk: Desk) -> None:
    text = (
        "interface Shop {\n  size: number;\n}\ninterface Stall {\n  size: number;\n}\n"
        "interface Hat {\n  size: number;\n}\nclass Both implements Shop {\n  size = 1;\n}\n"
        "export const f = (x: Shop | Stall) => x.size;\nexport const g = (x: Hat) => x.size;\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="size", to="extent", path="a.ts", line=2)
    kept = "Hat {\n  size: number;\n}"
    expected = text.replace("size", "extent").replace(kept.replace("size", "extent"), kept)
    expected = expected.replace("(x: Hat) => x.extent", "(x: Hat) => x.size")
    assert (desk.root / "a.ts").read_text() == expected


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize("line", [2, 5])
def test_a_parameter_that_is_a_field_is_renamed_with_the_field(desk: Desk, line: int) -> None:
    text = (
        "export class Shop {\n  source = 1;\n}\nexport class Stall extends Shop {\n"
        "  constructor(public override source: number) {\n    super();\n"
        "    this.source = source;\n  }\n}\n"
        "export class Door {\n  constructor(readonly source: number) {}\n}\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="source", to="other", path="a.ts", line=line)
    head, door = text.split("export class Door")
    expected = head.replace("source", "other") + "export class Door" + door
    assert (desk.root / "a.ts").read_text() == expected


@pytest.mark.requirement("agent-rename-typed")
def test_a_static_member_is_renamed_with_those_that_say_that_they_override_it(desk: Desk) -> None:
    text = (
        "export class Shop {\n  static open() {}\n}\n"
        "export class Stall extends Shop {\n  static override open() {}\n}\n"
        "export class Door extends Shop {\n  static open() {}\n}\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Shop.open", to="unlock", path="a.ts")
    assert (desk.root / "a.ts").read_text() == text.replace("open", "unlock", 2)


@pytest.mark.requirement("agent-rename-uncertain")
def test_a_text_in_a_type_that_nothing_takes_members_by_does_not_refuse(desk: Desk) -> None:
    text = (
        "export interface Shop {\n  size: number;\n}\n"
        'export type Kind = "size" | "door";\nexport type Part = { [P in keyof Shop]?: Shop[P] };\n'
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.ts")
    assert (desk.root / "a.ts").read_text() == text.replace("size", "extent", 1)


@pytest.mark.requirement("agent-rename-typed")
def test_a_text_that_tells_types_apart_is_renamed_with_the_member(desk: Desk) -> None:
    text = (
        "interface Shop {\n  sell(): void;\n}\ntype Sale = Shop | (() => void);\n"
        'export const f = (x: Sale) => ("sell" in x ? x.sell() : x());\n'
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Shop.sell", to="vend", path="a.ts")
    assert (desk.root / "a.ts").read_text() == text.replace("sell", "vend")
