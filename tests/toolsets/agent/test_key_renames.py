"""rename: keys of TypeScript in quotes and texts."""

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


KEYS = "export type Loose<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;\n"


@pytest.mark.requirement("agent-rename-typed")
@pytest.mark.parametrize(
    "use",
    [
        'Pick<Shop, "door" | "<size>">',
        'Loose<Required<Shop>, | "door" | "<size>">',
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
def test_texts_that_name_no_member_do_not_refuse(desk: Desk) -> None:
    text = (
        'interface Shop {\n  size: number;\n}\ntype Kind = "size" | "price";\n'
        "declare const by: Record<Kind, number>;\nexport const f = (k: Kind) => by[k];\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=2)
    assert (desk.root / "a.ts").read_text() == text.replace("size", "extent", 1)


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
