"""What every document format shares: the Document interface, paths, depth limits.

Nothing here knows a particular format.
"""
