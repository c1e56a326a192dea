"""What a model pays: tokens of the tool lists, and of the results of ten everyday tasks.

Each task is done with the calls a model needs to reach the same end on each server. Only results
are counted (the text blocks a model is shown), in o200k tokens. Afterwards every server must have
left the same files behind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.library.measure import Report, Row, StdioServer, redline_argv
from bench.library.peers import desktop_commander, filesystem_server, git_server, python_program
from bench.library.tokenizer import count_tokens, tool_text

Calls = list[tuple[str, dict[str, Any]]]
REDLINE, AGENT, SHELL = "redline", "redline agent", "plain shell"
OFFICIAL, CODING = "official filesystem", "coding-tools-mcp"


@dataclass(frozen=True)
class Task:
    """One task and how each server does it; a server that cannot is left out.

    `redline` are the seven toolsets that speak specifications, `agent` its own one.
    """

    name: str
    redline: Calls
    agent: Calls
    official: Calls = field(default_factory=list)
    coding: Calls = field(default_factory=list)


# What an agent with nothing but a shell types for each task, so that it knows it was done.
SHELL_LINES: dict[str, tuple[str, ...]] = {
    "find and fix one line": (
        "grep -rn 'TODO rate' src",
        "sed -i 's/amount \\* 0.19/amount * 0.21/' src/tax.py && git diff src/tax.py",
    ),
    "rename a call in ten files": (
        "grep -rl 'old_price(' src | xargs sed -i 's/old_price(/price(/g' && git diff -U0 src",
    ),
    "bump an image in YAML": (
        "grep -n -A1 'service-7:' config/compose.yaml",
        "cd config && sed -i 's#service-7:1.7.0#service-7:1.8.0#' compose.yaml && git diff .",
    ),
    "set the version in package.json": (
        "grep -n version package.json",
        """sed -i 's/"version": "1.4.2"/"version": "1.5.0"/' package.json && git diff""",
    ),
    "what is in a module": ("grep -n '^def\\|^class' src/module_05.py",),
    "read one function of a long file": (
        "grep -n step_5_4 src/module_05.py",
        "sed -n 30,34p src/module_05.py",
    ),
    "where is a function used": ("grep -rn use_old src",),
    "which files are there": ("find . -name '*.py'",),
    "run the tests": ("echo '1 passed'",),
    "take the last change back": (
        "sed -i 's/amount \\* 0.21/amount * 0.25/' src/tax.py && git diff -U0 src/tax.py",
        "sed -i 's/amount \\* 0.25/amount * 0.21/' src/tax.py && git diff -U0 src/tax.py",
    ),
}


def run_shell(root: str) -> list[int]:
    """The tokens that a plain shell prints for each task."""
    texts = []
    for task in tasks(root):
        lines = SHELL_LINES[task.name]
        done = [
            subprocess.run(
                ["bash", "-c", line], cwd=root, capture_output=True, text=True, check=True
            )
            for line in lines
        ]
        texts.append("\n".join(each.stdout + each.stderr for each in done))
    return count_tokens(texts)


def make_project(root: Path) -> None:
    """A small but real-looking repository."""
    (root / "src").mkdir(parents=True)
    (root / "config").mkdir()
    (root / "tests").mkdir()
    for number in range(30):
        body = [f'"""Module {number} of the shop."""', "", "import math", "", ""]
        for function in range(12):
            body += [
                f"def step_{number}_{function}(amount, rate):",
                f'    """Apply step {function}."""',
                "    total = amount * (1 + rate)",
                "    return round(total, 2)",
                "",
                "",
            ]
        if number % 3 == 0:
            body += ["def use_old(amount):", "    return old_price(amount) + math.pi", ""]
        (root / "src" / f"module_{number:02}.py").write_text("\n".join(body))
    (root / "src" / "tax.py").write_text(
        "def tax(amount):\n    return amount * 0.19  # TODO rate\n"
    )
    services = "".join(
        f"  service-{n}:\n    image: shop/service-{n}:1.{n}.0  # pinned\n    replicas: 2\n"
        for n in range(40)
    )
    (root / "config" / "compose.yaml").write_text(f"services:\n{services}")
    package = {"name": "shop", "version": "1.4.2", "scripts": {"test": "true"}}
    package["dependencies"] = {f"lib-{n}": f"^{n}.0.0" for n in range(60)}
    (root / "package.json").write_text(json.dumps(package, indent=2) + "\n")
    (root / "tests" / "test_tax.py").write_text("def test_tax():\n    assert True\n")
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *command], cwd=root, check=True)


def tasks(root: str) -> list[Task]:
    """The ten tasks."""

    def path(name: str) -> str:
        return f"{root}/{name}"

    def patch(*lines: str) -> dict[str, Any]:
        return {"patch": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])}

    users = [f"src/module_{n:02}.py" for n in range(0, 30, 3)]
    fix = {"oldText": "amount * 0.19", "newText": "amount * 0.21"}
    image = ("shop/service-7:1.7.0", "shop/service-7:1.8.0")
    version = {"oldText": '"version": "1.4.2"', "newText": '"version": "1.5.0"'}
    return [
        Task(
            "find and fix one line",
            [
                ("grep_files", {"regex": "TODO rate", "directory": root}),
                ("edit_file", {"path": path("src/tax.py"), "edits": [fix]}),
            ],
            [
                ("search", {"query": "TODO rate"}),
                ("edit", {"path": "src/tax.py", "edits": [_quote("0.19", "0.21")]}),
            ],
            [
                ("search_files", {"path": root, "pattern": "**/*.py"}),
                ("read_text_file", {"path": path("src/tax.py")}),
                ("edit_file", {"path": path("src/tax.py"), "edits": [fix]}),
            ],
            [
                ("search_text", {"query": "TODO rate"}),
                (
                    "apply_patch",
                    patch(
                        "*** Update File: src/tax.py",
                        "@@",
                        "-    return amount * 0.19  # TODO rate",
                        "+    return amount * 0.21  # TODO rate",
                    ),
                ),
            ],
        ),
        Task(
            "rename a call in ten files",
            [
                (
                    "edit_files",
                    {
                        "paths": [path("src/*.py")],
                        "edits": [{"oldText": "old_price(", "newText": "price(", "limit": 0}],
                        "compact": True,
                    },
                )
            ],
            [
                (
                    "edit",
                    {
                        "path": "src/*.py",
                        "edits": [{"old": "old_price(", "new": "price(", "all": True}],
                    },
                )
            ],
            [
                (
                    "edit_file",
                    {
                        "path": path(name),
                        "edits": [{"oldText": "old_price(", "newText": "price("}],
                    },
                )
                for name in users
            ],
            [
                ("search_text", {"query": "old_price("}),
                (
                    "apply_patch",
                    patch(
                        *[
                            line
                            for name in users
                            for line in (
                                f"*** Update File: {name}",
                                "@@",
                                "-    return old_price(amount) + math.pi",
                                "+    return price(amount) + math.pi",
                            )
                        ]
                    ),
                ),
            ],
        ),
        Task(
            "bump an image in YAML",
            [
                (
                    "noyalib_set",
                    {
                        "file": path("config/compose.yaml"),
                        "path": "services.service-7.image",
                        "value": image[1],
                    },
                )
            ],
            [
                (
                    "set",
                    {
                        "path": "config/compose.yaml",
                        "edits": [{"key": "services.service-7.image", "source": image[1]}],
                    },
                )
            ],
            [
                ("read_text_file", {"path": path("config/compose.yaml")}),
                (
                    "edit_file",
                    {
                        "path": path("config/compose.yaml"),
                        "edits": [{"oldText": image[0], "newText": image[1]}],
                    },
                ),
            ],
            [
                ("search_text", {"query": "service-7:", "path": "config/compose.yaml"}),
                (
                    "apply_patch",
                    patch(
                        "*** Update File: config/compose.yaml",
                        "@@",
                        f"-    image: {image[0]}  # pinned",
                        f"+    image: {image[1]}  # pinned",
                    ),
                ),
            ],
        ),
        Task(
            "set the version in package.json",
            [("doc_set", {"file": path("package.json"), "path": "version", "value": '"1.5.0"'})],
            [("set", {"path": "package.json", "edits": [{"key": "version", "value": "1.5.0"}]})],
            [
                ("read_text_file", {"path": path("package.json"), "head": 5}),
                ("edit_file", {"path": path("package.json"), "edits": [version]}),
            ],
            [
                ("read_file", {"path": "package.json", "start_line": 1, "end_line": 5}),
                (
                    "apply_patch",
                    patch(
                        "*** Update File: package.json",
                        "@@",
                        '-  "version": "1.4.2",',
                        '+  "version": "1.5.0",',
                    ),
                ),
            ],
        ),
        Task(
            "what is in a module",
            [("ai_code_editing.get_code_context", {"file": "src/module_05.py", "kind": "outline"})],
            [("context", {"path": "src/module_05.py"})],
            [("read_text_file", {"path": path("src/module_05.py")})],
            [("read_file", {"path": "src/module_05.py"})],
        ),
        Task(
            "read one function of a long file",
            [("read_file", {"path": path("src/module_05.py"), "start_line": 30, "end_line": 40})],
            [("read", {"path": "src/module_05.py", "symbol": "step_5_4"})],
            [("read_text_file", {"path": path("src/module_05.py"), "head": 40})],
            [("read_file", {"path": "src/module_05.py", "start_line": 30, "end_line": 40})],
        ),
        Task(
            "where is a function used",
            [("grep_files", {"regex": "use_old", "directory": path("src"), "compact": True})],
            [("search", {"query": "use_old", "path": "src"})],
            [("read_multiple_files", {"paths": [path(name) for name in users]})],
            [("search_text", {"query": "use_old", "path": "src"})],
        ),
        Task(
            "which files are there",
            [("glob_search", {"directory": root, "globs": ["**/*.py"], "compact": True})],
            [("find", {"globs": ["*.py"]})],
            [("search_files", {"path": root, "pattern": "**/*.py"})],
            [("list_files", {"patterns": ["**/*.py"]})],
        ),
        Task(
            "run the tests",
            [("execute_command", {"command": "echo '1 passed'", "workingDirectory": root})],
            [("run", {"command": "echo '1 passed'"})],
            [],
            [("exec_command", {"cmd": "echo '1 passed'"})],
        ),
        Task(
            "take the last change back",
            [
                ("edit_file", {"path": path("src/tax.py"), "edits": [_swap("0.21", "0.25")]}),
                ("undo_change", {}),
            ],
            [
                ("edit", {"path": "src/tax.py", "edits": [_quote("0.21", "0.25")]}),
                ("undo", {}),
            ],
            [
                ("edit_file", {"path": path("src/tax.py"), "edits": [_swap("0.21", "0.25")]}),
                ("edit_file", {"path": path("src/tax.py"), "edits": [_swap("0.25", "0.21")]}),
            ],
            [
                ("apply_patch", patch(*_hunk("0.21", "0.25"))),
                ("apply_patch", patch(*_hunk("0.25", "0.21"))),
            ],
        ),
    ]


def _swap(old: str, new: str) -> dict[str, str]:
    return {"oldText": f"amount * {old}", "newText": f"amount * {new}"}


def _quote(old: str, new: str) -> dict[str, str]:
    return {"old": f"amount * {old}", "new": f"amount * {new}"}


def _hunk(old: str, new: str) -> tuple[str, ...]:
    line = "    return amount * {}  # TODO rate"
    return ("*** Update File: src/tax.py", "@@", "-" + line.format(old), "+" + line.format(new))


def shown(result: dict[str, Any]) -> str:
    """What the model sees of a result."""
    return "\n".join(b["text"] for b in result["content"] if b.get("type") == "text") + "\n".join(
        json.dumps(b) for b in result["content"] if b.get("type") != "text"
    )


def run_tasks(argv: list[str], root: str, pick: Callable[[Task], Calls]) -> list[int]:
    """The result tokens of each task; 0 where the server cannot do it."""
    texts: list[str] = []
    env = {"DO_NOT_TRACK": "1", "CODING_TOOLS_MCP_TELEMETRY": "0"}
    with StdioServer(argv, env=env, cwd=root) as server:
        server.initialize()
        for task in tasks(root):
            calls = pick(task)
            texts.append(
                "\n".join(shown(server.call(tool, arguments)) for tool, arguments in calls)
            )
    return count_tokens(texts)


def list_costs(report: Report, toolsets: list[str]) -> None:
    """Tokens of tools/list, per toolset and for the peers."""
    with tempfile.TemporaryDirectory() as home:
        servers = {
            f"redline {t}": redline_argv("--tools", t, "--workspace", home) for t in toolsets
        }
        servers["redline all"] = redline_argv("--workspace", home)
        servers[OFFICIAL] = filesystem_server(home)
        program = str(python_program("coding-tools-mcp", "coding-tools-mcp"))
        servers[CODING] = [program, "--stdio", "--workspace", home]
        subprocess.run(["git", "init", "-q", home], check=True)
        servers["mcp-server-git"] = git_server(home)
        servers["desktop-commander"], quiet = desktop_commander(Path(home) / "home")
        for who, argv in servers.items():
            with StdioServer(argv, env=quiet) as server:
                server.initialize()
                tools = server.request("tools/list")["result"]["tools"]
            counts = count_tokens([tool_text(tool) for tool in tools])
            report.facts[f"tools/list: {who}"] = {
                "tools": len(counts),
                "tokens": sum(counts),
                "average": round(sum(counts) / len(counts), 1),
                "most": max(counts),
            }


# Tasks that may cost more than with a plain shell, and what the model gets for it.
DEARER = {
    "what is in a module": "each symbol has its last line and its first line of documentation",
    "read one function of a long file": "one call, and the file's version for a later edit",
}
GOAL, AVERAGE, MOST = 0.7, 110, 300
AGENT_GOAL, AGENT_LIST = 0.6, 2_600


def files_of(root: Path) -> dict[str, str]:
    """Every file of the project with its content."""
    return {
        str(path.relative_to(root)): path.read_text("utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


def judge(report: Report) -> list[str]:
    """The goals that are missed."""
    missed = [
        f"{row.task}: over {GOAL} times the better peer ({row.note})"
        for row in report.rows
        if row.who == REDLINE and (row.ratio or 0) > GOAL
    ]
    missed += [
        f"{row.task}: over {AGENT_GOAL} times the better peer with agent ({row.note})"
        for row in report.rows
        if row.who == AGENT and (row.ratio or 0) > AGENT_GOAL
    ]
    agent, shell = (
        {row.task: int(row.note.split()[0]) for row in report.rows if row.who == who}
        for who in (AGENT, SHELL)
    )
    missed += [
        f"{task}: {tokens} tokens with agent, {shell[task]} with a plain shell"
        for task, tokens in agent.items()
        if tokens > shell[task] and task not in DEARER
    ]
    if report.facts[f"tools/list: {AGENT}"]["tokens"] > AGENT_LIST:
        missed.append(f"tools/list of agent: over {AGENT_LIST} tokens")
    listed = report.facts["tools/list: redline all"]
    if listed["average"] > AVERAGE or listed["most"] > MOST:
        missed.append(f"tools/list: over {AVERAGE} tokens on average or {MOST} for one")
    return missed


def main(arguments: list[str]) -> int:
    """Count and compare; exit 1 when a goal is missed."""
    report = Report("tokens")
    list_costs(report, ["agent", "coding", "files", "code", "json", "yaml", "docs", "history"])
    program = str(python_program("coding-tools-mcp", "coding-tools-mcp"))
    starts: list[tuple[str, Callable[[str], list[str]], Callable[[Task], Calls]]] = [
        (REDLINE, lambda r: redline_argv("--workspace", r, "--state-dir", f"{r}-state"),
         lambda t: t.redline),
        (AGENT, lambda r: redline_argv("--tools", "agent", "--workspace", r, "--state-dir",
         f"{r}-state"), lambda t: t.agent),
        (OFFICIAL, lambda r: filesystem_server(r), lambda t: t.official),
        (CODING, lambda r: [program, "--stdio", "--workspace", r], lambda t: t.coding),
    ]  # fmt: skip
    counts: dict[str, list[int]] = {}
    ends: dict[str, dict[str, str]] = {}
    for who, start, pick in starts:
        with tempfile.TemporaryDirectory() as home:
            root = os.path.join(os.path.realpath(home), "shop")
            make_project(Path(root))
            counts[who] = run_tasks(start(root), root, pick)
            ends[who] = files_of(Path(root))
    with tempfile.TemporaryDirectory() as home:
        root = os.path.join(os.path.realpath(home), "shop")
        make_project(Path(root))
        counts[SHELL] = run_shell(root)
        ends[SHELL] = files_of(Path(root))
    if any(end != ends[REDLINE] for end in ends.values()):
        raise RuntimeError("the servers did not reach the same end")
    compare(report, counts)
    for name, fact in report.facts.items():
        print(f"{name:40} {fact}")
    report.facts["dearer than a plain shell"] = DEARER
    missed = report.facts["missed"] = judge(report)
    report.finish(short="--short" in arguments)
    for goal in missed:
        print("missed:", goal)
    return 1 if missed else 0


def compare(report: Report, counts: dict[str, list[int]]) -> None:
    """A row per task and server: how many times the tokens of the better peer it gave."""
    for number, task in enumerate(tasks("/")):
        better = min(c for c in (counts[OFFICIAL][number], counts[CODING][number]) if c)
        for who in counts:
            if counts[who][number]:
                row = Row(task.name, who, 0, 0, 0, note=f"{counts[who][number]} tokens")
                row.ratio = round(counts[who][number] / better, 2)
                report.add(row)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
