"""Hold the pages for users to plain English: short sentences, cells, lists and entries.

Usage: plain_pages.py prints what is too long and fails if there is any.
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
MOST_WORDS_IN_ALL = 40_000
_LEFT_OUT = re.compile(
    r"(?ms)^(```|~~~).*?^\1[^\n]*$|<!-- generated:.*?<!-- /generated -->|<!--.*?-->"
    r"|!\[[^\]]*\]\([^)]*\)|(?<=\])\([^)]*\)|<[^>\n]+>"
)
_CODE = re.compile(r"`[^`]*`")
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)|(?<=\n)(?=\|)")
_ITEM = r"(?:[^\s,;:.!?()|]+ ){0,5}[^\s,;:.!?()|]+"
# Five things or more in a row: a list with marks, or a table, shows them better.
_LISTED = re.compile(rf"(?:{_ITEM}, ){{3,}}{_ITEM},? (?:and|or) {_ITEM}|(?:{_ITEM}, ){{4,}}{_ITEM}")
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
            words = sentence.split()
            if len(words) > MOST_WORDS:
                found.append(f"{name}: {len(words)} words: {' '.join(words)}")
            if listed := _LISTED.search(" ".join(words)):
                found.append(f"{name}: lists more than four things: {listed[0]}")
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
    """Print what is too long; return the exit code."""
    found = pages()
    problems = [line for name, text in found.items() for line in find_long(name, text)]
    words = sum(len(text.split()) for text in found.values())
    if words > MOST_WORDS_IN_ALL:
        problems.append(f"{words} words for users, at most {MOST_WORDS_IN_ALL}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
