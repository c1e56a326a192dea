"""rename: types of TypeScript that only their members join get a name together."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk

SHOP = "export interface Shop {\n  size(): number;\n  door?: string;\n}\n"
STALL = "export class Stall {\n  size() {\n    return 1;\n  }\n  price = 1;\n}\n"
HAT = "export class Hat {\n  size() {\n    return 1;\n  }\n}\n"
IMPORTED = (
    'import type { Shop } from "./shop";\nimport { Stall } from "./stall";\n'
    'import { Hat } from "./hat";\n'
    "declare function show(shop: Shop): void;\nexport const hat = new Hat();\n"
)
GIVEN = {
    "argument": "show(new Stall());",
    "argument of a constructor": "class Town { constructor(s: Shop) {} }\nnew Town(new Stall());",
    "assigned": "let shop: Shop;\nshop = new Stall();",
    "declared": "const stall = new Stall();\nexport const shop: Shop = stall;",
    "field": "export class Town { shop: Shop = new Stall(); }",
    "default": "export function f(shop: Shop = new Stall()) {}",
    "returned": "export function f(): Shop { const s = new Stall(); return s; }",
    "returned by an arrow": "export const f = (s: Stall): Shop => s;",
    "promised": "export async function f(): Promise<Shop> { return new Stall(); }",
    "element": "export const shops: Shop[] = [new Stall()];",
    "elements": "declare const stalls: Stall[];\nexport const shops: readonly Shop[] = stalls;",
    "pushed": "export const f = (shops: Shop[]) => shops.push(new Stall());",
    "property": "export const town: { shop: Shop } = { shop: new Stall() };",
    "shorthand": "const shop = new Stall();\nexport const town: { shop: Shop } = { shop };",
    "one of several": 'export const f = (s: string | Shop) => s;\nf(new Stall() ?? "");',
    "limit of a function": "declare function f<T extends Shop>(one: T): T;\nf(new Stall());",
    "limit of a type": "interface Town<T extends Shop> { shop: T }\nexport type S = Town<Stall>;",
    "type argument": (
        "interface Box<T> { of: T }\ndeclare const b: Box<Stall>;\nexport const c: Box<Shop> = b;"
    ),
    "override": (
        "abstract class Town { abstract make(): Shop; }\n"
        "export class Village extends Town { make() { return new Stall(); } }"
    ),
    "implemented": (
        "interface Town { take(s: Stall): void }\n"
        "export class Village implements Town { take(s: Shop) {} }"
    ),
    "function": (
        "declare function f(make: () => Shop): void;\nfunction make() { return new Stall(); }\n"
        "f(make);"
    ),
    "satisfied": "export const s = new Stall() satisfies Shop;",
    "yielded": "export function* f(): Generator<Shop> { yield new Stall(); }",
    "spread": "declare function f(...s: Shop[]): void;\ndeclare const s: Stall[];\nf(...s);",
    "taken by a function": "export const f: (s: Stall) => void = (s: Shop) => {};",
    "taken by a method": "export const f: { take(s: Stall): void } = { take(s: Shop) {} };",
    "called back": "export const f = (stalls: Stall[]) => stalls.forEach(show);",
    "constructed": "declare function make(kind: new () => Shop): void;\nmake(Stall);",
    "limit of a base": "class Town<T extends Shop> {}\nexport class Village extends Town<Stall> {}",
}


@pytest.mark.requirement("agent-rename-shapes")
@pytest.mark.parametrize("case", GIVEN)
@pytest.mark.parametrize("home", ["shop.ts", "stall.ts"])
def test_a_class_that_is_given_as_an_interface_is_renamed_with_it(
    desk: Desk, case: str, home: str
) -> None:
    """The place that joins them is in a file without the name."""
    use = f"{IMPORTED}{GIVEN[case]}\n"
    desk.write({"shop.ts": SHOP, "stall.ts": STALL, "hat.ts": HAT, "use.ts": use})
    desk.text("rename", symbol="size", to="extent", path=home, line=2)
    assert (desk.root / "shop.ts").read_text() == SHOP.replace("size", "extent")
    assert (desk.root / "stall.ts").read_text() == STALL.replace("size", "extent")
    assert (desk.root / "hat.ts").read_text() == HAT


@pytest.mark.requirement("agent-rename-shapes")
@pytest.mark.parametrize(
    "use",
    [
        "export const stall = new Stall();",
        "export const f = (x: Stall | Shop): Shop => x as Shop;",
        "const isShop = (x): x is Shop => 1;\nconst f = (x: Stall | Shop) => isShop(x) && show(x);",
        "export const f = (x: any) => show(x);\nf(new Stall());",
        "export const shop: Shop | Stall = new Stall();",
    ],
)
def test_a_class_that_is_not_given_as_the_interface_keeps_its_name(desk: Desk, use: str) -> None:
    desk.write({"shop.ts": SHOP, "stall.ts": STALL, "hat.ts": HAT, "use.ts": f"{IMPORTED}{use}\n"})
    desk.text("rename", symbol="size", to="extent", path="shop.ts", line=2)
    assert (desk.root / "shop.ts").read_text() == SHOP.replace("size", "extent")
    assert (desk.root / "stall.ts").read_text() == STALL


@pytest.mark.requirement("agent-rename-shapes")
def test_one_of_several_types_is_not_joined_to_the_others(desk: Desk) -> None:
    text = (
        'interface Next<T> {\n  kind: "N";\n  value: T;\n}\ninterface Done {\n  kind: "D";\n}\n'
        "type Note<T> = Next<T> | Done;\ndeclare function send(note: Note<unknown>): void;\n"
        "declare function next<T>(value: T): Next<T>;\n"
        "export const f = <T>(value: T) => send(next(value));\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Next.kind", to="sort", path="a.ts", line=2)
    assert (desk.root / "a.ts").read_text() == text.replace("kind", "sort", 1)


@pytest.mark.requirement("agent-rename-shapes")
def test_a_method_of_an_array_may_be_called_by_its_name_as_text(desk: Desk) -> None:
    text = (
        "interface Shop {\n  size: number;\n}\ninterface Hat {\n  size: number;\n}\n"
        "declare function show(shop: Shop): void;\n"
        'export const g = (shops: Shop[]) => shops["map"]((s) => show(s));\n'
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.ts", line=2)
    assert (desk.root / "a.ts").read_text() == text.replace("size", "extent", 1)
