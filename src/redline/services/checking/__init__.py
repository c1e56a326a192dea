"""Checked changes: the project's own formatters and checkers run on a plan before it is committed.

`project_tools` finds what a project configures, `problems` reads what the programs say.
"""
