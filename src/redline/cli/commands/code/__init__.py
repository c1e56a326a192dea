"""Commands on source code: map, outline, where.

`view` has what they share.
"""
