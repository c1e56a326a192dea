"""Ignore rules mean what they mean to git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.paths import WorkspacePath
from redline.search.ignore import IgnoreScope, RuleSet, is_ignored
from tests.search.plain_tree import PlainTree

LINES = [
    "*.log",
    "!keep.log",
    "/top",
    "build/",
    "docs/*.html",
    "**/deep",
    "a/**",
    "a/**/z",
    "**/x/*.o",
    "#comment",
    r"\#hash",
    r"\!bang",
    "trail   ",
    r"space\ ",
    "[abc].txt",
    "[!abc].md",
    "q?x",
    "*.tar.gz",
    ".env",
    "*~",
    "/a/b",
    "b/",
    "!b/",
    "[z-a]q",
    "[unclosed",
    "*",
    "!*/",
    "!*.py",
    "foo*bar*",
    "[[:digit:]]*",
]
NAMES = [
    "a", "b", "x", "z", "top", "deep", "build", "docs", "m.log", "keep.log", "i.html", "f.o",
    "#hash", "!bang", "trail", "space ", "a.txt", "d.txt", "a.md", "d.md", "qqx", "k.tar.gz",
    ".env", "old~", "p.py", "foo1bar2", "7up",
]  # fmt: skip


def _git_verdicts(base: Path, paths: list[str]) -> set[str]:
    done = subprocess.run(
        ["git", "-C", str(base), "check-ignore", "-z", "--no-index", "--stdin"],
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"},
    )
    assert done.returncode in (0, 1), done.stderr
    return {name for name in done.stdout.decode().split("\0") if name}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("repo")
    subprocess.run(["git", "init", "-q", str(base)], check=True)
    (base / ".git" / "info" / "exclude").unlink(missing_ok=True)
    for directory in ("a", "a/b", "a/b/x", "docs", "build", "deep", "a/deep", "docs/x", "b"):
        (base / directory).mkdir(exist_ok=True)
    for directory in ("", "a", "a/b", "a/b/x", "docs", "build", "docs/x", "b", "deep"):
        for name in NAMES:
            path = base / directory / name
            if not path.exists():
                path.write_text("")
    return base


def _tree_paths(base: Path) -> list[tuple[str, bool]]:
    found = []
    for path in sorted(base.rglob("*")):
        relative = path.relative_to(base).as_posix()
        if not relative.startswith(".git"):
            found.append((relative, path.is_dir()))
    return found


@settings(max_examples=40)
@given(
    top=st.lists(st.sampled_from(LINES), min_size=1, max_size=6),
    inner=st.lists(st.sampled_from(LINES), max_size=4),
)
def test_every_verdict_is_gits(repository: Path, top: list[str], inner: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(top) + "\n")
    (repository / "a" / ".gitignore").write_text("\n".join(inner) + "\n")
    paths = [entry for entry in _tree_paths(repository) if not entry[0].endswith(".gitignore")]
    expected = _git_verdicts(repository, [path for path, _ in paths])
    tree = PlainTree(repository)
    ours = {
        path
        for path, is_directory in paths
        if is_ignored(tree, WorkspacePath(0, tuple(path.split("/"))), is_directory)
    }
    assert ours == expected


@settings(max_examples=150)
@given(
    lines=st.lists(st.sampled_from(LINES), min_size=1, max_size=8),
    names=st.lists(st.sampled_from([*NAMES, "a\nb", "x\n.env"]), unique=True, min_size=1),
    directories=st.sets(st.sampled_from(NAMES)),
)
def test_asking_for_a_whole_directory_gives_the_same_verdicts(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[str],
    names: list[str],
    directories: set[str],
) -> None:
    rules = RuleSet("\n".join(lines))
    scope = IgnoreScope(
        PlainTree(tmp_path_factory.getbasetemp()), WorkspacePath(0, ("a",)), ((0, rules),)
    )
    one_by_one = {name for name in names if scope.ignores(name, name in directories)}
    assert scope.ignored_among(names, directories) == one_by_one


def test_the_last_rule_that_fits_decides() -> None:
    rules = RuleSet("*.log\n!keep.log\nkeep.*\n!*.log\n")
    assert rules.verdict("keep.log", "keep.log", False) is False
    assert rules.verdict("keep.txt", "keep.txt", False) is True
    assert rules.verdict("other", "other", False) is None


def test_info_exclude_counts_and_an_absent_file_has_no_rules(tmp_path: Path) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("local.txt\n")
    scope = IgnoreScope.at(PlainTree(tmp_path), WorkspacePath(0, ()))
    assert scope.ignores("local.txt", False)
    assert not scope.ignores("other.txt", False)


def test_an_ignore_file_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("*\n")
    (tmp_path / ".gitignore").symlink_to(tmp_path / "elsewhere")
    scope = IgnoreScope.at(PlainTree(tmp_path), WorkspacePath(0, ()))
    assert not scope.ignores("anything", False)


@pytest.mark.parametrize("more", [0, 40])
def test_names_and_endings_are_found_among_few_rules_and_among_many(
    tmp_path: Path, more: int
) -> None:
    others = [f"other{i}\n*.end{i}\nsome/other{i}\n" for i in range(more)]
    (tmp_path / ".gitignore").write_text("".join(others) + "one\n*.log\na/two\n")
    scope = IgnoreScope.of_root(PlainTree(tmp_path), 0)
    names = ["one", "x.log", ".log", "log", "x.log.txt", "one.txt", "none", "two"]
    assert scope.ignored_among(names, ()) == {"one", "x.log", ".log"}
    assert scope.ignored_among(["none", "x.blog"], ()) == set()
    assert scope.below("a").ignored_among(["two", "twos"], ()) == {"two"}
