"""Redline for a team: many workspaces, several servers that work as one, and people with rights.

`ports` says what the rest relies on and `wiring` puts it together. `people` reads the users file,
`http` serves many workspaces, `adapters` keeps them in folders, object stores and Redis, and
`commands` are those of the command line. A server of one workspace runs without this package.
"""
