"""The kinds of change for docs/tools/json.md, each with examples that are run."""

from __future__ import annotations

from redline.instruct.engine import propose
from redline.instruct.exact_forms import describe_operations
from redline.instruct.kinds import KINDS
from redline.instruct.model.values import dumps, parse

SAMPLE = """\
{"owner": "ops",
 "tags": ["new", "beta", "new"],
 "server": {"host": "a.example", "port": 8080, "debug": true},
 "cache": {"driver": "redis", "size": 100, "limit": 500},
 "services": {"web": {"enabled": true, "restart": "no"},
              "redis": {"enabled": false, "restart": "always"}},
 "jobs": {"lint": {"timeout": 10, "retries": 0, "steps": ["checkout", "lint"]},
          "test": {"timeout": 20, "retries": 1, "steps": ["checkout", "install", "test"]}},
 "alerts": [{"level": "low", "muted": false}, {"level": "high", "muted": true}],
 "users": [{"id": 1, "name": "Alice Smith", "email": "alice@example.com", "theme": "dark",
            "active": true, "tags": ["dev"]},
           {"id": 2, "name": "Bob Jones", "email": "bob@example.com", "theme": "light",
            "active": false, "tags": []}],
 "items": [{"sku": "A-1", "price": 10, "qty": 0}, {"sku": "B-2", "price": 25, "qty": 4},
           {"sku": "C-3", "price": 7, "qty": 9}]}"""

EXACT = (
    "server.port = 9090",
    "/items/0/price = 12.5",
    "cache.ttl = 300",
    'tags[+] = "canary"',
    'users[-1].theme = "dark"',
    "cache.size += 20",
    "$.items[?@.price > 8].qty = 0",
    "delete server.debug",
    "/server/host -> hostname",
    '[{"op": "remove", "path": "/server/debug"}]',
    '{"server": {"port": 9090, "debug": null}}',
)

REFUSED = (
    "Set the timeout to 30",
    "Set server.region to eu",
    "Please make everything faster",
    "Set owner to the platform team and all of ops",
)


def forms_section() -> str:
    """Return the exact forms, the kinds and some refusals, with what each example does."""
    lines = [
        "## The language\n",
        "Every example below is run on this document when the page is made:\n",
    ]
    lines += ["```json", SAMPLE, "```\n", "### Exact forms\n"]
    lines += ["| instruction | what it does |", "|---|---|"]
    lines += [_row(text) for text in EXACT]
    lines += ["\n### Kinds of change\n"]
    for kind in KINDS:
        lines += [f"**{kind.name}**: {kind.form}\n", "| instruction | what it does |", "|---|---|"]
        lines += [_row(text) for text in kind.examples]
        lines.append("")
    lines += ["### What is refused\n", "| instruction | answer | suggestions |", "|---|---|---|"]
    lines += [_refused(text) for text in REFUSED]
    return "\n".join(lines) + "\n"


def _row(text: str) -> str:
    answer = propose(parse(SAMPLE), text)
    if answer.status != "success":
        raise SystemExit(
            f"An example of docs/tools/json.md does not work: {text}: {answer.message}"
        )
    return f"| {_cell(text)} | {_cell(describe_operations(answer.operations))} |"


def _refused(text: str) -> str:
    answer = propose(parse(SAMPLE), text)
    if answer.status != "ambiguous":
        raise SystemExit(f"docs/tools/json.md says that this is refused: {text}")
    found = "<br>".join(map(_cell, answer.suggestions))
    return f"| {_cell(text)} | {_cell(answer.message, code=False)} | {found} |"


def _cell(text: str, *, code: bool = True) -> str:
    plain = text.replace("|", "\\|")
    return f"`{plain}`" if code else dumps(plain)[1:-1].replace('\\"', '"')
