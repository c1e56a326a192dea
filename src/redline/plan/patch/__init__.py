"""The patch envelope: parsing it, placing hunks, applying it to a tree.

`apply` returns one ChangeSet for the whole patch.
"""
