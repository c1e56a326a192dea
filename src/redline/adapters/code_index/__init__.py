"""The SQLite index of symbols and uses in the workspace.

`build` brings it up to date; `database` answers queries.
"""
