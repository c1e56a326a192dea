"""git_status and git_diff over the wire."""

from __future__ import annotations

import subprocess

import pytest

from tests.adapters.test_git import ENVIRONMENT, plant_programs
from tests.toolsets.coding_tools.conftest import Tools, patch


def _git(tools: Tools, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=tools.base, env=ENVIRONMENT, capture_output=True, check=True
    )
    return done.stdout.decode()


@pytest.fixture
def repository(tools: Tools) -> Tools:
    _git(tools, "init", "-q", "-b", "main")
    tools.write({"a.txt": "1\n2\n", "sub/b.txt": "x\n"})
    _git(tools, "add", "-A")
    _git(tools, "commit", "-qm", "first")
    return tools


@pytest.mark.requirement("coding-git-status")
def test_the_status_is_gits(repository: Tools) -> None:
    clean = repository.ok("git_status")
    assert (clean["is_repo"], clean["clean"], clean["entries"]) == (True, True, [])
    assert clean["branch"] == "main"
    assert clean["head"] == _git(repository, "rev-parse", "HEAD").strip()
    assert (clean["upstream"], clean["ahead"], clean["behind"]) == ("", 0, 0)
    repository.write({"a.txt": "1\n3\n", "new": "n\n"})
    for path in (".", "sub", "sub/b.txt"):
        found = repository.ok("git_status", path=path)
        assert found["entries"] == [
            {"path": "a.txt", "original_path": None, "index_status": " ", "worktree_status": "M"},
            {"path": "new", "original_path": None, "index_status": "?", "worktree_status": "?"},
        ]
    assert len(repository.ok("git_status", include_untracked=False)["entries"]) == 1
    cut = repository.ok("git_status", max_entries=1)
    assert (len(cut["entries"]), cut["truncated"], cut["clean"]) == (1, True, False)


@pytest.mark.requirement("coding-git-no-repo")
def test_outside_a_repository_status_says_so_and_diff_shows_our_own_changes(tools: Tools) -> None:
    tools.write({"a": "1\n", "b": "x\n"})
    found = tools.ok("git_status")
    assert found == {"ok": True, "is_repo": False, "clean": True, "entries": [], "truncated": False}
    for old, new in (("1", "2"), ("2", "3")):
        tools.ok("apply_patch", patch=patch("*** Update File: a", "@@", f"-{old}", f"+{new}"))
    tools.ok("apply_patch", patch=patch("*** Add File: n", "+x"))
    diff = tools.ok("git_diff", paths=["a", "n"])
    assert "non-git diff fallback" in diff["warnings"]
    assert "-1\n+3\n" in diff["diff"]
    assert {(f["path"], f["status"]) for f in diff["files"]} == {("a", "modified"), ("n", "added")}
    assert "+++ b/n" not in tools.ok("git_diff", path="a")["diff"]


@pytest.mark.requirement("coding-git-diff")
def test_the_diff_is_gits(repository: Tools) -> None:
    repository.write({"a.txt": "1\nTWO\n", "sub/b.txt": "y\n"})
    found = repository.ok("git_diff")
    assert found["diff"] == _git(repository, "diff")
    assert [(f["path"], f["status"], f["binary"]) for f in found["files"]] == [
        ("a.txt", "modified", False),
        ("sub/b.txt", "modified", False),
    ]
    assert (found["truncated"], found["truncated_by"]) == (False, None)
    assert repository.ok("git_diff", paths=["sub"])["diff"] == _git(repository, "diff", "sub")
    assert repository.ok("git_diff", context_lines=0)["diff"] == _git(repository, "diff", "-U0")
    _git(repository, "add", "a.txt")
    both = repository.ok("git_diff", staged=True)
    assert both["diff"] == _git(repository, "diff") + _git(repository, "diff", "--cached")
    only = repository.ok("git_diff", staged=True, unstaged=False)
    assert only["diff"] == _git(repository, "diff", "--cached")


@pytest.mark.requirement("coding-git-diff-cut")
def test_a_long_diff_is_cut_at_whole_lines(repository: Tools) -> None:
    repository.write({"a.txt": "".join(f"{n}\n" for n in range(5000)), "sub/b.txt": "y\n"})
    found = repository.ok("git_diff")
    assert (found["truncated"], found["truncated_by"]) == (True, "lines")
    assert found["output_lines"] == 2000
    assert [f["path"] for f in found["files"]] == ["a.txt"]
    cut = repository.ok("git_diff", max_bytes=100)
    assert cut["truncated_by"] == "bytes"
    assert len(cut["diff"].encode()) <= 100
    assert repository.ok("git_diff", paths=["gone"])["diff"] == ""
    assert repository.fails("git_diff", paths=["../x"])["category"] == "security"


@pytest.mark.requirement("coding-git-runs-nothing")
def test_no_read_tool_runs_what_a_repository_names(repository: Tools) -> None:
    marker = repository.base.parent / f"marker-{repository.client.transport}"
    plant_programs(repository.base, marker)
    repository.write({"a.txt": "changed\n", "new": "needle\n"})
    repository.ok("git_status")
    repository.ok("git_diff", staged=True)
    repository.ok("list_files", include_hidden=True)
    repository.ok("list_dir", recursive=True, max_depth=3)
    repository.ok("search_text", query="needle")
    repository.ok("read_file", path="a.txt")
    assert not marker.exists()


@pytest.mark.requirement("coding-git-error")
def test_a_broken_repository_is_a_git_error(tools: Tools) -> None:
    tools.write({".git/HEAD": "nonsense", ".git/config": "[core\n"})
    error = tools.fails("git_status")
    assert (error["code"], error["category"]) == ("GIT_ERROR", "runtime")
