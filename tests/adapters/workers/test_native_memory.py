"""Native parsers: loaded at first use, sparingly, with no rule left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")

LEFT = "print(ctypes.CDLL(None).prctl(42, 0, 0, 0, 0), 'MIMALLOC_ALLOW_THP' in os.environ)\n"
PARSE = "assert read(b'a = 1', float, native=True) == {'a': 1}\n"


def said(code: str, folder: Path) -> list[str]:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout.split()


def test_a_module_is_told_to_be_sparing_only_while_it_loads(tmp_path: Path) -> None:
    (tmp_path / "probe.py").write_text("import os\nseen = os.environ.get('MIMALLOC_ALLOW_THP')\n")
    code = (
        "import ctypes, os, sys\n"
        "sys.path.insert(0, '')\n"
        "from redline.adapters.workers.native_memory import load_sparingly\n"
        "print(load_sparingly('probe').seen, load_sparingly('probe') is sys.modules['probe'])\n"
    )
    assert said(code + LEFT, tmp_path) == ["0", "True", "0", "False"]


def test_a_workspace_has_the_toml_parser_loaded_so_at_its_first_toml(tmp_path: Path) -> None:
    code = (
        "import ctypes, os, sys\n"
        "import redline.adapters.workers.native_memory as native\n"
        "loaded, sparingly = [], native.load_sparingly\n"
        "native.load_sparingly = lambda name: (loaded.append(name), sparingly(name))[1]\n"
        "from redline import Workspace\n"
        "os.mkdir('ws')\nWorkspace.open('ws', state_dir='state')\n"
        "assert not loaded and 'toml_rs' not in sys.modules\n"
        "from redline.documents.toml_read import read\n"
        f"{PARSE}"
        "print(*loaded)\n"
    )
    assert said(code + LEFT, tmp_path) == ["toml_rs", "0", "False"]


def test_documents_alone_need_no_workspace(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from redline.documents.toml_read import read\n"
        f"{PARSE}"
        "print('redline.adapters.workers.native_memory' in sys.modules)\n"
    )
    assert said(code, tmp_path) == ["False"]
