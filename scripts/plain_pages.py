"""Hold the pages for users to plain English: short sentences, short table cells, short entries.

Usage: plain_pages.py prints what is too long and fails if there is any. Pages in NOT_YET were
written before these limits. The list only shrinks: a page that keeps the limits must leave it.
"""

from __future__ import annotations

import re
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
MOST_WORDS, MOST_CELL, MOST_ENTRY = 30, 200, 160
CHANGELOG = "CHANGELOG.md"
# For contributors, and pages that other scripts write.
NOT_FOR_USERS = {
    *("architecture.md", "bench-server.md", "cli.md", "decisions.md", "dependencies.md"),
    *("performance.md", "compatibility.md"),
}
NOT_YET: set[str] = {
    "operations.md",
    "safety.md",
    "scale.md",
    "tools/_code.md",
    "tools/_files.md",
}
_LEFT_OUT = re.compile(
    r"(?ms)^(```|~~~).*?^\1[^\n]*$|<!-- generated:.*?<!-- /generated -->|<!--.*?-->"
    r"|!\[[^\]]*\]\([^)]*\)|(?<=\])\([^)]*\)|<[^>\n]+>"
)
_CODE = re.compile(r"`[^`]*`")
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)|(?<=\n)(?=\|)")
_END = re.compile(r"[.!?](?=[\s)\"*_]|$)[)\"*_]*")


def find_long(name: str, text: str) -> list[str]:
    """Return what is too long on a page, each as a line that names the page and the text."""
    if name == CHANGELOG:
        return [f"{name}: {line}" for line in text.splitlines() if len(line) > MOST_ENTRY]
    found = []
    for block in _BLOCK.split(_LEFT_OUT.sub(" ", text)):
        if block.startswith("    "):
            continue  # code
        if block.lstrip().startswith("|"):
            cells = re.split(r"(?<!\\)\|", block)
            found += [f"{name}: {cell.strip()}" for cell in cells if len(cell.strip()) > MOST_CELL]
            continue
        for sentence in _END.split(_CODE.sub("code", block)):
            if len(words := sentence.split()) > MOST_WORDS:
                found.append(f"{name}: {len(words)} words: {' '.join(words)}")
    return found


def pages() -> dict[str, str]:
    """Return the pages that people read who use Redline, by their names below docs."""
    docs = REPO / "docs"
    found = {
        str(page.relative_to(docs)): page.read_text("utf-8")
        for page in sorted([*docs.glob("*.md"), *docs.glob("clients/*.md"), *docs.glob("tools/_*")])
        if page.name not in NOT_FOR_USERS
    }
    return {
        **{name: (REPO / name).read_text("utf-8") for name in ("README.md", CHANGELOG)},
        **found,
    }


def main() -> int:
    """Print what is too long on pages that are done; return the exit code."""
    long = {name: find_long(name, text) for name, text in pages().items()}
    problems = [line for name, lines in long.items() if name not in NOT_YET for line in lines]
    problems += [
        f"{name}: is short enough, take it out of NOT_YET"
        for name in sorted(NOT_YET)
        if not long.get(name)
    ]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
