"""move with imports: a directory moves, and every import of what is in it follows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.toolsets.agent.conftest import Desk
from tests.wire.test_dry_run_names import contents

pytestmark = pytest.mark.requirement("agent-move-directories")
PYTHON = {
    "shop/__init__.py": "",
    "shop/base.py": "unit = 1\n",
    "shop/tax/__init__.py": "from .rates import low\n\ntop = low\n",
    "shop/tax/rates.py": (
        "from ..base import unit\nfrom . import table\n\nlow = unit + table.zero\n"
    ),
    "shop/tax/table.py": "import shop.tax\n\nzero = 0\n\n\ndef back():\n    return shop.tax.top\n",
    "use.py": (
        "import shop.tax.rates\nimport shop.tax as t\nfrom shop import base, tax\n"
        "from shop.tax import table, top\nfrom shop.tax.rates import low\n\n"
        "print(shop.tax.rates.low, t.top, tax.top, top, low, base.unit, table.back())\n"
    ),
}
SCRIPT = {
    "lib/shop.ts": 'import { rate } from "./tax";\nexport * from "./tax/table";\nrate;\n',
    "lib/tax/index.ts": (
        'import { zero } from "./table";\nimport { base } from "../base";\n'
        'import "./style.css";\nexport const rate = zero + base;\n'
    ),
    "lib/tax/table.ts": "export const zero = 0;\n",
    "lib/base.ts": "export const base = 1;\n",
}


def run(desk: Desk, name: str) -> str:
    """What Python itself makes of a program of the workspace."""
    start = [sys.executable, "-B", name]
    return subprocess.run(start, cwd=desk.root, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("to", ["shop/levy", "shop/money/levy", "levy"])
def test_a_python_package_moves_with_all_its_imports(desk: Desk, to: str) -> None:
    desk.write(PYTHON)
    (desk.root / "shop/money").mkdir()
    (desk.root / "shop/money/__init__.py").write_text("")
    before, printed = contents(desk.root), run(desk, "use.py")
    said = desk.text("move", path="shop/tax", to=to, imports=True)
    assert "imports updated" in said
    assert run(desk, "use.py") == printed
    assert "shop.tax" not in (desk.root / "use.py").read_text()
    assert "from . import table" in (desk.root / to / "rates.py").read_text()
    desk.text("undo")
    assert contents(desk.root) == before


def test_a_directory_of_scripts_moves_with_all_its_imports(desk: Desk) -> None:
    desk.write(SCRIPT)
    said = desk.text("move", path="lib/tax", to="lib/money/levy", imports=True)
    assert "note: 3 imports updated" in said
    shop = (desk.root / "lib/shop.ts").read_text()
    assert shop.startswith(
        'import { rate } from "./money/levy";\nexport * from "./money/levy/table"'
    )
    moved = (desk.root / "lib/money/levy/index.ts").read_text()
    assert 'from "./table"' in moved
    assert 'from "../../base"' in moved
    assert 'import "./style.css"' in moved


def test_the_directory_that_imports_begin_at_moves_without_any_change(desk: Desk) -> None:
    files = {f"src/{name}": text for name, text in PYTHON.items()}
    desk.write(files)
    printed = run(desk, "src/use.py")
    desk.text("move", path="src", to="code", imports=True)
    assert (desk.root / "code/use.py").read_text() == PYTHON["use.py"]
    assert run(desk, "code/use.py") == printed


def test_a_directory_moved_without_imports_counts_those_that_are_left(desk: Desk) -> None:
    desk.write(PYTHON)
    assert "imports still name the old path" in desk.text("move", path="shop/tax", to="shop/levy")


def test_several_modules_of_a_directory_without_an_init_file_follow(desk: Desk) -> None:
    files = {
        "ns/a/x.py": "",
        "ns/a/y.py": "",
        "ns/__init__.py": "",
        "use.py": "from ns.a import x, y\n",
    }
    desk.write(files)
    desk.text("move", path="ns/a", to="ns/b", imports=True)
    assert (desk.root / "use.py").read_text() == "from ns.b import x, y\n"
