"""What the command line calls the arguments and tools that errors name."""

from __future__ import annotations

WORDS = {
    '"..."': "'\"...\"'",  # the shell takes the outer quotes away
    "context": "redline context",
    "create_parents": "--create-parents",
    "doc_index": "--doc-index",
    "format": "--format",
    "globs": "--glob",
    "globs: !NAME": "--glob '!NAME'",
    "language": "--language or --file",
    "line": "--line",
    "list_changes": "redline log",
    "path": "--file",
    "possible: false": "--no-possible",
    "possible: true": "--possible",
    "query": "redline query",
    "rewrite": "the replacement",
    "search": "redline search",
}
