"""What the tool list costs a model."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

from bench.library.tokenizer import count_tokens, tool_text
from redline.server.calls.catalog import Catalog, load_toolsets
from redline.toolsets import OWN, TOOLSETS
from redline.toolsets.tool import Client
from tests.support import need_node

pytestmark = pytest.mark.node
AVERAGE, MOST = 110, 300


def _costs() -> dict[str, int]:
    texts = {
        f"{name}: {tool.name}": tool_text(
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        )
        for name, module in TOOLSETS.items()
        # Every parameter of `agent` is described, so it has a budget for the whole list instead.
        if find_spec(module) and name != OWN
        for tool in import_module(module).TOOLSET.tools
    }
    return dict(zip(texts, count_tokens(list(texts.values())), strict=True))


def test_a_tool_costs_110_tokens_on_average_and_none_over_300() -> None:
    need_node()
    costs = _costs()
    dear = {name: count for name, count in costs.items() if count > MOST}
    assert not dear
    assert sum(costs.values()) / len(costs) <= AVERAGE, costs


def test_the_list_a_client_of_every_toolset_gets_keeps_the_budget_too() -> None:
    need_node()
    listed = Catalog(load_toolsets(["all"])).list(Client())
    counts = count_tokens([tool_text(tool) for tool in listed])
    assert max(counts) <= MOST
    assert sum(counts) / len(counts) <= AVERAGE
