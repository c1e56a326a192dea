"""The bytes of journal lines, operation records, slot files and deltas.

Encoding and decoding only: nothing here opens a file.
"""
