"""Count what a model sees in o200k tokens, offline, with npm's gpt-tokenizer."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.library.peers import CACHE, NODE

_SCRIPT = Path(__file__).with_name("count_tokens.mjs")
_MODULES = CACHE / "node-tools" / "node_modules"


def count_tokens(texts: Sequence[str]) -> list[int]:
    """The number of tokens of each text."""
    done = subprocess.run(
        [str(NODE), str(_SCRIPT), str(_MODULES)],
        input=json.dumps(list(texts)).encode(),
        capture_output=True,
        check=True,
    )
    counts: list[int] = json.loads(done.stdout)
    return counts


def tool_text(tool: dict[str, object]) -> str:
    """What a model is given of one listed tool."""
    seen = {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}
    return json.dumps(seen, separators=(",", ":"), ensure_ascii=False)
