"""Which encoding a text file has, and how its bytes become text and back.

`opening.open_text` decides, in this order: the caller's `encoding`, a byte order mark, a
declaration (`coding:` comment, XML, HTML meta, CSS @charset, `.editorconfig`), UTF-8, detection.
Only a file that is not plain UTF-8 pays for it, and only detection loads a library.
"""
