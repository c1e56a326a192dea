"""rename in Python: types and keys that code names as text, and what a library has."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk


@pytest.mark.requirement("agent-rename-bound")
def test_a_quoted_type_follows_a_class_wherever_a_type_is_meant(desk: Desk) -> None:
    text = (
        "import typing as t\n\n\nclass Shop: ...\n\n\n"
        'Kind: t.TypeAlias = "type[<Shop> | int]"\n'
        'Many: t.TypeAlias = t.Union["<Shop>", int]\n'
        'T = t.TypeVar("T", bound="<Shop>")\n'
        'one = t.cast("<Shop>", t.cast(object, "Shop"))\n'
        'name: t.Literal["Shop"] = "Shop"\n'
        'Names: t.TypeAlias = t.Literal["Shop"]\n'
    )
    before = text.replace("<", "").replace(">", "")
    desk.write({"a.py": before})
    desk.text("rename", symbol="Shop", to="Store", path="a.py")
    expected = text.replace("<Shop>", "Store").replace("class Shop", "class Store")
    assert (desk.root / "a.py").read_text() == expected


@pytest.mark.requirement("agent-rename-uncertain")
@pytest.mark.parametrize("base", ["TypedDict", "typing.TypedDict", "Base"])
def test_a_key_that_code_names_as_text_refuses(desk: Desk, base: str) -> None:
    shop = f"class Base(TypedDict): ...\n\n\nclass Shop({base}):\n    size: int\n    door: str\n"
    desk.write({"a.py": shop, "b.py": 'def f(shop):\n    return shop["size"]\n'})
    failure = desk.failure("rename", symbol="Shop.size", to="extent", path="a.py")
    assert "Code may name the key size as text: b.py:2" in failure
    said = desk.text("rename", symbol="Shop.size", to="extent", path="a.py", possible=False)
    assert "possible references, not renamed: b.py:2" in said
    desk.text("rename", symbol="Shop.door", to="gate", path="a.py")


@pytest.mark.requirement("agent-rename-bound")
def test_only_a_key_of_a_typed_dict_is_looked_for_as_text(desk: Desk) -> None:
    shops = "class Plan(TypedDict):\n    kind: str\n\n\nclass Shop:\n    size: int = 1\n"
    desk.write({"a.py": shops, "b.py": 'names = ["size"]\n'})
    said = desk.text("rename", symbol="Shop.size", to="extent", path="a.py")
    assert "possible references, not renamed: b.py:1" in said


@pytest.mark.requirement("agent-rename-bound")
@pytest.mark.parametrize("symbol", ["Shop.open", "Stall.open"])
def test_a_method_keeps_its_name_that_says_it_overrides_one_of_a_library(
    desk: Desk, symbol: str
) -> None:
    text = (
        "from typing import override\n\nimport trade\n\n\n"
        "class Shop(trade.Base):\n    @override\n    def open(self): ...\n\n\n"
        "class Stall(Shop):\n    @typing.override\n    def open(self): ...\n"
    )
    desk.write({"a.py": text})
    failure = desk.failure("rename", symbol=symbol, to="unlock", path="a.py")
    assert "A class, interface or trait of a library has the member: open" in failure
    ours = text.replace("trade.Base", "object").replace("    @override\n", "", 1)
    desk.write({"a.py": ours})
    desk.text("rename", symbol=symbol, to="unlock", path="a.py")
    assert (desk.root / "a.py").read_text() == ours.replace("open", "unlock")
