"""The fixture tools alone under the name `files`, so that its protocol profile is in force."""

from dataclasses import replace

from tests.wire import fixtures

DIALECT = replace(fixtures.DIALECT, name="files", strict_handshake=False)
