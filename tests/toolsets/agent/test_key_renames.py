"""rename: keys of TypeScript in quotes and texts, constants of unions, `any` of libraries."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize("line", [2, 6])
def test_a_property_in_quotes_is_renamed_inside_them(desk: Desk, line: int) -> None:
    text = (
        "export interface Shop {\n  '<size>'?: number;\n  \"sell\"(): void;\n}\n"
        "export class Stall implements Shop {\n  '<size>' = 1;\n  'sell'() {}\n}\n"
        "export const a: Shop = { '<size>': 1, sell() {} };\n"
        "export const f = ({ '<size>': n }: Shop, s: Shop) => s['<size>'] + s.<size>;\n"
        "export interface Hat {\n  'size': string;\n  'width': string;\n}\n"
        "export const own = { 'size': 1 };\n"
    )
    before = text.replace("<size>", "size")
    desk.write({"a.ts": before})
    assert "already used: width" in desk.failure(
        "rename", symbol="size", to="width", path="a.ts", line=line
    )
    said = desk.text("rename", symbol="size", to="extent", path="a.ts", line=line)
    assert (desk.root / "a.ts").read_text() == text.replace("<size>", "extent")
    assert "a.ts:13" not in said


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize(
    ("first", "second"),
    [("Kind.SHOP", "Kind.HAT"), ('"shop"', '"hat"'), ("true", "false"), ("1", "2")],
)
def test_a_constant_tells_the_types_of_a_union_apart(desk: Desk, first: str, second: str) -> None:
    """Each `<size>` is a shop's; where the variable changes, either may be meant."""
    kinds = "export enum Kind {\n  SHOP,\n  HAT,\n}\n"
    text = (
        'import { Kind as K, type Kind } from "./kinds";\n'
        f"interface Shop {{\n  kind: {first};\n  <size>: number;\n}}\n"
        f"interface Hat {{\n  kind: {second};\n  size: number;\n}}\n"
        "declare function show(one: Shop | Hat): void;\n"
        f"show({{ kind: {first}, <size>: 1 }});\nshow({{ kind: {second}, size: 1 }});\n"
        "export function f(one: Shop | Hat) {\n"
        f"  if (one.kind === {first}) return one.<size>;\n"
        f"  return one.kind === {second} && one.size;\n}}\n"
        "export function g(one: Shop | Hat) {\n  switch (one.kind) {\n"
        f"    case {first}: {{\n      return one.<size>;\n    }}\n"
        f"    case {second}:\n      return one.size;\n  }}\n}}\n"
    ).replace("= Kind.", "= K.")
    desk.write({"kinds.ts": kinds, "a.ts": text.replace("<size>", "size")})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=4)
    assert (desk.root / "a.ts").read_text() == text.replace("<size>", "extent")


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize(
    "test",
    [
        '  if (one.kind === "shop") {\n    one = other;\n    use(one.size);\n  }\n',
        '  if (one.kind === "shop" || use(one)) use(one.size);\n',
        '  if (one.kind === "shop") {\n    return () => one.size;\n  }\n',
        '  switch (one.kind) {\n    case "hat":\n    case "shop":\n      use(one.size);\n  }\n',
    ],
)
def test_a_constant_that_may_have_changed_tells_nothing(desk: Desk, test: str) -> None:
    text = (
        'interface Shop {\n  kind: "shop";\n  size: number;\n}\n'
        'interface Hat {\n  kind: "hat";\n  size: number;\n}\n'
        "declare function use(one: unknown): boolean;\n"
        f"export function f(one: Shop | Hat, other: Hat) {{\n{test}}}\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=3)
    assert (desk.root / "a.ts").read_text() == text.replace("size", "extent")


KEYS = "export type Loose<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;\n"


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize(
    "use",
    [
        'Omit<Required<Shop>, "<size>">',
        'Pick<Shop, "door" | "<size>">',
        'Loose<Required<Shop>, | "door" | "<size>">',
        'Exclude<keyof Shop, "<size>">',
        'Shop["door" | "<size>"]',
        'Only<"<size>">',
        'Pick<Hat, "size">',
    ],
)
def test_texts_that_a_type_takes_as_keys_are_renamed(desk: Desk, use: str) -> None:
    text = (
        'import type { Loose } from "./keys";\n'
        "export interface Shop {\n  <size>: number;\n  door: number;\n}\n"
        "interface Hat {\n  size: number;\n}\n"
        "type Only<K extends keyof Shop> = Shop[K];\n"
        "declare function pluck<T, K extends keyof T>(one: T, key: K): T[K];\n"
        f"export type Use = {use};\n"
        'export const n = pluck<Shop, "<size>">(null!, "<size>");\n'
    )
    before = text.replace("<size>", "size")
    desk.write({"a.ts": before, "keys.ts": KEYS})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=3)
    assert (desk.root / "a.ts").read_text() == text.replace("<size>", "extent")


