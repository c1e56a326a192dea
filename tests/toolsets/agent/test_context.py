"""context: large classes by their members, references by their lines; overloads are one symbol."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.toolsets.agent.conftest import Desk, text_of
from tests.wire.client import connect

BODY = "".join(
    f"    def step_{n}(self) -> int:\n" + "".join(f"        x{i} = {i}\n" for i in range(8))
    + f"        return {n}\n\n"
    for n in range(10)
)  # fmt: skip
LARGE = f'class Machine:\n    """Does steps."""\n\n{BODY}'
OVERLOADED = """\
from typing import overload


class Box:
    @overload
    def take(self, n: int) -> int: ...

    @overload
    @staticmethod
    def take(n: str) -> str: ...

    def take(self, n):
        return n


class Other:
    def take(self, n):
        return n
"""


@pytest.mark.requirement("agent-context-members")
def test_a_large_class_is_answered_by_its_members(desk: Desk) -> None:
    desk.write({"machine.py": LARGE})
    said = desk.text("context", symbol="Machine")
    assert '"""Does steps."""' in said
    assert "4-13   def step_0(self) -> int" in said
    assert "def step_9" in said
    assert "x3 = 3" not in said
    assert "(its 10 members; read Machine shows all of it)" in said
    assert "x3 = 3" in desk.text("context", symbol="Machine.step_4")
    assert "x3 = 3" in desk.text("read", path="machine.py", symbol="Machine")


@pytest.mark.requirement("agent-context-one-line")
def test_a_reference_is_one_line_and_as_certain_in_a_short_answer(desk: Desk) -> None:
    uses = "".join(
        f"def use_{n}():\n    # before\n    return total([{n}])\n\n\n" for n in range(40)
    )
    desk.write({"src/many.py": f"from app import total\n\n\n{uses}"})
    long, short = (
        desk.text("context", symbol="total", kind="references", max_tokens=most)
        for most in (20_000, 300)
    )
    assert long.splitlines()[0] == short.splitlines()[0]
    assert "src/many.py:6:return total([0])" in long.splitlines()
    assert "# before" not in long
    assert len(short) < 1200


@pytest.mark.requirement("agent-overloads-are-one")
def test_overloads_are_one_symbol(desk: Desk) -> None:
    desk.write({"box.py": OVERLOADED})
    said = desk.text("read", path="box.py", symbol="Box.take")
    assert said.count("def take") == 3
    assert "1 definition of Box.take" in desk.text("context", symbol="Box.take")
    desk.text("rename", symbol="Box.take", to="grab", path="box.py", possible=False)
    text = (desk.root / "box.py").read_text()
    assert text.count("def grab") == 3
    assert text.count("def take") == 1


@pytest.mark.requirement("agent-overloads-are-one")
def test_signatures_of_typescript_are_one_symbol(desk: Desk) -> None:
    text = (
        "export function take(n: number): number;\nexport function take(n: string): string;\n"
        "export function take(n: any): any {\n  return n;\n}\n"
    )
    desk.write({"box.ts": text})
    assert desk.text("read", path="box.ts", symbol="take").count("function take") == 3


@pytest.mark.requirement("agent-building-index")
def test_while_the_first_index_is_built_answers_say_so_and_are_useful(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for n in range(3000):
        used = "\nfrom m7 import unit_7\nunit_7(unit_7(unit_7(1)))\n" if n >= 2900 else ""
        (tmp_path / f"m{n}.py").write_text(f"def unit_{n}(x):\n    return x\n{used}")
    building = r"The index is being built: [\d,]+ of 3,000 files so far"
    rename = {"symbol": "unit_7", "to": "other", "path": "m7.py"}
    for tool, given, useful in (
        ("context", {"symbol": "unit_7"}, "m7.py:1-2 function unit_7"),
        ("context", {"query": "where is it computed in unit_9"}, "m9.py:1-2"),
        ("context", {"symbol": "unit_7", "kind": "references"}, "At least "),
        ("rename", rename, "a text search finds the name in at least 40 files, and context with"),
    ):
        # In a state directory of its own each call is the first.
        state = {"REDLINE_STATE_DIR": str(tmp_path_factory.mktemp("state"))}
        with connect("stdio", ["--tools", "agent"], cwd=tmp_path, env=state) as client:
            said = text_of(client.call(tool, given)["result"])
        assert useful in said
        assert re.search(building, said), said
