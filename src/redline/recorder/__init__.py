"""The recorder: changes made outside Redline become operations of the journal.

`wiring` puts it together. `entries` reads the workspace, `recording` compares it with what was
known, `claims` finds the client that made a change, `session` runs all of it in a thread. Its
`adapters` watch the disk, keep what is known and hear from the hooks of clients; its `commands` are
`redline watch` and `redline hooks`. Redline's own changes are journaled without this package.
"""
