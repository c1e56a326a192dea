"""One call of each tool, for clients that are to call them all."""

from __future__ import annotations

import re
from typing import Any

_PATCH = "*** Begin Patch\n*** Update File: b.txt\n@@\n-bee\n+buzz\n*** End Patch"

# In order; "$session" is the session that the call before answered.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read", {"path": "a.txt"}),
    ("find", {"globs": ["*.txt"]}),
    ("search", {"query": "two"}),
    ("edit", {"path": "a.txt", "edits": [{"old": "two", "new": "2"}]}),
    ("write", {"path": "b.txt", "content": "bee\n"}),
    ("apply_patch", {"patch": _PATCH}),
    ("move", {"path": "b.txt", "to": "c.txt"}),
    ("delete", {"path": "c.txt"}),
    ("run", {"command": "cat", "wait": 0, "tty": True}),
    ("session", {"session": "$session", "stop": True}),
    ("context", {"path": "shop.py"}),
    ("rewrite", {"pattern": "print($A)", "rewrite": "log($A)", "language": "python"}),
    ("rename", {"symbol": "price", "to": "gross"}),
    ("get", {"path": "conf.yaml", "key": "port"}),
    ("set", {"path": "conf.yaml", "edits": [{"key": "port", "value": 81}]}),
    ("changes", {}),
    ("undo", {}),
]
FILES = {
    "a.txt": "one\ntwo\n",
    "conf.yaml": "port: 80\n",
    "shop.py": "def price(x):\n    return x\n\n\nprint(price(1))\n",
}


def session_in(text: str, otherwise: str = "") -> str:
    """The session that an answer names, else *otherwise*."""
    found = re.findall(r"session ([0-9a-f]{16})", text)
    return found[-1] if found else otherwise
