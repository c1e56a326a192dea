"""rename: what modules of scripts import while they run, and what they export of libraries."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk

SHOP = "export function sell(n: number) {\n  return n;\n}\n"


@pytest.mark.requirement("agent-rename-typed")
def test_a_variable_that_another_name_is_given_to_keeps_it(desk: Desk) -> None:
    use = "const { sell: buy } = await import('./shop');\nexport const n = buy(1);\n"
    desk.write({"shop.ts": SHOP, "use.ts": use})
    desk.text("rename", symbol="sell", to="vend", path="shop.ts", line=1)
    assert (desk.root / "use.ts").read_text() == use.replace("sell", "vend")


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize("where", ["global", 'module "doors"'])
@pytest.mark.parametrize("line", [2, 3])
def test_what_is_declared_as_a_library_has_it_keeps_its_name(
    desk: Desk, where: str, line: int
) -> None:
    text = f"declare {where} {{\n  interface Door {{\n    size: number;\n  }}\n}}\nexport {{}};\n"
    desk.write({"a.ts": text})
    name = ("Door", "size")[line - 2]
    failure = desk.failure("rename", symbol=name, to="Extent", path="a.ts", line=line)
    assert f"of a library has the member: {name}" in failure


@pytest.mark.requirement("agent-rename-uncertain")
@pytest.mark.parametrize("base", ["Error", "Failure"])
def test_what_a_class_has_of_a_library_is_not_ours(desk: Desk, base: str) -> None:
    text = (
        'import { Failure } from "library";\nexport interface Note {\n  message: string;\n}\n'
        f"class Broken extends {base} {{}}\nexport class Lost extends Broken {{\n"
        "  constructor(note: Note) {\n    super();\n    this.message = note.message;\n  }\n}\n"
    )
    desk.write({"a.ts": text})
    desk.text("rename", symbol="Note.message", to="text", path="a.ts")
    kept = text.replace("message: string", "text: string").replace("note.message", "note.text")
    assert (desk.root / "a.ts").read_text() == kept


@pytest.mark.requirement("agent-rename-uncertain")
@pytest.mark.parametrize("export", ["export type { Door } from", "export * from"])
def test_what_a_module_exports_of_a_library_is_not_ours(desk: Desk, export: str) -> None:
    files = {
        "package.json": '{"name": "shops"}',
        "shop.ts": "export interface Shop {\n  size: number;\n}\n",
        "types.ts": f'{export} "doors";\n',
        "use.ts": 'import { Door } from "./types";\nimport { Shop } from "./shop";\n'
        "export const f = (door: Door, shop: Shop) => door.size + shop.size;\n",
    }
    desk.write(files)
    desk.text("rename", symbol="Shop.size", to="extent", path="shop.ts")
    assert (desk.root / "use.ts").read_text() == files["use.ts"].replace("shop.size", "shop.extent")
