"""The fixture tools alone under the name `files`, so that its protocol profile is in force."""

from dataclasses import replace

from tests.wire import fixtures

TOOLSET = replace(fixtures.TOOLSET, name="files", strict_handshake=False)
