"""The fixture tools alone, with the protocol profile of `coding`."""

from redline.toolsets.coding_tools import tools
from tests.wire import fixtures

TOOLSET = fixtures.TOOLSET._replace(name="coding", profile=tools.TOOLSET.profile)
