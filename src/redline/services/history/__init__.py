"""Look back at changes, take them back, and hand them on.

`references` reads ids, checkpoints and times; `listing` lists and shows; `revert` undoes, redoes
and rewinds; `lines` has status, blame and old contents; `export` writes patches and commits.
"""
