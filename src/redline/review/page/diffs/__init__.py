"""Changes as tables of lines: `model` computes them, `table` and `words` render them.

`standalone` writes one change as a file, `embedded` shows it inside a client.
"""
