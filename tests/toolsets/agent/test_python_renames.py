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


@pytest.mark.requirement("agent-rename-uncertain")
def test_a_class_of_which_nothing_is_known_is_not_passed_over(desk: Desk) -> None:
    shop = "class Shop:\n    @classmethod\n    def make(cls): ...\n\n\n"
    desk.write({"a.py": shop + "def f(kind: type):\n    kind.make()\n"})
    failure = desk.failure("rename", symbol="Shop.make", to="build", path="a.py")
    assert "It is not certain whether these refer to make: a.py:7" in failure


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
    for hat in sorted(hats):
        hat.size()
    for shop in reversed([shop for shop in town.shops if shop.<size>()]):
        shop.<size>()
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
=== loops that come back
def f(one: object) -> None:
    one = Hat()
    while one:
        one.<size>()
        one = Shop()
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
=== arguments
class Of(Generic[T]):
    def size(self): ...


class Kept:
    shop = Shop()
    of = Of[int]()


def f(kept: Kept) -> None:
    kept.shop.<size>()
    kept.of.size()
"""


@pytest.mark.requirement("agent-rename-python")
@pytest.mark.parametrize("case", [each.strip() for each in USES.split("=== ")[1:]])
def test_a_member_follows_what_containers_and_checks_say(desk: Desk, case: str) -> None:
    marked = SHOPS + case.partition("\n")[2] + "\n"
    marked = marked.replace("def size", "def <size>", 1)
    desk.write({"a.py": marked.replace("<", "").replace("size>", "size")})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.py")
    assert (desk.root / "a.py").read_text() == marked.replace("<size>", "extent")


@pytest.mark.requirement("agent-rename-python")
@pytest.mark.parametrize(
    "body",
    [
        "    assert isinstance(one, Shop)\n    one = other()\n    one.size()\n",
        "    if isinstance(one, Shop) or one:\n        one.size()\n",
        "    if isinstance(one, Shop):\n        pass\n    one.size()\n",
        "    assert isinstance(one, Shop)\n    def g(one: other()) -> None:\n        one.size()\n",
    ],
    ids=["bound again", "or", "after", "another"],
)
def test_a_check_says_nothing_once_it_may_not_hold(desk: Desk, body: str) -> None:
    text = f"{SHOPS}def f(one: other()) -> None:\n{body}"
    desk.write({"a.py": text})
    line = text[: text.rindex("one.size()")].count("\n") + 1
    failure = desk.failure("rename", symbol="Shop.size", to="extent", path="a.py")
    assert f"It is not certain whether these refer to size: a.py:{line}" in failure


@pytest.mark.requirement("agent-rename-bound")
def test_a_class_that_a_docstring_speaks_of_relates_nothing(desk: Desk) -> None:
    text = '"""\nclass Shop\n\nA Hat and a Shop."""\n\n\n'
    shops = "class Shop:\n    size = 1\n\n\nclass Hat:\n    size = 2\n"
    desk.write({"a.py": text + shops})
    desk.text("rename", symbol="Shop.size", to="extent", path="a.py")
    assert (desk.root / "a.py").read_text() == text + shops.replace("size", "extent", 1)


@pytest.mark.requirement("agent-rename-python")
@pytest.mark.parametrize("typed", ["", ": Shop"])
def test_further_arguments_of_a_call_are_a_tuple_and_a_dict(desk: Desk, typed: str) -> None:
    text = (
        "class Shop:\n    def <get>(self, key): ...\n\n    def count(self): ...\n\n\n"
        f"def f(*args{typed}, **kwargs{typed}):\n    kwargs.get('a')\n    args.count(1)\n"
        "    first, *others = args\n    run(lambda **more: more.get('a'))\n"
    )
    inside = "    kwargs['a'].<get>('b')\n    for one in args:\n        one.<get>('a')\n"
    text += inside if typed else ""
    desk.write({"a.py": text.replace("<", "").replace(">", "")})
    said = desk.text("rename", symbol="Shop.get", to="fetch", path="a.py")
    assert "possible" not in said
    assert (desk.root / "a.py").read_text() == text.replace("<get>", "fetch")
    desk.text("rename", symbol="Shop.count", to="tally", path="a.py")
    assert (desk.root / "a.py").read_text().count("tally") == 1
