"""The fixture tools alone, with the protocol profile of `files`."""

from redline.toolsets.files import tools
from tests.wire import fixtures

TOOLSET = fixtures.TOOLSET._replace(name="files", profile=tools.TOOLSET.profile)
