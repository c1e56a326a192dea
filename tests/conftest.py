"""Which tests one process runs, and in which order; and what holds for all of them."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from redline.cli.flags import AGENT_VARIABLES

# Tests that an agent runs are those of a person at a terminal.
for _name in (*(pair[1] for pair in AGENT_VARIABLES), "AI_AGENT"):
    os.environ.pop(_name, None)
# How long an example takes says more about what else the machine does than about our code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Together besides those of a module, by how their paths begin.
TOGETHER = {
    # All of these run as the same user, and the limit on processes counts per user.
    "probes": (
        "tests/adapters/sandbox/test_probes",
        "tests/probes/test_egress",
        "tests/probes/test_parser",
        "tests/probes/test_sandbox",
    ),
    "browser": (
        "tests/review/client/",
        "tests/review/test_in_browser",
        "tests/review/test_waiting",
    ),
    "files": ("tests/toolsets/files/",),  # a server of each transport for all of them
}
# What takes long begins early, so that no process is left with it at the end.
FIRST = (
    *TOGETHER["probes"],
    *("tests/faults/", "tests/probes/", "tests/instruct/", "tests/noise/", "tests/wire/"),
    *("tests/review/", "tests/clients/", "tests/bench/", "tests/cli/", "tests/conformance/"),
    *("tests/toolsets/files/", "tests/recorder/", "tests/crashes/", "tests/adapters/"),
)


def _rank(item: pytest.Item) -> int:
    found = (at for at, path in enumerate(FIRST) if item.nodeid.startswith(path))
    return next(found, len(FIRST))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage meanwhile, a third of the work, nor later in what was collected."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_rank)


# A module belongs to one process, so that what it shares is made once. The marks of xdist do not
# serve for it: pytest 9.2 no longer reads the field into which xdist 3.8 writes a test's group.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from xdist.scheduler import LoadScopeScheduling

    class ByModule(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.partition("::")[0]
            named = (name for name, paths in TOGETHER.items() if module.startswith(paths))
            return next(named, module)

    config.option.loadscopereorder = False  # in the order of collection, see above
    return ByModule(config, log)
