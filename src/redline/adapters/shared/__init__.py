"""What several servers share in Redis: who has which workspace, and what any of them may be asked.

`fence` keeps the highest number of a lease beside the journal.
"""
