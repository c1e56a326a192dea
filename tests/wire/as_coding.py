"""The fixture tools alone under the name `coding`, so that its protocol profile is in force."""

from dataclasses import replace

from tests.wire import fixtures

TOOLSET = replace(fixtures.TOOLSET, name="coding", strict_handshake=True)
