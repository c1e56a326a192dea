"""Records are what `dataclasses` makes of the same class, written later."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any, ClassVar

import pytest

from redline.core import records

BOTH = pytest.mark.parametrize("made_by", [dataclasses, records])


def _classes(made_by: Any) -> tuple[Any, Any, Any]:
    @made_by.dataclass(frozen=True, slots=True)
    class Point:
        """A place."""

        kind: ClassVar[str] = "place"
        x: int
        y: int = 2
        names: list[str] = made_by.field(default_factory=list, compare=False, repr=False)

        def moved(self) -> Point:
            return records.replace(self, x=self.x + 1)

    @made_by.dataclass(slots=True)
    class Counter:
        given: int
        known: dict[str, int] = made_by.field(default_factory=dict, init=False)
        total: int = made_by.field(init=False)

        def __post_init__(self) -> None:
            self.total = self.given * 2

    @made_by.dataclass(eq=False)
    class Named:
        name: str = "none"

    @made_by.dataclass
    class More(Named):
        size: int = 0

    return Point, Counter, More


@BOTH
def test_a_record_is_made_shown_and_compared(made_by: Any) -> None:
    point_class, counter_class, more_class = _classes(made_by)
    point = point_class(1, names=["a"])
    assert (point.x, point.y, point.names, point.kind) == (1, 2, ["a"], "place")
    assert repr(point).endswith("Point(x=1, y=2)")
    assert point == point_class(1, 2) != point_class(1, 3)
    assert (point == (1, 2)) is False
    assert hash(point) == hash((1, 2))
    assert point_class.__match_args__ == ("x", "y", "names")
    assert point_class.__doc__ == "A place."
    counter = counter_class(3)
    assert (counter.total, counter.known) == (6, {})
    assert counter_class(3) == counter
    assert counter_class(3).known is not counter.known
    more = more_class("a", 3)
    assert repr(more).endswith("More(name='a', size=3)")
    assert (more == more_class("a", 3), vars(more)) == (True, {"name": "a", "size": 3})
    assert more_class.__bases__[0]() != more_class.__bases__[0]()


@BOTH
def test_a_record_takes_no_other_arguments_and_a_frozen_one_no_change(made_by: Any) -> None:
    point_class, counter_class, _ = _classes(made_by)
    for wrong in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError):
            point_class(**wrong)
    point, counter = point_class(1), counter_class(1)
    with pytest.raises(AttributeError):
        point.x = 2
    with pytest.raises(AttributeError):
        del point.x
    with pytest.raises(AttributeError):
        counter.other = 1
    with pytest.raises(TypeError):
        hash(counter)
    with pytest.raises(ValueError, match="default"):
        made_by.dataclass(type("Shared", (), {"__annotations__": {"a": "list"}, "a": []}))


@records.dataclass(frozen=True, slots=True)
class Pair:
    first: int
    second: int = 2


def test_a_record_is_copied_replaced_and_taken_apart() -> None:
    pair = Pair(1)
    assert records.replace(pair, first=5) == dataclasses.replace(pair, first=5) == Pair(5)
    assert records.asdict(pair) == {"first": 1, "second": 2}
    assert records.astuple(pair) == (1, 2)
    assert [each.name for each in dataclasses.fields(Pair)] == ["first", "second"]
    assert copy.copy(pair) == copy.deepcopy(pair) == pickle.loads(pickle.dumps(pair)) == pair


def test_a_class_that_is_defined_compiles_nothing() -> None:
    program = """
import sys
from redline.core.records import dataclass
said = []
sys.addaudithook(lambda event, _: said.append(event) if event == "compile" else None)
@dataclass(frozen=True, slots=True)
class Point:
    x: int
print(len(said), "dataclasses" in sys.modules)
Point(1)
print(len(said), "dataclasses" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["0", "False", "1", "False"], done.stderr
