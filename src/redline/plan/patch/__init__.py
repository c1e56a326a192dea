"""Patches: reading them in any form, placing their hunks, applying them to a tree.

`parse` returns operations, `apply` one ChangeSet for the whole patch.
"""
