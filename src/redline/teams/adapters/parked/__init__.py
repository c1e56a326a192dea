"""A workspace in an object store: its files and its history by content.

`objects` is the store, `chunks` puts contents into packs, `snapshot` reads and writes a directory,
`moving` parks and wakes.
"""
