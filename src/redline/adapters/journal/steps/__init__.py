"""The steps of one change on disk: what must hold, staging, swapping, progress.

Nothing here reads or writes the journal.
"""
