"""Files beneath the workspace roots: path resolution, opening, reading, locking.

Every access goes by directory handle, so a path cannot change between check and use.
"""
