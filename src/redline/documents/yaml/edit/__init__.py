"""Planning YAML edits: entries, replaced values, anchors.

`document` is the entry point.
"""
