"""Search and replace by syntax, with ast-grep's patterns and rules.

`matches` finds places and builds their replacements; `template` expands metavariables.
"""
