"""Configurations of scripts are read as they are written, whatever is in them."""

from __future__ import annotations

import pytest

from redline.code.python_js.path_aliases import PathAliases
from redline.code.python_js.resolver import _LISTED
from redline.core.paths import WorkspacePath

_COUNT = 100_000


def _locations(text: str) -> list[tuple[str, ...]]:
    aliases = PathAliases(lambda path: text if path.name == "tsconfig.json" else None)
    return list(aliases.rules(WorkspacePath(0, ())).locations("@/a"))


def test_comments_and_last_commas_are_read_as_typescript_reads_them() -> None:
    text = '{ // x\n"compilerOptions": {/* y */ "paths": {"@/*": ["src//*",],},}, }'
    assert _locations(text) == [("src", "a")]
    assert _locations('{"compilerOptions": {"paths": {"@/*": ["/*x*/*"]}}}') != [("src", "a")]


@pytest.mark.parametrize("text", ["/*", '"\\', '\\"', ", ", '"a",', "//", '"'])
def test_a_hostile_configuration_is_read_once(text: str) -> None:
    """Read again from each beginning, it would hold the server for hours."""
    assert _locations(text * _COUNT) == []
    assert _locations('"' + text * _COUNT) == []


@pytest.mark.parametrize("text", ["__all__=[", "__all__:", "__all__ ", "__all__+=("])
def test_hostile_lists_of_exports_are_read_once(text: str) -> None:
    assert len(list(_LISTED.finditer(text * _COUNT))) <= 1


def test_the_folder_of_a_configuration_is_that_of_the_one_that_extends_the_others() -> None:
    """As TypeScript has it: `${configDir}` is not where it is written, other paths are."""
    options = '"baseUrl": "${configDir}/lib", "paths": {"@/*": ["${configDir}/src/*", "./own/*"]}'
    files = {
        "web/tsconfig.json": '{"extends": "../shared/base.json"}',
        "shared/base.json": f'{{"compilerOptions": {{{options}}}}}',
    }
    aliases = PathAliases(lambda path: files.get("/".join(path.parts)))
    found = list(aliases.rules(WorkspacePath(0, ("web",))).locations("@/a"))
    assert found == [("web", "src", "a"), ("web", "lib", "own", "a"), ("web", "lib", "@", "a")]
