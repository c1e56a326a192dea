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
        'Plain = t.Optional[t.Callable[[int], "<Shop>"]]\n'
        'print({"Shop": 1}["Shop"])\n\n\ndef f(x):\n    # type: (<Shop>) -> None\n    pass\n'
        'name: t.Literal["Shop"] = "Shop"\n'
        'Names: t.TypeAlias = t.Literal["Shop"]\n'
    )
    desk.write({"a.py": text.replace("<Shop>", "Shop")})
    desk.text("rename", symbol="Shop", to="Store", path="a.py")
    expected = text.replace("<Shop>", "Store").replace("class Shop", "class Store")
    assert (desk.root / "a.py").read_text() == expected


@pytest.mark.requirement("agent-rename-python")
def test_members_are_followed_through_classes_that_are_passed_around(desk: Desk) -> None:
    text = (
        "from typing import Type\n\n\n"
        "class Shop:\n    @classmethod\n    def <make>(cls): ...\n\n\n"
        "class Plan:\n    kind: Type[Shop]\n\n    def run(self):\n        self.kind.<make>()\n\n\n"
        "def f(one: type[Shop] | None, many: list[type[Shop]]):\n    one.<make>()\n"
        "    for each in many:\n        each.<make>()\n"
    )
    desk.write({"a.py": text.replace("<", "").replace(">", "")})
    desk.text("rename", symbol="Shop.make", to="build", path="a.py")
    assert (desk.root / "a.py").read_text() == text.replace("<make>", "build")


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


SHOPS = """\
from __future__ import annotations
import typing
from typing import *


class Shop:
    def size(self) -> int: ...
    def __enter__(self) -> Self: ...


class Hat:
    def size(self) -> int: ...


class Town:
    shops: list[Shop]
    by_name: Dict[str, Shop] | None

    def open(self, some: Sequence[Shop] | None) -> None:
        self.some = some or []

    def each(self) -> Iterator[Shop]: ...


"""
# Each use of a shop's `size` is `<size>`.
USES = """\
=== loops
def f(town: Town, shops: typing.List[Shop], hats: set[Hat]) -> None:
    for shop in shops:
        shop.<size>()
    for nth, shop in enumerate(town.some):
        shop.<size>()
    for name, shop in town.by_name.items():
        shop.<size>()
    for hat in hats:
        hat.size()
=== elements
def f(town: Town, pair: tuple[Shop, Shop], hats: dict[str, Hat]) -> None:
    town.shops[0].<size>()
    town.shops[1:][0].<size>()
    town.by_name["a"].<size>()
    pair[0].<size>()
    hats["a"].size()
    town.shops.pop().<size>()
    next(town.each()).<size>()
    [town.shops[0], pair[1]][0].<size>()
    hats.size()
=== checks
def f(one: object, two, hat: Shop | Hat) -> None:
    assert isinstance(one, Shop)
    one.<size>()
    if isinstance(two, Shop) and two.<size>():
        two.<size>()
    elif isinstance(two, Hat):
        two.size()
    if not isinstance(hat, Hat):
        return
    hat.size()
=== assignments
def f(town: Town, thing: Any) -> None:
    thing = Hat()
    thing.size()
    thing = town.shops[0] if town else Shop()
    thing.<size>()
    thing = typing.cast("Shop", town)
    thing.<size>()
=== contexts
def f() -> None:
    with Shop() as shop:
        shop.<size>()
=== comments
class Stall(Shop):
    def close(  # the last one
        self,
    ) -> None:
        self.<size>()
"""


@pytest.mark.requirement("agent-rename-python")
@pytest.mark.parametrize("case", [each.strip() for each in USES.split("=== ")[1:]])
def test_a_member_follows_what_containers_and_checks_say(desk: Desk, case: str) -> None:
    marked = SHOPS + case.partition("\n")[2] + "\n"
    marked = marked.replace("def size", "def <size>", 1)
    desk.write({"a.py": marked.replace("<", "").replace("size>", "size")})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.py")
    assert (desk.root / "a.py").read_text() == marked.replace("<size>", "extent")


@pytest.mark.requirement("agent-rename-bound")
def test_a_class_that_a_docstring_speaks_of_relates_nothing(desk: Desk) -> None:
    text = '"""\nclass Shop\n\nA Hat and a Shop."""\n\n\n'
    shops = "class Shop:\n    size = 1\n\n\nclass Hat:\n    size = 2\n"
    desk.write({"a.py": text + shops})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.py")
    assert (desk.root / "a.py").read_text() == text + shops.replace("size", "extent", 1)