@pytest.mark.requirement("agent-rename-uncertain")
@pytest.mark.parametrize(
    "use",
    [
        'SetOptional<Shop, "size">',
        "Loose<Shop, Kept>",
        "{ [P in Kept]: number }",
        "number;\nexport const f = (s: Shop, k: Kept) => s[k]",
        "number;\nconst g = <K extends keyof Shop>(k: K) => k;\nexport const f = (k: Kept) => g(k)",
    ],
)
def test_texts_that_a_type_may_take_as_keys_refuse(desk: Desk, use: str) -> None:
    text = (
        'import type { Loose } from "./keys";\nimport type { SetOptional } from "library";\n'
        "export interface Shop {\n  size: number;\n  door: number;\n}\n"
        f'type Kept = "size" | "door";\nexport type Use = {use};\n'
    )
    desk.write({"a.ts": text, "keys.ts": KEYS})
    failure = desk.failure("rename", symbol="Shop.size", to="extent", path="a.ts", line=4)
    assert "It is not certain whether these refer to size: a.ts:" in failure


@pytest.mark.requirement("agent-rename-uncertain")
def test_texts_that_name_no_member_do_not_refuse(desk: Desk) -> None:
    text = (
        'interface Shop {\n  size: number;\n}\ntype Kind = "size" | "price";\n'
        "declare const by: Record<Kind, number>;\nexport const f = (k: Kind) => by[k];\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=2)
    assert (desk.root / "a.ts").read_text() == text.replace("size", "extent", 1)


@pytest.mark.requirement("agent-rename-uncertain")
def test_members_of_what_a_library_has_as_any_are_listed(desk: Desk) -> None:
    text = (
        "export interface Shop {\n  size: number;\n}\n"
        "export const f = (e: MessageEvent) => e.data.size;\n"
        "export const g = async (r: Response) => (await r.json()).size;\n"
        "export const h = (e: CustomEvent) => {\n  const { size } = e.detail;\n};\n"
        "export const i = (e: MouseEvent) => e.view.size;\n"
    )
    desk.write({"a.ts": text})
    said = desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=2)
    assert "possible references, not renamed: a.ts:4, a.ts:5, a.ts:7\n" in f"{said}\n"


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize("kept", ['Omit<Shop, "<size>">', 'Pick<Shop, "door">'])
def test_a_member_that_a_type_leaves_out_is_not_the_one_that_takes_its_place(
    desk: Desk, kept: str
) -> None:
    text = (
        "interface Shop {\n  <size>: number;\n  door: number;\n}\n"
        f"interface Stall extends {kept} {{\n  size: string;\n}}\n"
        f"type Town = {kept} & {{ size: string }};\n"
        "export const f = (a: Shop, b: Stall, c: Town) => [a.<size>, b.size, c.size, b.door];\n"
        'export const t: Town = { size: "L", door: 1 };\n'
    )
    desk.write({"a.ts": text.replace("<size>", "size")})
    said = desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=2)
    assert (desk.root / "a.ts").read_text() == text.replace("<size>", "extent")
    assert "possible" not in said


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize("key", ["size: 1", "'size': 1", "'size': size"])
def test_of_a_key_and_what_is_beside_it_the_key_is_renamed(desk: Desk, key: str) -> None:
    """Another text or variable of the line may have the name, too."""
    text = (
        "declare function input(name: string): any;\nconst size = 1;\n"
        f"export const shop = {{ {key} }};\nexport class Stall {{\n"
        "  @input('size') size = shop.size;\n}\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="size", to="extent", path="a.ts", line=3)
    expected = text.replace(key, key.replace("size", "extent", 1))
    expected = expected.replace("shop.size", "shop.extent")
    assert (desk.root / "a.ts").read_text() == expected
    desk.text("rename", symbol="size", to="width", path="a.ts", line=5)
    assert "@input('size') width = shop.extent" in (desk.root / "a.ts").read_text()


@pytest.mark.requirement("agent-rename-typed")
def test_a_key_that_is_spread_over_is_renamed_with_what_is_spread(desk: Desk) -> None:
    text = (
        "interface Shop {\n  size: number;\n}\n"
        "export function f(s: Shop) {\n  const { size } = { size: 1, ...s };\n  return size;\n}\n"
        "export const g = (s: Shop) => ({ ...s, size: 2 }).size;\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=2)
    changed = "const { extent: size } = { extent: 1, ...s }"
    expected = text.replace("const { size } = { size: 1, ...s }", changed)
    assert (desk.root / "a.ts").read_text() == expected.replace("  size: n", "  extent: n")
