"""Content search by the ripgrep binary: starting it, reading its output.

`search_port` implements the search port of `core.ports.search`.
"""
